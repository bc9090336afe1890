// SPDX-License-Identifier: GPL-2.0

//! Files of the driver in sysfs, compared with the catalogue and the user's page: exactly
//! these files, with exactly these contents.

use crate::driver::usual_machine;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use uncore_e2e::catalogue::{second_names, PacketMatch, Preset};
use uncore_e2e::formats::{bits, deposit, fields, place, views};
use uncore_e2e::prelude::*;
use uncore_e2e::units::unit;

/// Suffixes of the files that belong to an event and are no events.
const SIDE_FILES: [&str; 4] = [".scale", ".unit", ".per-pkg", ".snapshot"];

type Files = BTreeMap<String, String>;

fn is_side_file(name: &str) -> bool {
    SIDE_FILES.iter().any(|suffix| name.ends_with(suffix))
}

/// Returns every file of a folder and its content, one line each.
fn files(session: &mut Session, folder: &str) -> Files {
    let lines = session.ok(&format!("cd {folder} && grep -sH '' *"));
    let split = |line: &str| match line.split_once(':') {
        Some((name, content)) => (name.to_owned(), content.to_owned()),
        None => panic!("{folder}: `{line}`"),
    };
    let files: Files = lines.lines().map(split).collect();
    assert_eq!(
        files.len(),
        lines.lines().count(),
        "{folder}: several lines"
    );
    files
}

fn all_pmus() -> Vec<(BoxKind, u8)> {
    Shape::of(&usual_machine()).pmus()
}

/// Returns the config words of an event's file, and the fields that it asks for.
fn meaning(kind: BoxKind, text: &str) -> ([u64; 3], BTreeSet<&str>) {
    let mut words = [0; 3];
    let mut asked = BTreeSet::new();
    for term in text.trim().split(',') {
        let (field, value) = term.split_once('=').unwrap_or((term, "1"));
        let (word, bits) = place(kind, field).unwrap_or_else(|| panic!("{kind}: `{text}`"));
        if value == "?" {
            asked.insert(field);
        } else {
            words[word] |= deposit(bits, number(value));
        }
    }
    (words, asked)
}

/// Returns the terms of a row's file. `filter_state` is not among them: perf would only
/// add the user's bits to it. Without a state the driver takes all states.
fn expected_terms(row: &Row) -> String {
    let extended = u16::from(row.ext == Some(true)) << 8;
    let event = u16::from(row.code) | extended;
    let mut terms = match row.kind {
        BoxKind::Pcu if row.umask == 0 => format!("event={event:#x}"),
        BoxKind::Pcu => format!("event={event:#x},occ_sel={:#x}", row.umask >> 6),
        BoxKind::Bbox => format!("event={:#x},counter={:#x}", event & 0x1f, event >> 5),
        BoxKind::Mbox if row.ext == Some(true) => {
            format!("flag_mode=1,set_flag_sel={:#x}", row.code)
        }
        BoxKind::Mbox => format!("inc_sel={:#x}", row.code),
        _ if row.umask == 0 => format!("event={event:#x}"),
        _ => format!("event={event:#x},umask={:#x}", row.umask),
    };
    let needs = &row.needs;
    for (needed, term) in [
        (needs.nid, ",filter_nid=?"),
        (needs.opc || needs.home_opcode, ",filter_opc=?"),
        (needs.address, ",filter_addr=?"),
        (needs.system, ",mask_addr=?,mask_hnid=?"),
    ] {
        terms.push_str(if needed { term } else { "" });
    }
    let asks = fields(row.kind).into_iter().filter(|field| {
        let (word, mask) = bits(*field);
        word != 0 && mask & needs.compared != 0
    });
    terms.extend(asks.map(|(name, _)| format!(",{name}=?")));
    terms.extend(needs.band.map(|band| format!(",filter_band{band}=?")));
    terms.extend(
        needs
            .asked
            .into_iter()
            .flatten()
            .map(|it| format!(",{it}=?")),
    );
    terms.extend(needs.packet.map(packet_terms));
    terms.extend(preset_terms(needs.preset));
    terms
}

/// The threshold and the fields of the C-Box that a name sets.
fn preset_terms(preset: Preset) -> Vec<String> {
    let opc = preset.opc.map(|opc| format!(",filter_opc={opc:#x}"));
    let nc = preset.nc.then(|| ",filter_nc=1".to_owned());
    let tid = preset
        .tid
        .map(|tid| format!(",tid_en=1,filter_tid={tid:#x}"));
    let thresh = (preset.thresh != 0).then(|| format!(",thresh={:#x}", preset.thresh));
    let filters = opc.into_iter().chain(nc).chain(tid);
    let masks = match (preset.matched, preset.mask) {
        (_, 0) => None,
        // Bit 0 is the home node's, the others are the address'.
        (0, mask) => Some(format!(
            ",mask_addr={:#x},mask_hnid={:#x}",
            mask >> 1,
            mask & 1
        )),
        (matched, mask) => Some(format!(",xbr_match={matched:#x},xbr_mask={mask:#x}")),
    };
    let registers = preset.sub_registers.into_iter().flatten();
    let registers = registers.map(|(field, value)| format!(",{field}={value:#x}"));
    let filters = filters.chain(thresh).chain(masks);
    filters.chain(registers).collect()
}

