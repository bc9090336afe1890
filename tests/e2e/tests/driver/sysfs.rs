// SPDX-License-Identifier: GPL-2.0

//! What the driver shows in sysfs, held against the catalogue and the user's
//! page: exactly these files, with exactly this in them.

use crate::{usual_machine, CBOXES, CHANNELS, PACKAGES};
use ivbep_e2e::catalogue::{BoxKind, Catalogue, Row};
use ivbep_e2e::fixture::{assert_none, on, Session};
use std::collections::BTreeMap;

const DEVICES: &str = "/sys/bus/event_source/devices";

/// Suffixes of the files that go with an event and are none.
const SIDE_FILES: [&str; 4] = [".scale", ".unit", ".per-pkg", ".snapshot"];

type Files = BTreeMap<String, String>;

fn is_side_file(name: &str) -> bool {
    SIDE_FILES.iter().any(|suffix| name.ends_with(suffix))
}

/// Every file of a folder and its content, one line each.
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
    let boxes = |kind, count| (0..count).map(move |instance| (kind, instance));
    boxes(BoxKind::Ubox, 1)
        .chain(boxes(BoxKind::Cbox, CBOXES))
        .chain(boxes(BoxKind::Imc, CHANNELS))
        .collect()
}

/// The terms of an event's file, in no particular order; numbers by value.
fn terms(text: &str) -> BTreeMap<&str, Option<u64>> {
    text.trim()
        .split(',')
        .map(|term| match term.split_once('=') {
            Some((field, "?")) => (field, None),
            Some((field, value)) => (field, Some(number(value))),
            None => (term, Some(1)),
        })
        .filter(|&(field, value)| !(field == "umask" && value == Some(0)))
        .collect()
}

fn number(text: &str) -> u64 {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|error| panic!("`{text}`: {error}"))
}

/// No `filter_state`: perf would only add the user's bits to it. Without one
/// the driver takes all states.
fn expected_terms(row: &Row) -> String {
    let mut terms = format!("event={:#x},umask={:#x}", row.code, row.umask);
    if row.needs.nid {
        terms.push_str(",filter_nid=?");
    }
    if row.needs.opc {
        terms.push_str(",filter_opc=?");
    }
    terms
}

/// Every event of a box type that must be offered.
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
    if kind == BoxKind::Imc {
        more("cas_count_read", "event=0x04,umask=0x03");
        more("cas_count_write", "event=0x04,umask=0x0c");
    }
    events
}

#[test]
fn there_is_a_pmu_for_every_box_and_no_other() {
    on(&usual_machine(), |session| {
        let listed = session.ok(&format!("cd {DEVICES} && ls -d ivbep_* | sort"));
        let mut expected: Vec<String> = all_pmus().iter().map(|&(k, i)| k.pmu(i)).collect();
        expected.sort();
        assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    });
}

#[test]
fn events_are_those_of_the_catalogue() {
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let pmu = kind.pmu(instance);
            let mut shown = files(session, &format!("{DEVICES}/{pmu}/events"));
            shown.retain(|name, _| !is_side_file(name));
            let expected = expected_events(kind);
            let missing = expected.keys().filter(|name| !shown.contains_key(*name));
            let extra = shown.keys().filter(|name| !expected.contains_key(*name));
            let missing = missing.map(|name| format!("{pmu} lacks {name}"));
            let extra = extra.map(|name| format!("{pmu} has {name}"));
            assert_none(&missing.chain(extra).collect::<Vec<_>>());
            for (name, text) in &expected {
                assert_eq!(
                    terms(&shown[name]),
                    terms(text),
                    "{pmu}/{name}: {}",
                    shown[name]
                );
            }
        }
    });
}

/// A CAS command moves a cache line of 64 bytes.
#[test]
fn cas_counts_and_nothing_else_have_a_unit() {
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let pmu = kind.pmu(instance);
            let files = files(session, &format!("{DEVICES}/{pmu}/events"));
            for name in files.keys().filter(|name| !is_side_file(name)) {
                let unit = files.get(&format!("{name}.unit")).map(String::as_str);
                let scale = files.get(&format!("{name}.scale"));
                let scale: Option<f64> = scale.and_then(|scale| scale.parse().ok());
                let cas = kind == BoxKind::Imc && name.starts_with("cas_count");
                assert_eq!(unit, cas.then_some("MiB"), "{pmu}/{name}");
                assert_eq!(scale, cas.then_some(1.0 / 16_384.0), "{pmu}/{name}");
            }
        }
    });
}

#[test]
fn formats_are_those_of_the_page() {
    let of_all = [
        ("event", "config:0-7"),
        ("umask", "config:8-15"),
        ("edge", "config:18"),
    ];
    let wide = ("thresh", "config:24-31");
    let cbox = [
        wide,
        ("tid_en", "config:19"),
        ("filter_tid", "config1:0-4"),
        ("filter_state", "config1:17-22"),
        ("filter_nid", "config1:32-47"),
        ("filter_opc", "config1:52-60"),
        ("filter_nc", "config1:62"),
        ("filter_isoc", "config1:63"),
    ];
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let own: &[(&str, &str)] = match kind {
                BoxKind::Cbox => &cbox,
                BoxKind::Imc => &[wide],
                BoxKind::Ubox => &[("thresh", "config:24-28")],
            };
            let fields = of_all.iter().chain(own);
            let expected: Files = fields
                .map(|&(name, bits)| (name.to_owned(), bits.to_owned()))
                .collect();
            let pmu = kind.pmu(instance);
            let shown = files(session, &format!("{DEVICES}/{pmu}/format"));
            assert_eq!(shown, expected, "{pmu}");
        }
    });
}

#[test]
fn cpumask_names_one_cpu_of_every_package() {
    on(&usual_machine(), |session| {
        for (kind, instance) in all_pmus() {
            let pmu = kind.pmu(instance);
            let mask = session.ok(&format!("cat {DEVICES}/{pmu}/cpumask"));
            let mut packages: Vec<String> = Vec::new();
            for cpu in mask.trim().split(',') {
                let topology = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
                let package = session.ok(&format!("cat {topology}/physical_package_id"));
                packages.push(package.trim().to_owned());
            }
            packages.sort();
            let expected: Vec<String> = PACKAGES.iter().map(u8::to_string).collect();
            assert_eq!(packages, expected, "{pmu}: {mask}");
        }
    });
}
