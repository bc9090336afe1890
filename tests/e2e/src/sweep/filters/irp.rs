// SPDX-License-Identifier: GPL-2.0

//! The two sets of the IRP: no filter, but a field of the request that selects
//! whose traffic is counted.

use crate::catalogue::{BoxKind, Catalogue};
use crate::fixture::probe::Probe;

/// Set 0 by name; without a set it is meant too, see `sweep/events.rs`.
pub(super) fn settings() -> Vec<Probe> {
    let names = [
        "transactions.reads_orderingq",
        "cache_own_occupancy.source",
        "cache_total_occupancy.source",
        "clockticks",
    ];
    let names = names.into_iter();
    names
        .filter(|name| Catalogue::get().has(BoxKind::Irp, name))
        .flat_map(|name| {
            let first = Probe::irp(0, name);
            let said = first.asked_as(&format!("{name},set=0"));
            [said, Probe::irp(1, name)]
        })
        .collect()
}
