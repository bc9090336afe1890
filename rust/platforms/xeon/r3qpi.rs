// SPDX-License-Identifier: GPL-2.0

//! Counters and sub-events that the R3QPIs of several Xeon platforms have in common.
//!
//! The event of a platform names the table of its manual.

use super::registers::FOUR_COUNTERS;
use crate::uncore::table::prelude::*;

/// `R3_Ly_PCI_PMON_CTL0` to `2` (RW) and the low halves of `R3_Ly_PCI_PMON_CTR0` to `2` (RW, Table
/// 2-193; Broadwell: 2-235).
pub(crate) const COUNTERS: &[Counter] = FOUR_COUNTERS.split_at(3).0;

#[rustfmt::skip] // In columns.
pub(crate) const CLASSES: &[SubEvent] = &[
    sub("hom",      0x01),
    sub("snp",      0x02),
    sub("ndr",      0x04),
    sub("drs",      0x08),
    sub("ncb",      0x10),
    sub("ncs",      0x20),
];

#[rustfmt::skip] // In columns.
pub(crate) const CREDITS: &[SubEvent] = &[
    sub("vna",      0x01),
    sub("vn0_hom",  0x02),
    sub("vn0_snp",  0x04),
    sub("vn0_ndr",  0x08),
    sub("vn1_hom",  0x10),
    sub("vn1_snp",  0x20),
    sub("vn1_ndr",  0x40),
];

#[rustfmt::skip] // In columns.
pub(crate) const C_LO_AD_CREDITS_EMPTY: &[SubEvent] = &[
    sub("cbo0",     0x01),
    sub("cbo1",     0x02),
    sub("cbo2",     0x04),
    sub("cbo3",     0x08),
    sub("cbo4",     0x10),
    sub("cbo5",     0x20),
    sub("cbo6",     0x40),
    sub("cbo7",     0x80),
];

#[rustfmt::skip] // In columns.
pub(crate) const HA_R2_BL_CREDITS_EMPTY: &[SubEvent] = &[
    sub("ha0",      0x01),
    sub("ha1",      0x02),
    sub("r2_ncb",   0x04),
    sub("r2_ncs",   0x08),
];
