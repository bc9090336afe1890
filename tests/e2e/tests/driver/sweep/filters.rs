// SPDX-License-Identifier: GPL-2.0

//! Every filter field of every box selects exactly its share.
//!
//! The boxes of a package are given different values at the same time: a filter belongs
//! to its box.

use crate::driver::{places, LONG_BURST};
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::fixture::probe::Probe;
use uncore_e2e::fixture::{Session, Wanted};
use uncore_e2e::platform::Platform;

/// Counts all settings and returns their number.
pub(super) fn sweep(session: &mut Session, settings: &[Probe], wrong: &mut Vec<String>) -> usize {
    for run in pack(settings.iter().map(places)) {
        let wanted = Wanted::all(run);
        wrong.extend(session.mismatches(LONG_BURST, Platform::packages(), &wanted));
    }
    settings.len()
}
