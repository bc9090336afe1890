// SPDX-License-Identifier: GPL-2.0

//! Registers and bits of the survey besides those that the driver uses, for points of
//! Documentation/hardware/snb.rst.
//!
//! All of it belongs to the counters: at worst a counter counts something else until the survey
//! ends.

use crate::uncore::table::prelude::*;

#[rustfmt::skip] // In columns.
pub(super) const SURVEYED: &[Surveyed] = &[
    // Unit     register         place          bits

    // S-2: the number of C-Boxes, and the event select of a fifth.
    surveyed(GLOBAL,   "config",        Some(0x396), 0),
    surveyed(GLOBAL,   "cbox_4",        Some(0x740), 0),
    // S-4: a counter and a status that one list has.
    surveyed("cbox",   "ctl2",          Some(0x2),  0xff),
    surveyed("cbox",   "ctr2",          Some(0x8),  0),
    surveyed("cbox",   "unit_status",   Some(0x5),  0),
    // S-8: the counters have 44 or 48 bits.
    surveyed("arb",    "ctr",           None,       0xf << 44),
];
