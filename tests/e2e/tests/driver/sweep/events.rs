// SPDX-License-Identifier: GPL-2.0

//! Every named event counts exactly its own traffic: on every box with `UNCORE_REPEAT=all`,
//! else on one.
//!
//! The burst is so long that no two signals of the machine give the same
//! count: an event that counts a neighbour's traffic cannot pass. As many
//! events as fit are counted at a time, on all types of boxes at once; none
//! may be multiplexed.

use crate::driver::{links, memory, residency};
use crate::driver::{places, usual_machine, LONG_BURST};
use std::collections::BTreeSet;
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::events::{fixed, rows};

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
        wrong.extend(session.mismatches(LONG_BURST, Platform::packages(), &wanted));
    }
    let mut count = names.len();

    if Catalogue::get().has(BoxKind::Cbox, "counter0_occupancy") {
        let leaders = (0..shape.most(BoxKind::Cbox)).map(|i| Probe::cbox(i, "tor_occupancy.all"));
        let groups = leaders.map(|leader| {
            let view = leader.beside(0, false);
            vec![leader.into(), view]
        });
        let groups: Vec<Vec<Wanted>> = groups.collect();
        wrong.extend(session.mismatches_of_groups(LONG_BURST, Platform::packages(), &groups));
        count += 1;
    }

    let (residencies, mismatches) = residency::mismatches(session, LONG_BURST);
    wrong.extend(mismatches);
    let (links, mismatches) = links::mismatches(session, &shape, LONG_BURST);
    wrong.extend(mismatches);
    let (in_memory, mismatches) = memory::mismatches(session, LONG_BURST);
    wrong.extend(mismatches);
    count + residencies + links + in_memory
}
