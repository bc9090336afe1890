// SPDX-License-Identifier: GPL-2.0

//! R3QPI connects the ring to a QPI link: it holds the credits for the link layer, for the C-Boxes
//! and for the home agents, and puts on the ring what comes from the link.
//!
//! Three general counters of 44 bits, of which only counter 0 takes occupancies; PCI configuration
//! space; up to three links per package. Documentation/hardware/ivbep.rst section 7.9 (manual
//! 2.10). Links 0 and 1 are R3QPI0; link 2, R3QPI1, is on E7 parts.
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; CW, CCW
//! clockwise and counterclockwise; DRS, HOM, NCB, NCS, NDR, SNP message classes; NACK a refused
//! message; R2 R2PCIe; VN0, VN1 virtual networks and VNA the pool that both share; VR virtual
//! ring; `RxR`, `TxR` what comes from and goes to the ring.
//!
//! Oddities:
//!
//! * Three counters and three links; the in-tree driver has room for two (U-53).
//! * The box control has no bits that must be 1; those of other boxes are ignored.
//! * The invalidate ring has one direction: both are set for a polarity.
//! * `C_HI_AD_CREDITS_EMPTY.CBO14` is labelled "Cbox 14 & 16".
//!
//! Uncertain:
//!
//! * Only counter 2 counts ring events as a note says, or all three as the list has it (U-32).
//! * The maximum of `CLOCKTICKS` is printed as 0 (U-42).
//! * A note at `HA_R2_BL_CREDITS_EMPTY` tells what counters 0 and 1 have in their place. It does
//!   not fit the event and is not followed (U-69).
//! * The descriptions of the sub-events of `TxR_NACK_CW` and `TxR_NACK_CCW` do not fit their names,
//!   and those of `QPIx_BL_CREDITS_EMPTY` are classes of the AD ring: names and umasks are as
//!   printed (U-69).
//! * What the lists have besides (U-41).
//! * Umask 0 for events without sub-events (U-14).

use super::*;
use xeon::r3qpi::*;

// Registers: configuration space offsets.

#[rustfmt::skip] // In columns, to be read against section 1 of Documentation/hardware/ivbep.rst.
const FUNCTIONS: &[PciFunction] = &[
    // box dev fn  ID
    pci(0, 19, 5, 0x0e36),
    pci(1, 19, 6, 0x0e37),
    pci(2, 18, 5, 0x0e3e),
];

/// `R3_Ly_PCI_PMON_BOX_CTL` (WO, Table 2-190): 8 freezes, 1 clears the counters, 0 the controls.
///
/// SPEC: U-8, bits 17:16 are ignored. Should they do here what they do in other boxes, the box
/// would be deaf to a global freeze without them.
const BOX_CONTROL: BoxControl = box_control(0xf4);

/// `R3_Ly_PCI_PMON_BOX_STATUS` (RW1C, Table 2-191): bit k is counter k.
const STATUS: BoxStatus = box_status(0b111);

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (Table 2-3): `ov_rq0`, `ov_rq1`.
///
/// SPEC: U-47, the first is that of links 0 and 1 or of link 0 alone. So either can stand for any
/// link, and the box status tells.
const GLOBAL_STATUS: &[u64] = &[1 << 24 | 1 << 25; 3];

/// Layout of `R3_Ly_PCI_PMON_CTL`, Table 2-192.
const CONTROL: Control = control(0xff56_ffff);

// Config fields.

/// Registers of Table 2-192.
const FIELDS: &[Field] = COMMON_FIELDS;

// Filters: none.

// Events.

/// Counter 0, the one that takes occupancies.
const C0: u8 = 0b001;
/// Counters 0 and 1.
pub(crate) const C01: u8 = 0b011;
/// SPEC: U-32, counter 2 for ring events: right whichever the manual means.
const C2: u8 = 0b100;
/// Every counter.
const ANY: u8 = 0b111;

