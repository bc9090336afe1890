// SPDX-License-Identifier: GPL-2.0

//! The two sets of the IRP: no filter, but a field of the request that selects
//! whose traffic is counted.

use crate::fixture::probe::Probe;
use crate::platform::Platform;

/// Set 0 by name; without a set it is meant too, see `sweep/events.rs`.
pub(super) fn settings() -> Vec<Probe> {
    let of_queue = match Platform::current() {
        Platform::Ivbep => ["transactions.orderingq", "cache_own_occupancy.source"],
        Platform::Bdx => [
            "transactions.reads_orderingq",
            "cache_total_occupancy.source",
        ],
    };
    let names = of_queue.into_iter().chain(["clockticks"]);
    names
        .flat_map(|name| {
            let first = Probe::irp(0, name);
            let said = first.asked_as(&format!("{name},set=0"));
            [said, Probe::irp(1, name)]
        })
        .collect()
}
