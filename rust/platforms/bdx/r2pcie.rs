// SPDX-License-Identifier: GPL-2.0

//! R2PCIe is the ring stop of the I/O unit: it puts what comes from PCIe on the ring and takes
//! off it what goes there.
//!
//! Four general counters of 48 bits, of which only counter 0 takes occupancies; PCI configuration
//! space; one per package. Documentation/hardware/bdx.rst section 15 (manual 2.10).
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; CW, CCW
//! clockwise and counterclockwise; DRS, NCB, NCS message classes (data response, non-coherent
//! bypass and standard); IIO integrated I/O; NACK a refused message; SBO the S-Box; `RxR`, `TxR`
//! what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * The box control has no bits that must be 1; those of other boxes are ignored.
//! * A control register takes an event select only from two writes: the first with the counter
//!   disabled.
//! * `TxR_CYCLES_NE` tells of one queue at a time, so that its sub-events do not combine, though
//!   printed as bits.
//!
//! Uncertain:
//!
//! * Only counters 2 and 3 count ring utilisation as a note says, or all four as the table, the
//!   in-tree driver and the lists have it (section 15). The driver uses 2 and 3.
//! * The descriptions of some sub-events of `TxR_NACK_CW` do not fit their names (section 17).
//! * What the manual leaves out (section 17).

use super::*;

// Registers: configuration space offsets.

/// Device 16, function 1.
const FUNCTIONS: &[PciFunction] = &[pci(0, 16, 1, 0x6f34)];

/// `R2_PCI_PMON_BOX_CTL` (WO, Table 2-213): 8 freezes, 1 clears the counters, 0 the controls.
///
/// SPEC: bdx 3.2, bits 17:16 are ignored. Should they do here what they do in other boxes, the box
/// would be deaf to a global freeze without them.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `R2_PCI_PMON_BOX_STATUS` (RW1C): bit k is counter k.
const STATUS: BoxStatus = box_status(0b1111);

/// Bit of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_rp`.
const GLOBAL_STATUS: &[u64] = &[1 << 29];

/// `R2_PCI_PMON_CTL0` to `3` (RW) and the low halves of `R2_PCI_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = FOUR_COUNTERS;

/// Layout of `R2_PCI_PMON_CTL`, section 3.1.
///
/// SPEC: bdx 21.20, written twice.
const CONTROL: Control = Control {
    twice: true,
    ..control(0xffd6_ffff)
};

// Config fields.

/// Registers of section 3.1.
const FIELDS: &[Field] = super::COMMON_FIELDS;

// Filters: none.

// Events.

/// Counter 0, the one that takes occupancies.
const C0: u8 = 0b0001;
/// Counters 0 and 1.
const C01: u8 = 0b0011;
/// SPEC: U-32, counters 2 and 3 for ring utilisation: right whichever the manual means.
const C23: u8 = 0b1100;
/// Every counter.
const ANY: u8 = 0b1111;

/// Not stated for events of the lists. The largest value the threshold can be compared with.
const NOT_STATED: u16 = 255;

#[rustfmt::skip] // In columns, to be read against Tables 2-223 and 2-224.
const CLASSES: &[SubEvent] = &[
    sub("ncb",                      0x10),
    sub("ncs",                      0x20),
];

#[rustfmt::skip] // In columns.
const IIO_CREDITS: &[SubEvent] = &[
    sub("drs",                      0x08),
    sub("ncb",                      0x10),
    sub("ncs",                      0x20),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
const EVENTS: &[Event] = &[
    // Name                         select  counters  max

    // SPEC: bdx 17, what has LISTS for a source is in the lists only.

    event("clockticks",             0x01,   ANY,      1).source("2.10.6"),
    event("ring_ad_used",           0x07,   C23,      1).combined("Table 2-218", RING_USED),
    event("ring_ak_used",           0x08,   C23,      1).combined("Table 2-220", RING_USED),
    event("ring_bl_used",           0x09,   C23,      1).combined("Table 2-221", RING_USED),

    event("ring_iv_used",           0x0a,   C23,      1).combined("Table 2-222", const { &[
        sub("cw",                   0x03),
        sub("ccw",                  0x0c),
        sub("any",                  0x0f),
    ] }),

    event("rxr_cycles_ne",          0x10,   C01,      1).combined("Table 2-223", CLASSES),
    event("rxr_inserts",            0x11,   C01,      1).combined("Table 2-224", CLASSES),

    event("ring_ak_bounces",        0x12,   ANY,      1).combined("Table 2-219", const { &[
        sub("up",                   0x01),
        sub("dn",                   0x02),
    ] }),

    event("rxr_occupancy",          0x13,   C0,      24).combined("Table 2-225", const { &[
        sub("drs",                  0x08),
    ] }),

    // SPEC: bdx 15, one queue at a time.
    event("txr_cycles_ne",          0x23,   C0,       1).listed("Table 2-229", RINGS),
    event("txr_cycles_full",        0x25,   C0,       1).combined("Table 2-228", RINGS),
    event("txr_nack_cw",            0x26,   C01,      1).combined("Table 2-230", TXR_NACK),
    event("sbo0_credits_acquired",  0x28,   C01,      2).combined("Table 2-226", SBO_CREDITS),
    event("sbo0_credit_occupancy",  0x2a,   C0,       NOT_STATED).combined(LISTS, SBO_CREDITS),
    event("stall_no_sbo_credit",    0x2c,   C01,      4).combined("Table 2-227", STALL_NO_SBO_CREDIT),

    event("iio_credit",             0x2d,   C01,      4).combined("Table 2-217", const { &[
        sub("prq_qpi0",             0x01),
        sub("prq_qpi1",             0x02),
        sub("isoch_qpi0",           0x04),
        sub("isoch_qpi1",           0x08),
    ] }),

    event("iio_credits_used",       0x32,   C01,      NOT_STATED).combined(LISTS, IIO_CREDITS),
    event("iio_credits_acquired",   0x33,   C01,      NOT_STATED).combined(LISTS, IIO_CREDITS),
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
    width: 48,
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: 255,
    ..ORDINARY_BOX
};
