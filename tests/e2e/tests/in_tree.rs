// SPDX-License-Identifier: GPL-2.0

//! Fidelity of the machine, and features that both drivers have in common. The kernel's
//! own driver, which was written without knowledge of this project, loads on the machine
//! and counts the same traffic, to the last event, wherever it is right.
//!
//! The tests of `driver` compare our driver with the same numbers. The test `differences`
//! shows the errors of the kernel's own; a register that it misuses does not make a test
//! fail here.

use std::collections::BTreeSet;
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::prelude::*;

const PACKAGES: [u8; 2] = [0, 1];
const BURST: u64 = 1_000_000;

/// A burst in which a signal is on exactly K times, so that all differ.
const LONG_BURST: u64 = 1 << 26;

/// Number of boxes that this driver finds in a package: one C-Box for each core.
fn boxes(kind: BoxKind) -> u8 {
    match kind {
        BoxKind::Imc => 8,
        BoxKind::Sbox => 4,
        BoxKind::Cbox | BoxKind::Ha | BoxKind::Qpi | BoxKind::R3qpi => 2,
        // It does not tell the two sets of the IRP apart: the first event it opens is on
        // the first set.
        BoxKind::Irp | BoxKind::Pcu | BoxKind::R2pcie | BoxKind::Ubox => 1,
    }
}

#[test]
fn it_finds_the_boxes() {
    on(&Config::of(Driver::IntelUncore), |session| {
        session.tolerate_violations();
        let listed = session.ok(&format!("ls {DEVICES}"));
        for kind in BoxKind::all() {
            for instance in 0..boxes(kind) {
                let pmu = kind.plain_pmu(instance);
                let found = listed.lines().any(|line| line == pmu);
                assert!(found, "no {pmu} in\n{listed}");
            }
        }
    });
}

/// Returns true if the driver may put the event on a counter that cannot count it, see
/// the table in Documentation/hardware/uncertain.rst, U-54 and U-55.
fn is_misplaced(row: &Row) -> bool {
    match row.kind {
        BoxKind::Cbox => [0x03, 0x06, 0x14, 0x3c].contains(&row.code),
        BoxKind::R2pcie => [0x13, 0x23, 0x25, 0x28].contains(&row.code),
        _ => false,
    }
}

/// Returns true if the driver cannot select the event or does not set its filter.
pub(crate) fn is_beyond_it(row: &Row) -> bool {
    let demotion = row.kind == BoxKind::Pcu && row.event.starts_with("DEMOTIONS");
    let extended = row.kind == BoxKind::Pcu && row.ext == Some(true);
    let home_match = row.kind == BoxKind::Ha && row.code == 0x20;
    demotion || extended || home_match || row.needs.occupancy
}

fn rows() -> impl Iterator<Item = &'static Row> {
    let rows = Catalogue::get().rows().iter();
    rows.filter(|row| row.name().is_some() && !is_misplaced(row) && !is_beyond_it(row))
}

/// Returns the mismatches of these probes in that driver, on its boxes.
fn mismatches(session: &mut Session, uclk: u64, run: &[Probe]) -> Vec<String> {
    let wanted: Vec<Wanted> = run.iter().map(Wanted::in_kernel).collect();
    session.mismatches(uclk, &PACKAGES, &wanted)
}

#[test]
fn it_counts_what_it_is_right_about() {
    on(&Config::of(Driver::IntelUncore), |session| {
        session.tolerate_violations();
        let filter = |seed: usize| Filter {
            opc: OPCODES[OPCODES.len() - 1 - seed % 8],
            nid: 0x8000 >> (seed % 5),
            bands: [0x10, 20, 24, 28],
            ..Filter::default()
        };
        let on_boxes = |(seed, row): (usize, &'static Row)| {
            (0..boxes(row.kind)).filter_map(move |i| Probe::of_row(row, i, &filter(seed / 4)))
        };
        let events = rows().enumerate().flat_map(on_boxes);
        let fixed = (0..8).map(|channel| Probe::imc(channel, "clockticks"));
        let all = events.chain(fixed).chain([Probe::ubox("clockticks")]);
        let runs = pack(all.map(|probe| vec![probe]));
        let wrong = runs
            .iter()
            .flat_map(|run| mismatches(session, LONG_BURST, run));
        assert_none(&wrong.collect::<Vec<_>>());
    });
}