#[rustfmt::skip] // In columns, to be read against Tables 2-201 to 2-203.
const RING_USED: &[SubEvent] = &[
    sub("cw_vr0_even",            0x01),
    sub("cw_vr0_odd",             0x02),
    sub("ccw_vr0_even",           0x04),
    sub("ccw_vr0_odd",            0x08),
    sub("cw",                     0x33),
    sub("ccw",                    0xcc),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                           select  counters  max

    // SPEC: U-42, printed as 0.
    event("clockticks",               0x01,   ANY,      1).source("2.10.7"),
    event("ring_ad_used",             0x07,   C2,       1).combined("Table 2-201", RING_USED),
    event("ring_ak_used",             0x08,   C2,       1).combined("Table 2-202", RING_USED),
    event("ring_bl_used",             0x09,   C2,       1).combined("Table 2-203", RING_USED),

    event("ring_iv_used",             0x0a,   C2,       1).combined("Table 2-204", const { &[
        sub("cw",                     0x33),
        sub("ccw",                    0xcc),
        sub("any",                    0xff),
    ] }),

    event("rxr_cycles_ne",            0x10,   C01,      1).combined("Table 2-205", const { &[
        sub("hom",                    0x01),
        sub("snp",                    0x02),
        sub("ndr",                    0x04),
    ] }),

    event("rxr_inserts",              0x11,   C01,      1).combined("Table 2-206", CLASSES),

    // SPEC: U-41, in the lists it has a sub-event and another name.
    event("rxr_ad_bypassed",          0x12,   C01,      1).combined("2.10.7", const { &[
        bare(),
        sub("rxr_bypassed.ad",        0x01).whole(),
    ] }),

    event("rxr_occupancy",            0x13,   C0,      32).combined("Table 2-207", CLASSES),
    event("txr_cycles_ne",            0x23,   C01,      1).source("2.10.7"),
    event("txr_cycles_full",          0x25,   C01,      1).source("2.10.7"),
    event("txr_nack_cw",              0x26,   C01,      1).combined("Table 2-209", RINGS),
    event("txr_nack_ccw",             0x28,   C01,      1).combined("Table 2-208", RINGS),
    event("qpi0_ad_credits_empty",    0x29,   C01,      1).combined("Table 2-197", CREDITS),
    event("qpi1_ad_credits_empty",    0x2a,   C01,      1).combined("Table 2-199", CREDITS),
    event("c_lo_ad_credits_empty",    0x2b,   C01,      1).combined("Table 2-195", C_LO_AD_CREDITS_EMPTY),

    event("c_hi_ad_credits_empty",    0x2c,   C01,      1).combined("Table 2-194", const { &[
        sub("cbo8",                   0x01),
        sub("cbo9",                   0x02),
        sub("cbo10",                  0x04),
        sub("cbo11",                  0x08),
        sub("cbo12",                  0x10),
        sub("cbo13",                  0x20),
        sub("cbo14",                  0x40),
    ] }),

    event("qpi0_bl_credits_empty",    0x2d,   C01,      1).combined("Table 2-198", CREDITS),
    event("qpi1_bl_credits_empty",    0x2e,   C01,      1).combined("Table 2-200", CREDITS),
    event("ha_r2_bl_credits_empty",   0x2f,   C01,      1).combined("Table 2-196", HA_R2_BL_CREDITS_EMPTY),
    event("vna_credit_cycles_out",    0x31,   C01,      1).source("2.10.7"),
    event("vna_credit_cycles_used",   0x32,   C01,      1).source("2.10.7"),

    // SPEC: U-41, without sub-event in the lists only.
    event("vna_credits_acquired",     0x33,   C01,      4).combined("Table 2-214", const { &[
        bare().lists(),
        sub("ad",                     0x01),
        sub("bl",                     0x04),
    ] }),

    event("vna_credits_reject",       0x34,   C01,      1).combined("Table 2-215", CLASSES),
    event("vn0_credits_used",         0x36,   C01,      1).combined("Table 2-211", CLASSES),
    event("vn0_credits_reject",       0x37,   C01,      1).combined("Table 2-210", CLASSES),
    event("vn1_credits_used",         0x38,   C01,      1).combined("Table 2-213", CLASSES),
    event("vn1_credits_reject",       0x39,   C01,      1).combined("Table 2-212", CLASSES),
];

/// A link's R3QPI.
pub(crate) const R3QPI: BoxType = BoxType {
    name: "r3qpi",
    numbered: true,
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
    max_increment: 255,
    ..ORDINARY_BOX
};
