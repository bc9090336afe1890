// SPDX-License-Identifier: GPL-2.0

//! Ring events that the stops of home agent and R2PCIe have in common.
//!
//! C-Box and R3QPI have lists of their own: the umasks of the first differ, the second has fewer.
//!
//! Abbreviations: CW, CCW clockwise and counterclockwise; VR virtual ring.

use crate::uncore::table::prelude::*;

/// Sub-events of `RING_AD_USED`, `RING_AK_USED` and `RING_BL_USED`, Tables 2-57 to 2-59 and 2-177
/// to 2-179.
#[rustfmt::skip] // In columns, to be read against the tables.
pub(crate) const RING_USED: &[SubEvent] = &[
    sub("cw_vr0_even",                0x01),
    sub("cw_vr0_odd",                 0x02),
    sub("ccw_vr0_even",               0x04),
    sub("ccw_vr0_odd",                0x08),
    sub("cw_vr1_even",                0x10),
    sub("cw_vr1_odd",                 0x20),
    sub("cw",                         0x33),
    sub("ccw_vr1_even",               0x40),
    sub("ccw_vr1_odd",                0x80),
    sub("ccw",                        0xcc),
];

#[rustfmt::skip] // In columns.
/// Sub-events of three rings.
pub(crate) const RINGS: &[SubEvent] = &[
    sub("ad",                         0x01),
    sub("ak",                         0x02),
    sub("bl",                         0x04),
];
