// SPDX-License-Identifier: GPL-2.0

//! Every filter field of every box selects exactly its share.
//!
//! The boxes of a package are given different values at the same time: a filter belongs
//! to its box. traffic.rst gives the values of each field, and those that occur in the
//! machine's traffic.

mod cbox;
mod ha;
mod irp;
mod pcu;
mod qpi;

use crate::driver::{places, LONG_BURST, PACKAGES};
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::fixture::{Session, Wanted};

/// Counts all settings and returns their number.
pub(super) fn sweep(session: &mut Session, wrong: &mut Vec<String>) -> usize {
    let settings = [
        cbox::settings(),
        ha::settings(),
        irp::settings(),
        pcu::settings(),
        qpi::settings(),
    ]
    .concat();
    for run in pack(settings.iter().map(places)) {
        let wanted = Wanted::all(run);
        wrong.extend(session.mismatches(LONG_BURST, &PACKAGES, &wanted));
    }
    settings.len()
}
