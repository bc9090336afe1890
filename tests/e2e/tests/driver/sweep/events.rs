// SPDX-License-Identifier: GPL-2.0

//! Every named event of every box counts exactly its own traffic.
//!
//! The burst is so long that no two signals of the machine give the same
//! count: an event that counts a neighbour's traffic cannot pass. As many
//! events as fit are counted at a time, on all types of boxes at once; none
//! may be multiplexed.

use crate::driver::residency;
use crate::driver::{usual_machine, LONG_BURST, PACKAGES};
use ivbep_e2e::catalogue::{BoxKind, Catalogue, Row};
use ivbep_e2e::expect::{Filter, LINES, OPCODES};
use ivbep_e2e::fixture::pack::pack;
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{Session, Shape, Wanted};
use std::collections::BTreeSet;

/// Opcodes of home agent traffic that are frequent enough to show.
const HOME_OPCODES: [u8; 4] = [0x3f, 0x3a, 0x2c, 0x1e];

/// Filters for the rows that need one, others for each seed.
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

/// Every row on every box, but COUNTER0_OCCUPANCY, which needs a group.
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

/// Counts all; how many there were, by name.
pub(super) fn sweep(session: &mut Session, wrong: &mut Vec<String>) -> usize {
    let shape = Shape::of(&usual_machine());
    let probes = [rows(&shape), fixed(&shape)].concat();
    let mut names = BTreeSet::new();
    for run in pack(probes.into_iter().map(|probe| vec![probe])) {
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
        vec![leader.into(), view.into()]
    });
    let groups: Vec<Vec<Wanted>> = groups.collect();
    wrong.extend(session.mismatches_of_groups(LONG_BURST, &PACKAGES, &groups));
    count += 1;

    let (residencies, mismatches) = residency::mismatches(session, LONG_BURST);
    wrong.extend(mismatches);
    count + residencies
}
