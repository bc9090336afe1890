// SPDX-License-Identifier: GPL-2.0

//! The fixed counter and sub-events that the iMCs of several Xeon platforms have in common.
//!
//! The event of a platform names the table of its manual.

use crate::uncore::table::prelude::*;

/// `MC_CHy_PCI_PMON_FIXED_CTL` (RW, Table 2-75; Broadwell: 2-116) and `MC_CHy_PCI_PMON_FIXED_CTR`
/// (RW, Table 2-76).
pub(crate) const DCLK: Fixed = Fixed {
    control: Some(FixedControl {
        offset: 0xf0,
        writable: 0x0058_0000,
        enable: 1 << 22,
        overflow_enable: Some(1 << 20),
        acts: 1 << 19,
    }),
    counter: 0xd0,
    width: 48,
    max_width: 48,
    select: 0xff,
    name: "clockticks",
    unit: None,
};

#[rustfmt::skip] // In columns.
pub(crate) const RANKS: &[SubEvent] = &[
    sub("rank0",       0x01),
    sub("rank1",       0x02),
    sub("rank2",       0x04),
    sub("rank3",       0x08),
    sub("rank4",       0x10),
    sub("rank5",       0x20),
    sub("rank6",       0x40),
    sub("rank7",       0x80),
];

#[rustfmt::skip] // In columns.
pub(crate) const PRE_COUNT: &[SubEvent] = &[
    sub("page_miss",   0x01),
    sub("page_close",  0x02),
    sub("rd",          0x04),
    sub("wr",          0x08),
    sub("byp",         0x10),
];

#[rustfmt::skip] // In columns.
pub(crate) const MAJOR_MODES: &[SubEvent] = &[
    sub("read",        0x01),
    sub("write",       0x02),
    sub("partial",     0x04),
    sub("isoch",       0x08),
];

#[rustfmt::skip] // In columns.
pub(crate) const RD_CAS_PRIO: &[SubEvent] = &[
    sub("low",         0x01),
    sub("med",         0x02),
    sub("high",        0x04),
    sub("panic",       0x08),
];
