// SPDX-License-Identifier: GPL-2.0

//! Events that both drivers can count must be programmed alike. The control and filter
//! registers hold the same words while an event counts, on whichever counter. The
//! machine's access log shows that the driver wrote these words last. Addresses are those
//! of Documentation/hardware/ivbep.rst, section 7.

use crate::in_tree::is_beyond_it;
use std::collections::{BTreeMap, BTreeSet};
use uncore_e2e::prelude::*;

platforms!(; first);

/// Offsets of the control registers of a PCI box.
const CONTROLS: [u32; 4] = [0xd8, 0xdc, 0xe0, 0xe4];

/// Bit of the home agent's controls that makes an occupancy begin at 0; it does not stay
/// set. Our driver writes it with every occupancy, the kernel's own never does
/// (Documentation/hardware/uncertain.rst, U-60).
const OCCUPANCY_RESET: u64 = 1 << 16;

/// Match and mask registers of a QPI port.
const PACKET_MATCH: [u32; 4] = [0x228, 0x22c, 0x238, 0x23c];

/// Returns requests that read the control registers of a box of package 0.
fn controls(kind: BoxKind, instance: u8) -> Vec<String> {
    let msrs = |first: u32, count: u32| (first..first + count).map(msr).collect();
    match (kind, kind.function(instance)) {
        (BoxKind::Ubox, _) => [msrs(0xc10, 2), vec![msr(0xc08)]].concat(),
        (BoxKind::Cbox, _) => msrs(0xd10 + 0x20 * u32::from(instance), 4),
        (BoxKind::Pcu, _) => msrs(0xc30, 4),
        (_, Some(function)) => {
            let fixed = kind.has_fixed().then_some(0xf0);
            let count = usize::from(if kind == BoxKind::Irp {
                4
            } else {
                kind.counters()
            });
            let offsets = CONTROLS[..count].iter().copied().chain(fixed);
            offsets
                .map(|offset| config(kind, function, offset))
                .collect()
        }
        (_, None) => Vec::new(),
    }
}

/// Returns requests that read its filter registers, with the bits of each that these
/// events use: a driver may leave any value in other bits.
fn filters(probes: &[Probe]) -> Vec<(String, u64)> {
    let (kind, instance) = (probes[0].kind, probes[0].instance);
    // Returns `bits` if a probe uses the field.
    let of = |bits: u64, uses: fn(&Filter) -> bool| {
        let used = probes.iter().any(|probe| uses(&probe.setting.filter));
        if used {
            bits
        } else {
            0
        }
    };
    match kind {
        BoxKind::Cbox => {
            let base = 0xd00 + 0x20 * u32::from(instance);
            let thread = of(0x1f, |filter| filter.tid.is_some());
            let state = of(0x7e_0000, |filter| filter.state != 0);
            let node = of(0xffff, |filter| filter.nid != 0);
            let opcode = of(0xdff0_0000, |filter| filter.opc != 0);
            vec![
                (msr(base + 0x14), thread | state),
                (msr(base + 0x1a), node | opcode),
            ]
        }
        BoxKind::Pcu => {
            let bands = of(0xff, |filter| filter.bands[0] != 0)
                | of(0xff00, |filter| filter.bands[1] != 0)
                | of(0xff_0000, |filter| filter.bands[2] != 0)
                | of(0xff00_0000, |filter| filter.bands[3] != 0);
            vec![(msr(0xc34), bands)]
        }
        BoxKind::Qpi => {
            let settings = || probes.iter().map(|probe| &probe.setting);
            let counted = settings().any(|setting| setting.ext && setting.event == 0x38);
            let packets = if counted { 0xffff_ffff } else { 0 };
            let function = packet_functions()[usize::from(instance)];
            PACKET_MATCH
                .map(|offset| (config(kind, function, offset), packets))
                .into()
        }
        _ => Vec::new(),
    }
}

fn msr(number: u32) -> String {
    format!("machine peek-msr 0 {number:#x}")
}

fn config(kind: BoxKind, function: &str, offset: u32) -> String {
    let bus = if kind == BoxKind::Irp { "00" } else { "7f" };
    format!("machine peek-config {bus}:{function} {offset:#x}")
}

/// Words that a driver wrote last, those of controls in no particular order.
#[derive(Debug, PartialEq, Eq)]
struct Programmed {
    controls: Vec<u64>,
    filters: Vec<u64>,
}

