// SPDX-License-Identifier: GPL-2.0

//! Fidelity of the machine, and features that both drivers have in common. The kernel's
//! own driver, which was written without knowledge of this project, loads on the machine
//! and counts the same traffic, to the last event, wherever it is right.
//!
//! The tests of `driver` compare our driver with the same numbers. The test `differences`
//! shows the errors of the kernel's own; a register that it misuses does not make a test
//! fail here.

use uncore_e2e::fixture::pack::pack;
use uncore_e2e::platform::Known;
use uncore_e2e::prelude::*;

const BURST: u64 = 1_000_000;

/// A burst in which a signal is on exactly K times, so that all differ.
const LONG_BURST: u64 = 1 << 26;

/// Returns the facts about that driver on the current platform.
fn known() -> &'static Known {
    &Platform::asked().known
}

/// Returns the machine with that driver.
fn machine() -> Config {
    Config::of(Driver::IntelUncore).with_all(known().machine)
}

/// Number of boxes that this driver finds in a package: one C-Box for each core.
fn boxes(kind: BoxKind) -> u8 {
    match kind {
        BoxKind::Cbox => 2,
        // It does not tell the two sets of the IRP apart: the first event it opens is on
        // the first set.
        BoxKind::Irp => 1,
        _ => Shape::of(&machine()).most(kind),
    }
}

/// Returns true if the driver may put the event on a counter that cannot count it.
fn is_misplaced(row: &Row) -> bool {
    let mut misplaced = known().misplaced.iter();
    misplaced.any(|(kind, codes)| *kind == row.kind && codes.contains(&row.code))
}

/// Returns true if the driver cannot select the event or does not set its filter.
fn is_beyond_it(row: &Row) -> bool {
    row.needs.occupancy || (known().is_beyond)(row)
}

fn rows() -> impl Iterator<Item = &'static Row> {
    let rows = Catalogue::get().rows().iter();
    rows.filter(|row| row.name().is_some() && !is_misplaced(row) && !is_beyond_it(row))
}

/// Returns the mismatches of these probes in that driver, on its boxes.
fn mismatches(session: &mut Session, uclk: u64, run: &[Probe]) -> Vec<String> {
    // Those with the least choice come first, so that no event moves to another counter.
    let mut run: Vec<&Probe> = run.iter().collect();
    run.sort_by_key(|probe| probe.listed_counters().map_or(0, u8::count_ones));
    let wanted: Vec<Wanted> = run.into_iter().map(Wanted::in_kernel).collect();
    if known().first_is_wrong {
        session.mismatches(1, Platform::packages(), &wanted);
    }
    session.mismatches(uclk, Platform::packages(), &wanted)
}

#[test]
fn it_counts_what_it_is_right_about() {
    platforms!(; each);
    on(&machine(), |session| {
        session.tolerate_violations(); // those of the kernel's own driver
        let filter = |seed: usize| Filter {
            opc: OPCODES[OPCODES.len() - 1 - seed % 8],
            nid: node(seed),
            bands: [0x10, 20, 24, 28],
            ..Filter::default()
        };
        let on_boxes = |(seed, row): (usize, &'static Row)| {
            (0..boxes(row.kind)).filter_map(move |i| Probe::of_row(row, i, &filter(seed / 4)))
        };
        let events = rows().enumerate().flat_map(on_boxes);
        let fixed = BoxKind::all().filter(|kind| kind.has_fixed() && known().has_fixed(*kind));
        let fixed =
            fixed.flat_map(|kind| (0..boxes(kind)).map(move |i| Probe::new(kind, i, "clockticks")));
        let all = events.chain(fixed);
        let runs = pack(all.map(|probe| vec![probe]));
        let wrong = runs
            .iter()
            .flat_map(|run| mismatches(session, LONG_BURST, run));
        assert_none(&wrong.collect::<Vec<_>>());
    });
}

#[test]
fn it_filters_what_it_is_right_about() {
    platforms!(; each);
    on(&machine(), |session| {
        session.tolerate_violations(); // those of the kernel's own driver
        let places = |probe: Probe| (0..boxes(probe.kind)).map(|i| probe.on(i)).collect();
        // It compares whole words of a B-Box, where ours compares the fields that an event looks at.
        let settings = (known().settings)().into_iter();
        let (of_bbox, others): (Vec<_>, Vec<_>) =
            settings.partition(|probe| probe.kind == BoxKind::Bbox);
        let mut runs = pack(others.into_iter().map(places));
        runs.extend(of_bbox.into_iter().map(places));
        let wrong = runs.iter().flat_map(|run| mismatches(session, BURST, run));
        assert_none(&wrong.collect::<Vec<_>>());
    });
}
