// SPDX-License-Identifier: GPL-2.0

//! Groups of Sandy Bridge client.

use super::{cbox, of_kind};
use uncore_e2e::prelude::*;

fn arb(names: &[&str]) -> Vec<Probe> {
    of_kind(BoxKind::Arb, names)
}

/// Groups that need every counter of the box, with only one or few legal placements.
pub(super) fn full() -> Vec<Vec<Probe>> {
    vec![
        arb(&["trk_occupancy.all", "trk_requests.all"]),
        arb(&[
            "coh_trk_occupancy.all",
            "coh_trk_requests.all",
            "clockticks",
        ]),
        arb(&["trk_occupancy.cycles_over_half_full", "trk_requests.writes"]),
        cbox(&["cache_lookup.any_mesi", "xsnp_response.hit_external"]),
    ]
}

/// Groups that take every counter.
pub(super) fn at_the_limit() -> Vec<Vec<Probe>> {
    let second = Probe::cbox(1, "cache_lookup.write_m");
    vec![
        cbox(&["cache_lookup.read_i"; 2]),
        vec![second; 2],
        arb(&["trk_requests.evictions", "trk_requests.all", "clockticks"]),
    ]
}

/// Returns groups with one event more than fits.
pub(super) fn over_full() -> Vec<Vec<Probe>> {
    vec![
        cbox(&["cache_lookup.any_m"; 3]),
        arb(&["trk_requests.all"; 3]),
        arb(&["clockticks"; 2]),
        arb(&["trk_occupancy.all", "coh_trk_occupancy.all"]),
        arb(&["trk_occupancy.all", "trk_occupancy.cycles_with_any_request"]),
        arb(&[
            "coh_trk_requests.all",
            "trk_requests.all",
            "trk_occupancy.all",
        ]),
    ]
}
