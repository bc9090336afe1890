// SPDX-License-Identifier: GPL-2.0

//! Registers and bits of the survey besides those that the driver uses, for points of
//! Documentation/hardware/uncertain.rst.
//!
//! All of it belongs to the counters: at worst a counter counts something else until the survey
//! ends.

use crate::uncore::table::prelude::*;

#[rustfmt::skip] // In columns.
pub(super) const SURVEYED: &[Surveyed] = &[
    // Unit     register         place          bits

    // U-1: an overflow enable that Table 2-14 does not have.
    surveyed("cbox",   "ctl",           None,       1 << 20),
    // U-2: the status that Table 1-2 lists for C-Box 2 only.
    surveyed("cbox",   "box_status",    Some(0x15), 0xf),
    // U-4: "link" and "c6".
    surveyed("cbox",   "filter0",       None,       0x1e0),
    surveyed("cbox",   "filter1",       None,       1 << 29),
    // U-12: a status bit of the fixed counter.
    surveyed("ubox",   "box_status",    None,       1 << 2),
    // U-20: the half that an MSR of 32 bits lacks.
    surveyed("ubox",   "ctl",           None,       1 << 32),
    // U-33: the counters have 44 or 48 bits.
    surveyed("irp",    "ctr",           None,       0xf << 44),
    // U-65: bits of a register whose table is not complete.
    surveyed("pcu",    "ctl",           None,       1 << 19 | 1 << 16),
    // frz_all of U_MSR_PMON_GLOBAL_CTL (Table 2-2), and num_c for U-13.
    surveyed(GLOBAL,   "ctl",           None,       1 << 31),
    surveyed(GLOBAL,   "config",        Some(0xc06), 0),
];