/// The fields of a packet that has a name.
fn packet_terms(packet: PacketMatch) -> String {
    let mut terms = String::new();
    for (prefix, word0, word1) in [
        ("match", packet.match0, packet.match1),
        ("mask", packet.mask0, packet.mask1),
    ] {
        for (field, value) in [
            ("vnw", word0 >> 3 & 0x3),
            ("opc", word0 >> 5 & 0xf),
            ("mc", word0 >> 9 & 0xf),
            ("dnid", word0 >> 13 & 0x1f),
            ("rds", word1 >> 16 & 0xf),
        ] {
            if value != 0 {
                let _ = write!(terms, ",{prefix}_{field}={value:#x}");
            }
        }
    }
    terms
}

/// Returns the events of counters that always run: their codes are the driver's own.
fn always_running(kind: BoxKind) -> Vec<&'static str> {
    match kind {
        BoxKind::Pcu => Residency::ALL.map(Residency::event).to_vec(),
        BoxKind::Qpi => Link::all().iter().map(|link| link.event()).collect(),
        _ => Vec::new(),
    }
}

/// Returns every event that a box type must offer, except for those that always run.
fn expected_events(kind: BoxKind) -> Files {
    let rows = Catalogue::get().of(kind);
    let mut events: Files = rows
        .filter_map(|row| Some((row.name()?, expected_terms(row))))
        .collect();
    let mut more = |name: &str, terms: &str| {
        let replaced = events.insert(name.to_owned(), terms.to_owned());
        assert_eq!(replaced, None, "{name}");
    };
    if kind.has_fixed() {
        more("clockticks", "event=0xff");
    }
    for (_, name, of) in second_names()
        .iter()
        .filter(|(of_kind, ..)| *of_kind == kind)
    {
        more(name, &expected_terms(Catalogue::get().named(kind, of)));
    }
    if kind == BoxKind::Imc {
        more("cas_count_read", "event=0x04,umask=0x03");
        more("cas_count_write", "event=0x04,umask=0x0c");
    }
    events
}

#[test]
fn there_is_a_pmu_for_every_box_and_no_other() {
    platforms!(each);
    on(&usual_machine(), |session| {
        let listed = session.ok(&format!(
            "cd {DEVICES} && ls -d {} | sort",
            Platform::current().pmu("*")
        ));
        let mut expected: Vec<String> = all_pmus().iter().map(|&(k, i)| k.pmu(i)).collect();
        expected.extend(Platform::current().other_pmus());
        expected.sort();
        assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    });
}

#[test]
fn events_are_those_of_the_catalogue() {
    platforms!(each);
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let pmu = kind.pmu(instance);
            let mut shown = files(session, &format!("{DEVICES}/{pmu}/events"));
            shown.retain(|name, _| !is_side_file(name));
            let always = always_running(kind);
            let codes: BTreeSet<String> = always.iter().filter_map(|e| shown.remove(*e)).collect();
            assert_eq!(
                codes.len(),
                always.len(),
                "{pmu}: {codes:?}, not {always:?}"
            );
            let expected = expected_events(kind);
            let missing = expected.keys().filter(|name| !shown.contains_key(*name));
            let extra = shown.keys().filter(|name| !expected.contains_key(*name));
            let missing = missing.map(|name| format!("{pmu} lacks {name}"));
            let extra = extra.map(|name| format!("{pmu} has {name}"));
            assert_none(&missing.chain(extra).collect::<Vec<_>>());
            for (name, text) in &expected {
                assert_eq!(
                    meaning(kind, &shown[name]),
                    meaning(kind, text),
                    "{pmu}/{name}: {}",
                    shown[name]
                );
            }
        }
    });
}

/// The counters of a memory controller have codes, and show MiB.
#[test]
#[ignore = "only on a client"]
fn counters_in_memory_have_their_files() {
    platforms!(; client);
    on(&usual_machine(), |session| {
        let pmu = MemoryCounter::pmu();
        let mut events = Files::new();
        for MemoryCounter { event, code, .. } in MemoryCounter::all() {
            events.insert((*event).to_owned(), format!("event={code:#04x}"));
            let name = MemoryCounter::UNIT.name.to_owned();
            events.insert(format!("{event}.unit"), name);
            let scale = format!("{:e}", MemoryCounter::UNIT.scale);
            events.insert(format!("{event}.scale"), scale);
        }
        assert_eq!(files(session, &format!("{DEVICES}/{pmu}/events")), events);
        let format = Files::from([("event".to_owned(), "config:0-7".to_owned())]);
        assert_eq!(files(session, &format!("{DEVICES}/{pmu}/format")), format);
        assert_eq!(session.packages_of(&pmu), Platform::packages());
    });
}

