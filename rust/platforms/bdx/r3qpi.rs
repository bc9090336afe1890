// SPDX-License-Identifier: GPL-2.0

//! R3QPI connects the ring to a QPI link: it holds the credits for the link layer, for the C-Boxes
//! and for the home agents, and puts on the ring what comes from the link.
//!
//! Three general counters of 48 bits, of which only counter 0 takes occupancies; PCI configuration
//! space; up to three links per package. Documentation/hardware/bdx.rst section 16 (manual 2.11).
//! Links 0 and 1 are R3QPI0; link 2, R3QPI1, is on parts with three links.
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; CW, CCW
//! clockwise and counterclockwise; DRS, HOM, NCB, NCS, NDR, SNP message classes; IOT a part of the
//! ring stop; NACK a refused message; R2 R2PCIe; SBO the S-Box; VN0, VN1 virtual networks and VNA
//! the pool that both share; `RxR`, `TxR` what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * The box control has no bits that must be 1; those of other boxes are ignored.
//! * A control register takes an event select only from two writes: the first with the counter
//!   disabled.
//! * Sub-events of `C_HI_AD_CREDITS_EMPTY` can stand for two C-Boxes.
//! * `QPI0_BL_CREDITS_EMPTY` and `QPI1_AD_CREDITS_EMPTY` have no sub-events of VN0.
//!
//! Uncertain:
//!
//! * One table prints counters of 44 bits (disagreement 19). The driver takes 48 if all are kept.
//! * Which bits of the global status an overflow sets (section 4.2).
//! * Only counter 2 counts ring events as a note says, or all three as the table, the in-tree
//!   driver and the lists have it (section 16). The driver uses counter 2.
//! * The maximum of `CLOCKTICKS` is printed as 0 (section 16).
//! * The code of `RxR_OCCUPANCY_VN1` was meant to be 0x16, says a remark (section 22).
//! * A note at `HA_R2_BL_CREDITS_EMPTY` tells what counters 0 and 1 have in their place. It does
//!   not fit the event and is not followed (section 16).
//! * Sub-events of `TxR_CYCLES_NE` and `TxR_CYCLES_FULL`: their tables do not exist (section 22).
//! * The descriptions of some sub-events of `TxR_NACK` do not fit their names (section 17).
//! * What the manual leaves out (section 17).

use super::*;
use xeon::r3qpi::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 2.2.
const FUNCTIONS: &[PciFunction] = &[
    // box dev fn  ID
    pci(0, 11, 1, 0x6f36),
    pci(1, 11, 2, 0x6f37),
    pci(2, 11, 5, 0x6f3e),
];