fn programmed(session: &mut Session, driver: Driver, probes: &[Probe]) -> Programmed {
    let (kind, instance) = (probes[0].kind, probes[0].instance);
    let mut steps = vec!["machine log on".to_owned()];
    for (index, probe) in probes.iter().enumerate() {
        let pmu = match driver {
            Driver::IntelUncore => kind.plain_pmu(instance),
            _ => probe.pmu(),
        };
        steps.push(format!(
            "open event{index} pmu={pmu} {} cpu=0",
            probe.words()
        ));
    }
    let (controls, filters) = (controls(kind, instance), filters(probes));
    steps.extend(controls.iter().cloned());
    steps.extend(filters.iter().map(|(request, _)| request.clone()));
    steps.extend(["machine log off", "machine log take"].map(str::to_owned));
    let answers = session.perf_open(&steps);
    let (opened, answers) = answers.split_at(probes.len());
    assert!(
        opened.iter().all(|answer| answer.ends_with(" ok")),
        "{opened:?}"
    );
    let (words, log) = answers.split_at(controls.len() + filters.len());
    let held: Vec<u64> = words.iter().map(|answer| word(answer)).collect();
    let last = last_writes(log);
    let of_filters = &held[controls.len()..];
    // A register that was not written keeps the value for an earlier event.
    let written = controls
        .iter()
        .filter_map(|request| last.get(&write(request)));
    let fleeting = if kind == BoxKind::Ha {
        OCCUPANCY_RESET
    } else {
        0
    };
    let mut set: Vec<u64> = written.map(|word| word & !fleeting).collect();
    set.retain(|&word| word != 0);
    set.sort_unstable();
    // A filter that holds the right value already need not be written.
    let of_filters = filters
        .iter()
        .zip(of_filters)
        .map(|((request, bits), held)| {
            let written = last.get(&write(request)).unwrap_or(held);
            written & bits
        });
    Programmed {
        controls: set,
        filters: of_filters.collect(),
    }
}

/// Returns the beginning of the log's line for a write to the register that a request
/// reads.
fn write(request: &str) -> String {
    let write = request.replace("machine peek-msr", "wrmsr");
    write.replace("machine peek-config", "cfgw")
}

/// Returns the last word that was written to each register.
fn last_writes(log: &[String]) -> BTreeMap<String, u64> {
    let mut last = BTreeMap::new();
    for line in log {
        let words: Vec<&str> = line.split(' ').collect();
        let (Some(register), true) = (words.get(..3), ["wrmsr", "cfgw"].contains(&words[0])) else {
            continue;
        };
        last.insert(register.join(" "), word(line));
    }
    last
}

/// The number in an answer of the machine.
fn word(answer: &str) -> u64 {
    number(answer.split_whitespace().last().unwrap_or_default())
}

/// Returns events that both drivers have right, alone and together.
fn samples() -> Vec<Vec<Probe>> {
    let cbox = |name| Probe::cbox(1, name);
    vec![
        vec![Probe::ubox("event_msg.ipi_rcvd")],
        vec![
            Probe::ubox("lock_cycles").thresh(1).edge(),
            Probe::ubox("clockticks"),
        ],
        vec![cbox("misc.started")],
        vec![cbox("llc_lookup.nid").state(0x21).nid(0xf000)],
        vec![cbox("tor_inserts.nid_opcode").opc(0x1e6).nid(0x8000)],
        vec![cbox("tor_occupancy.all").thresh(10).edge()],
        vec![cbox("rxr_inserts.irq").tid(31)],
        vec![
            cbox("tor_inserts.miss_opcode").opc(0x182),
            cbox("ring_ad_used.up"),
        ],
        vec![Probe::ha(1, "requests.reads")],
        vec![Probe::ha(0, "txr_bl_cycles_full.all").thresh(1).edge()],
        vec![Probe::imc(2, "cas_count.rd"), Probe::imc(2, "clockticks")],
        vec![Probe::imc(7, "power_cke_cycles.rank5").thresh(16)],
        vec![Probe::irp(0, "cache_total_occupancy.any").thresh(100)],
        vec![Probe::pcu("freq_band2_cycles").band(2, 30)],
        vec![Probe::pcu("power_state_occupancy.cores_c3")
            .thresh(5)
            .occ_invert()],
        vec![Probe::qpi(1, "txl_flits_g1.drs_data")],
        vec![Probe::qpi(0, "message.drs.datac_e")],
        vec![Probe::qpi(0, "cto_count")
            .packet(PacketField::Dnid, 31, 0x1f)
            .thresh(2)],
        vec![Probe::r2pcie("rxr_inserts.ncb")],
        vec![Probe::r3qpi(1, "rxr_occupancy.hom").thresh(16).edge()],
    ]
}

/// Returns one row of each event code that both can select.
fn one_of_each_code() -> Vec<Vec<Probe>> {
    let filter = Filter {
        opc: 0x182,
        nid: 0x8000,
        bands: [0x10, 20, 24, 28],
        ..Filter::default()
    };
    let mut codes = BTreeSet::new();
    let rows = Catalogue::get().rows().iter();
    let rows = rows.filter(|row| row.name().is_some() && !is_beyond_it(row));
    rows.filter(|row| codes.insert((row.kind, row.ext, row.code)))
        .filter_map(|row| Probe::of_row(row, 0, &filter))
        .map(|probe| vec![probe])
        .collect()
}

#[test]
fn both_drivers_program_the_same_words() {
    let all = [samples(), one_of_each_code()].concat();
    assert!(all.len() > 250, "only {}", all.len());
    let (theirs, ours) = (Driver::IntelUncore, Driver::UncoreRs);
    let expected: Vec<_> = on(&Config::of(theirs), |session| {
        session.tolerate_violations(); // those of the kernel's own driver
        let programmed = all.iter().map(|probes| programmed(session, theirs, probes));
        programmed.collect()
    });
    on(&Config::of(ours), |session| {
        let mut wrong = Vec::new();
        for (probes, expected) in all.iter().zip(&expected) {
            assert!(!expected.controls.is_empty(), "{probes:?}");
            let programmed = programmed(session, ours, probes);
            if programmed != *expected {
                wrong.push(format!("{probes:?}: {programmed:x?}, not {expected:x?}"));
            }
        }
        assert_none(&wrong);
    });
}
