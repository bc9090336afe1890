// SPDX-License-Identifier: GPL-2.0

//! R2PCIe is the ring stop of the I/O unit: it puts what comes from PCIe on the ring and takes
//! off it what goes there.
//!
//! Four general counters of 44 bits, of which only counter 0 takes occupancies; PCI configuration
//! space; one per package. Documentation/hardware/ivbep.rst section 7.8 (manual 2.9).
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; CW, CCW
//! clockwise and counterclockwise; DRS, NCB, NCS message classes (data response, non-coherent
//! bypass and standard); IIO integrated I/O; NACK a refused message; VR virtual ring; `RxR`, `TxR`
//! what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * The box control has no bits that must be 1; those of other boxes are ignored.
//! * The invalidate ring has one direction: both are set for a polarity.
//!
//! Uncertain:
//!
//! * Only counters 2 and 3 count ring utilisation as a note says, or all four as the list has it
//!   (U-32).
//! * Which of its events `RxR_AK_BOUNCES` without sub-event counts; and what else the manual leaves
//!   out (U-41).
//! * The most a counter can add in a clock is not stated for the events of the lists.
//! * Umask 0 for events without sub-events (U-14).

use super::*;

// Registers: configuration space offsets.

/// Device 19, function 1.
const FUNCTIONS: &[PciFunction] = &[pci(0, 19, 1, 0x0e34)];

/// `R2_PCI_PMON_BOX_CTL` (WO, Table 2-173): 8 freezes, 1 clears the counters, 0 the controls.
///
/// SPEC: U-8, bits 17:16 are ignored. Should they do here what they do in other boxes, the box
/// would be deaf to a global freeze without them.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `R2_PCI_PMON_BOX_STATUS` (RW1C, Table 2-174): bit k is counter k.
const STATUS: BoxStatus = box_status(0b1111);

/// Bit of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_rp`.
const GLOBAL_STATUS: &[u64] = &[1 << 26];

/// `R2_PCI_PMON_CTL0` to `3` (RW) and the low halves of `R2_PCI_PMON_CTR0` to `3` (RW, Table
/// 2-176).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `R2_PCI_PMON_CTL`, Table 2-175.
const CONTROL: Control = control(0xff56_ffff);

// Config fields.

/// Registers of Table 2-175.
const FIELDS: &[Field] = COMMON_FIELDS;

// Filters: none.

// Events.

/// Counter 0, the one that takes occupancies.
pub(crate) const C0: u8 = 0b0001;
/// Counters 0 and 1.
const C01: u8 = 0b0011;
/// SPEC: U-32, counters 2 and 3 for ring utilisation: right whichever the manual means.
const C23: u8 = 0b1100;
/// Every counter.
const ANY: u8 = 0b1111;

/// SPEC: U-66, not stated for events of the lists. No counter can add more.
pub(crate) const NOT_STATED: u16 = 31;

#[rustfmt::skip] // In columns, to be read against Tables 2-182 and 2-183.
const CLASSES: &[SubEvent] = &[
    sub("ncb",                  0x10),
    sub("ncs",                  0x20),
];

#[rustfmt::skip] // In columns.
const CREDITS: &[SubEvent] = &[
    sub("drs",                  0x08),
    sub("ncb",                  0x10),
    sub("ncs",                  0x20),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                         select  counters  max

    // SPEC: U-41, what has LISTS for a source is in the lists only.

    event("clockticks",             0x01,   ANY,      1).source("2.9.7"),
    event("ring_ad_used",           0x07,   C23,      1).combined("Table 2-177", RING_USED),
    event("ring_ak_used",           0x08,   C23,      1).combined("Table 2-178", RING_USED),
    event("ring_bl_used",           0x09,   C23,      1).combined("Table 2-179", RING_USED),

    event("ring_iv_used",           0x0a,   C23,      1).combined("Table 2-180", const { &[
        sub("cw",                   0x33),
        sub("ccw",                  0xcc),
        sub("any",                  0xff),
    ] }),

    event("rxr_cycles_ne",          0x10,   C01,      1).combined("Table 2-182", CLASSES),
    event("rxr_inserts",            0x11,   C01,      1).combined("Table 2-183", CLASSES),

    // SPEC: U-41, without sub-event in the lists only.
    event("rxr_ak_bounces",         0x12,   C0,       1).combined("Table 2-181", const { &[
        bare().lists(),
        sub("cw",                   0x01),
        sub("ccw",                  0x02),
    ] }),

    event("rxr_occupancy",          0x13,   C0,      24).combined("Table 2-184", const { &[
        sub("drs",                  0x08),
    ] }),

    event("txr_cycles_ne",          0x23,   C0,       1).combined("Table 2-186", RINGS),
    event("txr_cycles_full",        0x25,   C0,       1).combined("Table 2-185", RINGS),
    event("txr_nack_cw",            0x26,   C01,      1).combined("Table 2-188", RINGS),
    event("txr_nack_ccw",           0x28,   C01,      1).combined("Table 2-187", RINGS),
    event("iio_credits_used",       0x32,   C01,      NOT_STATED).combined(LISTS, CREDITS),
    event("iio_credits_acquired",   0x33,   C01,      NOT_STATED).combined(LISTS, CREDITS),

    event("iio_credits_reject",     0x34,   C01,      NOT_STATED).combined(LISTS, const { &[
        sub("drs",                  0x08),
    ] }),
];

/// R2PCIe.
pub(crate) const R2PCIE: BoxType = BoxType {
    name: "r2pcie",
    numbered: false,
    access: Access::Pci(FUNCTIONS),
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 44,
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: 31,
    ..ORDINARY_BOX
};
