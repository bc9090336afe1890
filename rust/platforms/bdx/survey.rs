// SPDX-License-Identifier: GPL-2.0

//! Registers and bits of the survey besides those that the driver uses, for points of
//! Documentation/hardware/bdx.rst (B-n) and uncertain.rst (U-n).
//!
//! All of it belongs to the counters: at worst a counter counts something else until the survey
//! ends.

use crate::uncore::table::prelude::*;

#[rustfmt::skip] // In columns.
pub(super) const SURVEYED: &[Surveyed] = &[
    // Unit     register         place          bits

    // U-1: an overflow enable that the tables do not have.
    surveyed("cbox",   "ctl",           None,       1 << 20),
    // U-4: "link" and "c6".
    surveyed("cbox",   "filter0",       None,       0x3c0),
    surveyed("cbox",   "filter1",       None,       1 << 29),
    // U-12: a status bit of the fixed counter.
    surveyed("ubox",   "box_status",    None,       1 << 2),
    // U-20: the half that an MSR of 32 bits lacks.
    surveyed("ubox",   "ctl",           None,       1 << 32),
    // U-23, B-6: TX_MATCH0 has a node that no packet is for, so that no sent packet agrees.
    surveyed("qpi",    "filter4",       None,       0x1f << 13),
    // B-2: the counters that only one of the sources has there.
    surveyed("irp",    "at_a8",         Some(0xa8), 0xffff),
    surveyed("irp",    "at_c0",         Some(0xc0), 0xffff),
    // B-4: bits of the core select above those of the manual. No counter interrupts.
    surveyed(GLOBAL,   "ctl",           None,       0x3f << 18),
    // B-9: rst of a counter.
    surveyed("qpi",    "ctl",           None,       1 << 17),
    // B-23: the counters have 44 or 48 bits.
    surveyed("irp",    "ctr",           None,       0xf << 44),
    surveyed("r3qpi",  "ctr",           None,       0xf << 44),
    // frz_all of U_MSR_PMON_GLOBAL_CTL, section 4.1, and num_c for U-13.
    surveyed(GLOBAL,   "ctl",           None,       1 << 31),
    surveyed(GLOBAL,   "config",        Some(0x702), 0),
];
