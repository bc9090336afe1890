// SPDX-License-Identifier: GPL-2.0

//! Every filter field of every box selects exactly its share.
//!
//! The boxes of a package are given different values at the same time: a
//! filter belongs to its box. What a field's values are, and which of them
//! occur in the machine's traffic, is in traffic.rst.

mod cbox;
mod ha;
mod irp;
mod pcu;
mod qpi;

use crate::driver::{places, LONG_BURST, PACKAGES};
use ivbep_e2e::fixture::pack::pack;
use ivbep_e2e::fixture::{Session, Wanted};

/// Counts all; how many settings there were.
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
