// SPDX-License-Identifier: GPL-2.0

//! Every named event counts exactly its own traffic: on every box with `UNCORE_REPEAT=all`,
//! else on one.
//!
//! The burst is so long that no two signals of the machine give the same
//! count: an event that counts a neighbour's traffic cannot pass. As many
//! events as fit are counted at a time, on all types of boxes at once; none
//! may be multiplexed.

use crate::driver::residency;
use crate::driver::{places, usual_machine, LONG_BURST, PACKAGES};
use std::collections::BTreeSet;
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::prelude::*;

/// Opcodes of home agent traffic that are frequent enough to show.
const HOME_OPCODES: [u8; 4] = [0x3f, 0x3a, 0x2c, 0x1e];

/// Filters for the rows that need one, different for each seed.
fn filter(seed: usize) -> Filter {
    Filter {
        opc: OPCODES[OPCODES.len() - 1 - seed % 8],
        nid: 0x8000 >> (seed % 5),
        address: LINES[seed % 8],
        home_opcode: HOME_OPCODES[seed % 4],
        // A frequency and a reason for a demotion.
        bands: [0x10, 20, 24, 28],
        ..Filter::default()
    }
}

/// Returns every row on every box, but COUNTER0_OCCUPANCY, which needs a group.
fn rows(shape: &Shape) -> Vec<Probe> {
    let rows = Catalogue::get().rows().iter();
    let rows = rows.filter(|row: &&Row| !row.needs.occupancy).enumerate();
    let on_boxes = |(seed, row): (usize, &'static Row)| {
        (0..shape.most(row.kind))
            .filter_map(move |instance| Probe::of_row(row, instance, &filter(seed / 4)))
    };
    rows.flat_map(on_boxes).collect()
}

fn fixed(shape: &Shape) -> Vec<Probe> {
    let kinds = BoxKind::ALL.into_iter().filter(|kind| kind.has_fixed());
    let on_boxes =
        |kind| (0..shape.most(kind)).map(move |instance| Probe::new(kind, instance, "clockticks"));
    kinds.flat_map(on_boxes).collect()
}

/// Counts all events and returns their number, by name.
pub(super) fn sweep(session: &mut Session, wrong: &mut Vec<String>) -> usize {
    let shape = Shape::of(&usual_machine());
    // Each event on each box, or each on one box and each box with some.
    let whole = repeats_all();
    let is_taken = |probe: &Probe| whole || probe.instance == 0 || probe.kind == BoxKind::Irp;
    let rows = rows(&shape).into_iter().filter(is_taken);
    let rows = rows.map(|probe| if whole { vec![probe] } else { places(&probe) });
    let fixed = fixed(&shape).into_iter().map(|probe| vec![probe]);
    let mut names = BTreeSet::new();
    for run in pack(rows.chain(fixed)) {
        names.extend(
            run.iter()
                .map(|probe| (probe.kind, probe.name().to_owned())),
        );
        let wanted = Wanted::all(run);
        wrong.extend(session.mismatches(LONG_BURST, &PACKAGES, &wanted));
    }
    let mut count = names.len();

    let leaders = (0..shape.most(BoxKind::Cbox)).map(|i| Probe::cbox(i, "tor_occupancy.all"));
    let groups = leaders.map(|leader| {
        let view = leader.beside(0, false);
        vec![leader.into(), view]
    });
    let groups: Vec<Vec<Wanted>> = groups.collect();
    wrong.extend(session.mismatches_of_groups(LONG_BURST, &PACKAGES, &groups));
    count += 1;

    let (residencies, mismatches) = residency::mismatches(session, LONG_BURST);
    wrong.extend(mismatches);
    count + residencies
}
