// SPDX-License-Identifier: GPL-2.0

//! Ivy Bridge-EP: what the survey knows of it.

use super::xeon;
use super::{row, Description, Surveyed, GLOBAL};

pub(super) const DESCRIPTION: Description = Description {
    processors: &[(62, "ivbep")],
    own: 'U',
    surveyed: SURVEYED,
    ..xeon::DESCRIPTION
};

#[rustfmt::skip] // In columns.
const SURVEYED: &[Surveyed] = &[
    // Unit     register         place          bits

    // U-1: an overflow enable that Table 2-14 does not have.
    row("cbox",   "ctl",           None,       1 << 20),
    // U-2: the status that Table 1-2 lists for C-Box 2 only.
    row("cbox",   "box_status",    Some(0x15), 0xf),
    // U-4: "link" and "c6".
    row("cbox",   "filter0",       None,       0x1e0),
    row("cbox",   "filter1",       None,       1 << 29),
    // U-12: a status bit of the fixed counter.
    row("ubox",   "box_status",    None,       1 << 2),
    // U-20: the half that an MSR of 32 bits lacks.
    row("ubox",   "ctl",           None,       1 << 32),
    // U-33: the counters have 44 or 48 bits.
    row("irp",    "ctr",           None,       0xf << 44),
    // U-65: bits of a register whose table is not complete.
    row("pcu",    "ctl",           None,       1 << 19 | 1 << 16),
    // frz_all of U_MSR_PMON_GLOBAL_CTL (Table 2-2), and num_c for U-13.
    row(GLOBAL,   "ctl",           None,       1 << 31),
    row(GLOBAL,   "config",        Some(0xc06), 0),
];