/// `R3_Ly_PCI_PMON_BOX_CTL` (WO, Table 2-232): 8 freezes, 1 clears the counters, 0 the controls.
///
/// SPEC: bdx 3.2, bits 17:16 are ignored. Should they do here what they do in other boxes, the box
/// would be deaf to a global freeze without them.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `R3_Ly_PCI_PMON_BOX_STATUS` (RW1C): bit k is counter k.
const STATUS: BoxStatus = box_status(0b111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_rq0` of links 0 and 1, `ov_rq1` of link 2.
///
/// SPEC: bdx 4.2, `ov_rq` can be set for any of them, beside the others or in their place.
const GLOBAL_STATUS: &[u64] = &[RQ | 1 << 27, RQ | 1 << 27, RQ | 1 << 28];
const RQ: u64 = 1 << 35;

/// Layout of `R3_Ly_PCI_PMON_CTL`, section 3.1.
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
const C0: u8 = 0b001;
/// Counters 0 and 1.
const C01: u8 = 0b011;
/// SPEC: U-32, counter 2 for ring utilisation: right whichever the manual means.
const C2: u8 = 0b100;
/// Every counter.
const ANY: u8 = 0b111;

/// Not stated for events of the lists. The largest value the threshold can be compared with.
const NOT_STATED: u16 = 255;

#[rustfmt::skip] // In columns, to be read against Tables 2-240 and 2-241.
const CREDITS_BUT_VN0: &[SubEvent] = &[
    sub("vna",                       0x01),
    sub("vn1_hom",                   0x10),
    sub("vn1_snp",                   0x20),
    sub("vn1_ndr",                   0x40),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                          select  counters  max

    // SPEC: bdx 17, what has LISTS for a source is in the lists only.

    // SPEC: bdx 16, printed as 0.
    event("clockticks",              0x01,   ANY,      1).source("2.11.6"),
    event("ring_ad_used",            0x07,   C2,       1).combined("Table 2-243", RING_USED),
    event("ring_ak_used",            0x08,   C2,       1).combined("Table 2-244", RING_USED),
    event("ring_bl_used",            0x09,   C2,       1).combined("Table 2-245", RING_USED),

    event("ring_iv_used",            0x0a,   C2,       1).combined("Table 2-246", const { &[
        sub("cw",                    0x03),
        sub("any",                   0x0f),
    ] }),

    event("iot_backpressure",        0x0b,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("sat",                   0x01),
        sub("hub",                   0x02),
    ] }),

    event("iot_cts_lo",              0x0c,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("cts0",                  0x01),
        sub("cts1",                  0x02),
    ] }),

    event("iot_cts_hi",              0x0d,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("cts2",                  0x01),
        sub("cts3",                  0x02),
    ] }),

    event("ring_sink_starved",       0x0e,   ANY,      2).combined("Table 2-247", const { &[
        sub("ak",                    0x02),
    ] }),

    event("rxr_cycles_ne",           0x10,   C01,      1).combined("Table 2-248", const { &[
        sub("hom",                   0x01),
        sub("snp",                   0x02),
        sub("ndr",                   0x04),
    ] }),

    event("rxr_inserts",             0x11,   C01,      1).combined("Table 2-250", CLASSES),

    // SPEC: bdx 22, the code is as in the tables.
    event("rxr_occupancy_vn1",       0x13,   C0,      32).combined("Table 2-252", CLASSES),
    event("rxr_cycles_ne_vn1",       0x14,   C01,      1).combined("Table 2-249", CLASSES),
    event("rxr_inserts_vn1",         0x15,   C01,      1).combined("Table 2-251", CLASSES),

    event("c_hi_ad_credits_empty",   0x1f,   C01,      1).combined("Table 2-236", const { &[
        sub("cbo8",                  0x01),
        sub("cbo9",                  0x02),
        sub("cbo10",                 0x04),
        sub("cbo11",                 0x08),
        sub("cbo12",                 0x10),
        sub("cbo13",                 0x20),
        sub("cbo14_16",              0x40),
        sub("cbo_15_17",             0x80),
    ] }),

    event("qpi0_ad_credits_empty",   0x20,   C01,      1).combined("Table 2-239", CREDITS),
    event("qpi0_bl_credits_empty",   0x21,   C01,      1).combined("Table 2-240", CREDITS_BUT_VN0),
    event("c_lo_ad_credits_empty",   0x22,   C01,      1).combined("Table 2-237", C_LO_AD_CREDITS_EMPTY),

    // SPEC: bdx 22, without sub-events, as is the next.
    event("txr_cycles_ne",           0x23,   C01,      1).source("2.11.6"),
    event("txr_cycles_full",         0x25,   C01,      1).source("2.11.6"),
    event("txr_nack",                0x26,   C01,      1).combined("Table 2-258", TXR_NACK),
    event("sbo0_credits_acquired",   0x28,   C01,      2).combined("Table 2-253", SBO_CREDITS),
    event("sbo1_credits_acquired",   0x29,   C01,      2).combined("Table 2-254", SBO_CREDITS),
    event("sbo0_credit_occupancy",   0x2a,   C0,       NOT_STATED).combined(LISTS, SBO_CREDITS),
    event("sbo1_credit_occupancy",   0x2b,   C0,       NOT_STATED).combined(LISTS, SBO_CREDITS),
    event("stall_no_sbo_credit",     0x2c,   C01,      4).combined("Table 2-255", STALL_NO_SBO_CREDIT),
    event("ha_r2_bl_credits_empty",  0x2d,   C01,      1).combined("Table 2-238", HA_R2_BL_CREDITS_EMPTY),
    event("qpi1_ad_credits_empty",   0x2e,   C01,      1).combined("Table 2-241", CREDITS_BUT_VN0),
    event("qpi1_bl_credits_empty",   0x2f,   C01,      1).combined("Table 2-242", CREDITS),

    event("vna_credits_acquired",    0x33,   C01,      4).combined("Table 2-263", const { &[
        sub("ad",                    0x01),
        sub("bl",                    0x04),
    ] }),

    event("vna_credits_reject",      0x34,   C01,      1).combined("Table 2-264", CLASSES),
    event("vn0_credits_used",        0x36,   C01,      1).combined("Table 2-260", CLASSES),
    event("vn0_credits_reject",      0x37,   C01,      1).combined("Table 2-259", CLASSES),
    event("vn1_credits_used",        0x38,   C01,      1).combined("Table 2-262", CLASSES),
    event("vn1_credits_reject",      0x39,   C01,      1).combined("Table 2-261", CLASSES),
];

/// A link's R3QPI.
///
/// SPEC: bdx 21.19, the counters have 48 bits, or 44 as Table 2-235 prints.
pub(super) const R3QPI: BoxType = BoxType {
    alternative: Some(&BoxType { width: 44, ..WIDE }),
    ..WIDE
};

pub(crate) const WIDE: BoxType = BoxType {
    name: "r3qpi",
    numbered: true,
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