/// Returns thresholds, edges and the filters that the driver has.
fn settings() -> Vec<Probe> {
    let cbox = |name| Probe::cbox(0, name);
    let cto = || Probe::qpi(0, "cto_count");
    vec![
        cbox("llc_lookup.any").state(0x3f),
        cbox("llc_lookup.nid").state(0x21).nid(0xf000),
        cbox("tor_inserts.opcode").opc(0x182),
        cbox("tor_inserts.miss_opcode").opc(0x19e),
        cbox("tor_inserts.nid_opcode").opc(0x1e6).nid(0x8000),
        cbox("tor_inserts.opcode").opc(0x1e6).nc(),
        cbox("tor_inserts.opcode").opc(0x182).isoc(),
        cbox("tor_inserts.miss_opcode").opc(0x19e).nc().isoc(),
        cbox("tor_occupancy.all").thresh(10),
        cbox("tor_occupancy.all").thresh(1).edge(),
        cbox("rxr_inserts.irq").tid(31),
        Probe::ha(0, "imc_reads.normal").thresh(2),
        Probe::ha(0, "txr_bl_occupancy.sched0").thresh(10).edge(),
        Probe::imc(0, "power_cke_cycles.rank0").thresh(8),
        Probe::pcu("freq_band2_cycles").band(2, 30),
        Probe::pcu("power_state_occupancy.cores_c0").thresh(5),
        cto(),
        cto().packet(PacketField::Mc, 0xe, 0xf),
        cto().packet(PacketField::Dnid, 31, 0x1f).thresh(2),
        Probe::qpi(0, "message.drs.datac_e"),
        Probe::r3qpi(0, "rxr_occupancy.hom").thresh(16),
    ]
}

#[test]
fn it_filters_what_it_is_right_about() {
    on(&Config::of(Driver::IntelUncore), |session| {
        session.tolerate_violations();
        let places = |probe: Probe| (0..boxes(probe.kind)).map(|i| probe.on(i)).collect();
        let runs = pack(settings().into_iter().map(places));
        let wrong = runs.iter().flat_map(|run| mismatches(session, BURST, run));
        assert_none(&wrong.collect::<Vec<_>>());
    });
}

/// Events that it may misplace are counted right if each is alone on its box: the driver
/// takes the first counter, which can count all of these.
#[test]
fn it_counts_alone_what_it_may_misplace() {
    on(&Config::of(Driver::IntelUncore), |session| {
        session.tolerate_violations();
        let rows = Catalogue::get().rows().iter();
        let rows = rows.filter(|row| row.name().is_some() && is_misplaced(row));
        let mut wrong = Vec::new();
        let mut codes = BTreeSet::new();
        for row in rows {
            codes.insert((row.kind, row.code));
            let on_box = |i| Probe::of_row(row, i, &Filter::default());
            let run: Vec<Probe> = (0..boxes(row.kind)).filter_map(on_box).collect();
            wrong.extend(mismatches(session, LONG_BURST, &run));
        }
        assert_eq!(codes.len(), 8, "{codes:?}");
        assert_none(&wrong);
    });
}

/// COUNTER0_OCCUPANCY, beside the event that it shows.
#[test]
fn it_looks_at_the_occupancy_of_counter_0() {
    on(&Config::of(Driver::IntelUncore), |session| {
        session.tolerate_violations();
        let mut wrong = Vec::new();
        for thresh in [0, 1, 10] {
            let group = |i| {
                let leader = Probe::cbox(i, "tor_occupancy.all");
                let view = Probe::cbox(i, "counter0_occupancy").thresh(thresh);
                let shows = leader.beside(thresh, false).shows;
                vec![
                    Wanted::in_kernel(&leader),
                    Wanted::in_kernel_showing(&view, shows),
                ]
            };
            let groups: Vec<Vec<Wanted>> = (0..boxes(BoxKind::Cbox)).map(group).collect();
            wrong.extend(session.mismatches_of_groups(LONG_BURST, &PACKAGES, &groups));
        }
        assert_none(&wrong);
    });
}