/// Events that move data show MiB, events that count cycles of a known clock show time.
#[test]
fn units_and_scales_are_those_of_the_page() {
    platforms!(each);
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let pmu = kind.pmu(instance);
            let files = files(session, &format!("{DEVICES}/{pmu}/events"));
            for name in files.keys().filter(|name| !is_side_file(name)) {
                let shown = files.get(&format!("{name}.unit")).map(String::as_str);
                let scale = files.get(&format!("{name}.scale"));
                let scale: Option<f64> = scale.and_then(|scale| scale.parse().ok());
                let expected = unit(kind, name);
                assert_eq!(shown, expected.map(|unit| unit.name), "{pmu}/{name}");
                assert_eq!(scale, expected.map(|unit| unit.scale), "{pmu}/{name}");
            }
        }
    });
}

/// Returns the lines of `events` in debugfs for each event, by kind of box and name.
fn resources(session: &mut Session) -> BTreeMap<(String, String), Files> {
    let text = session.ok("cat /sys/kernel/debug/uncore_rs/events");
    let line = |line: &str| {
        let (kind, rest) = line.split_once(' ').expect("a kind of box");
        let (name, rest) = rest.split_once(' ').expect("an event");
        let pairs = rest.split(' ').filter_map(|word| word.split_once('='));
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        ((kind.to_owned(), name.to_owned()), pairs.collect())
    };
    text.lines().map(line).collect()
}

/// Filters that a row of the catalogue needs, as the driver calls them.
fn filters(row: &Row) -> Vec<String> {
    let needs = &row.needs;
    let named = [
        (needs.opc || needs.home_opcode, "opc"),
        (needs.preset.opc.is_some(), "opc"),
        (needs.preset.tid.is_some(), "tid"),
        (needs.nid, "nid"),
        (needs.state, "state"),
        (needs.address, "addr"),
        (needs.packet.is_some(), "match"),
    ];
    let named = named.into_iter().filter(|(needed, _)| *needed);
    let band = needs.band.map(|band| format!("band{band}"));
    named.map(|(_, name)| name.to_owned()).chain(band).collect()
}

#[test]
fn counters_and_filters_of_events_are_those_of_the_catalogue() {
    platforms!(each);
    on(&usual_machine(), |session| {
        let resources = resources(session);
        for kind in BoxKind::all() {
            for row in Catalogue::get().of(kind) {
                let Some(name) = row.name() else { continue };
                let key = (kind.unit().to_owned(), name);
                // Other tests check the events without a name in sysfs.
                let Some(shown) = resources.get(&key) else {
                    continue;
                };
                // The PMU of the IRP has two sets of two, which are alike.
                let mask = match kind {
                    BoxKind::Irp => row.counters | row.counters << 2,
                    _ => row.placement(),
                };
                let counters = (0..8).filter(|counter| mask >> counter & 1 == 1);
                let counters: Vec<String> = counters.map(|counter| counter.to_string()).collect();
                if shown["counters"] != "fixed" {
                    assert_eq!(shown["counters"], counters.join(","), "{key:?}");
                }
                let known: Vec<&str> = shown
                    .get("filters")
                    .map(|filters| filters.split(',').collect())
                    .unwrap_or_default();
                let missing = filters(row).into_iter();
                let missing: Vec<String> = missing
                    .filter(|filter| !known.contains(&filter.as_str()))
                    .collect();
                assert_eq!(missing, Vec::<String>::new(), "{key:?}");
            }
        }
        let rows = Catalogue::get().rows().len();
        assert!(resources.len() > rows * 9 / 10, "{}", resources.len());
    });
}

#[test]
fn formats_are_those_of_the_page() {
    platforms!(each);
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let all = [fields(kind), views(kind)].concat();
            let expected: Files = all
                .into_iter()
                .map(|(name, bits)| (name.to_owned(), bits.to_owned()))
                .collect();
            let pmu = kind.pmu(instance);
            let shown = files(session, &format!("{DEVICES}/{pmu}/format"));
            assert_eq!(shown, expected, "{pmu}");
        }
    });
}

#[test]
fn cpumask_names_one_cpu_of_every_package() {
    platforms!(each);
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let pmu = kind.pmu(instance);
            assert_eq!(session.packages_of(&pmu), Platform::packages(), "{pmu}");
        }
    });
}
