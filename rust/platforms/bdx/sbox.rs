// SPDX-License-Identifier: GPL-2.0

//! An S-Box is the switch between two rings of the package: what goes from one ring to another
//! passes one.
//!
//! Four general counters of 48 bits, each of which takes occupancies (12 a clock on counter 0);
//! MSRs 0x720 + 0xa n; four or none per package. Documentation/hardware/bdx.rst section 9 (manual
//! 2.4).
//!
//! Abbreviations: AD, AK, BL, IV the address, acknowledge, block and invalidate rings; BNC, CRD
//! bounced messages and messages with a credit; U2C a message from the UBox to the cores; `RxR`,
//! `TxR` what comes from and goes to a ring.
//!
//! Oddities:
//!
//! * No overflow enable and no bit of the global status: wraps are found by polling.
//! * A control register takes an event select only from two writes: the first with the counter
//!   disabled.
//! * The box control is written in steps.
//! * The control register has the thread enable of the C-Box, and the box has no filter: not
//!   offered.
//! * Broadwell-DE has no S-Boxes.
//!
//! Uncertain:
//!
//! * Whether counters 1 to 3 can add as much as counter 0 (section 9).
//! * Whether there are S-Boxes if the fuses have the value that the manual does not describe
//!   (section 5.3).
//! * What the manual leaves out (section 17).

use super::*;

// Registers: MSR numbers less 0x720 + 0xa n.

/// Location of the boxes.
///
/// SPEC: bdx 5.3, a value of the fuses that the manual does not describe stands for four boxes, as
/// in-tree; each of them has to answer.
const ACCESS: Access = Access::Msr {
    bases: &every::<4>(0x720, 0xa),
    present: &[Presence::Fuses {
        device_id: super::FUSES,
        offset: 0x94,
        bits: Bits { low: 6, high: 7 },
        choices: Some(&[0b0000, 0b1111, 0b1111, 0b1111]),
    }],
};

/// `Sn_MSR_PMON_BOX_CTL` (WO, Table 2-45): bits 17:16 must be written 1, 8 freezes, 1 clears the
/// counters, 0 the controls.
///
/// SPEC: bdx 21.21, the reset takes one bit after the other, as in-tree: one write of all has
/// raised faults.
pub(crate) const BOX_CONTROL: BoxControl = BoxControl {
    reset: &[0x1, 0x3, 0x0001_0003, 0x0003_0003],
    ..box_control(0x0)
};

/// `Sn_MSR_PMON_CTL0` to `3` (RW) and `Sn_MSR_PMON_CTR0` to `3` (RW).
const COUNTERS: &[Counter] = &[
    counter(0x1, 0x6),
    counter(0x2, 0x7),
    counter(0x3, 0x8),
    counter(0x4, 0x9),
];

/// Layout of `Sn_MSR_PMON_CTL`, Table 2-47.
///
/// SPEC: bdx 21.20, written twice.
const CONTROL: Control = Control {
    twice: true,
    ..control(0xffc6_ffff)
};

/// `Sn_MSR_PMON_BOX_STATUS` (RW1C): bit k is counter k.
const STATUS: BoxStatus = BoxStatus {
    offset: 0x5,
    overflow: 0b1111,
};

// Config fields.

/// Registers of Table 2-47: no counter interrupts.
const FIELDS: &[Field] = COMMON_FIELDS.split_at(5).0;

// Filters: none.

// Events.

/// All four counters count every event.
const ANY: u8 = 0b1111;

/// Not stated for events of the lists. No counter can add more.
const NOT_STATED: u16 = 12;

#[rustfmt::skip] // In columns, to be read against Tables 2-54 to 2-56, 2-58 and 2-59.
const MESSAGES: &[SubEvent] = &[
    sub("ad_crd",               0x01),
    sub("ad_bnc",               0x02),
    sub("bl_crd",               0x04),
    sub("bl_bnc",               0x08),
    sub("ak",                   0x10),
    sub("iv",                   0x20),
];

#[rustfmt::skip] // In columns, to be read against Tables 2-49 to 2-51.
pub(crate) const RING_USED: &[SubEvent] = &[
    sub("up_even",              0x01),
    sub("up_odd",               0x02),
    sub("up",                   0x03),
    sub("down_even",            0x04),
    sub("down_odd",             0x08),
    sub("down",                 0x0c),
    // SPEC: bdx 21.25, in the lists only.
    sub("all",                  0x0f).lists(),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                     select  counters  max

    event("clockticks",         0x00,   ANY,      1).source("2.4.6"),
    event("txr_occupancy",      0x01,   ANY,     12).combined("Table 2-59", MESSAGES),
    event("txr_inserts",        0x02,   ANY,      1).combined("Table 2-58", MESSAGES),

    // SPEC: bdx 17, in the lists only.
    event("txr_starved",        0x03,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("ad",               0x01),
        sub("ak",               0x02),
        sub("bl",               0x04),
        sub("iv",               0x08),
    ] }),

    event("txr_ads_used",       0x04,   ANY,      1).combined("Table 2-57", RINGS),

    event("ring_bounces",       0x05,   ANY,      2).combined("Table 2-52", const { &[
        sub("ad_cache",         0x01),
        sub("ak_core",          0x02),
        sub("bl_core",          0x04),
        sub("iv_core",          0x08),
    ] }),

    // SPEC: bdx 17, in the lists only.
    event("ring_sink_starved",  0x06,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("ad_cache",         0x01),
        sub("ak_core",          0x02),
        sub("bl_core",          0x04),
        sub("iv_core",          0x08),
    ] }),

    event("txr_ordering",       0x07,   ANY,      1).combined("Table 2-60", const { &[
        sub("iv_snoopgo_up",    0x01),
        sub("iv_snoopgo_dn",    0x02),
        sub("ak_u2c_up_even",   0x04),
        sub("ak_u2c_up_odd",    0x08),
        sub("ak_u2c_dn_even",   0x10),
        sub("ak_u2c_dn_odd",    0x20),
    ] }),

    event("fast_asserted",      0x09,   ANY,      1).source("2.4.6"),
    event("bounce_control",     0x0a,   ANY,      1).source("2.4.6"),
    event("rxr_occupancy",      0x11,   ANY,     12).combined("Table 2-56", MESSAGES),
    event("rxr_bypass",         0x12,   ANY,     12).combined("Table 2-54", MESSAGES),
    event("rxr_inserts",        0x13,   ANY,      1).combined("Table 2-55", MESSAGES),

    // SPEC: bdx 17, in the lists only.
    event("rxr_crd_starved",    0x14,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("ad_crd",           0x01),
        sub("ad_bnc",           0x02),
        sub("bl_crd",           0x04),
        sub("bl_bnc",           0x08),
        sub("ak",               0x10),
        sub("iv",               0x20),
        sub("ifv",              0x40),
    ] }),

    // SPEC: bdx 17, in the lists only.
    event("rxr_busy_starved",   0x15,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("ad_crd",           0x01),
        sub("ad_bnc",           0x02),
        sub("bl_crd",           0x04),
        sub("bl_bnc",           0x08),
    ] }),

    event("ring_ad_used",       0x1b,   ANY,      2).combined("Table 2-49", RING_USED),
    event("ring_ak_used",       0x1c,   ANY,      2).combined("Table 2-50", RING_USED),
    event("ring_bl_used",       0x1d,   ANY,      2).combined("Table 2-51", RING_USED),

    event("ring_iv_used",       0x1e,   ANY,      1).combined("Table 2-53", const { &[
        sub("up",               0x03),
        sub("dn",               0x0c),
    ] }),
];

/// The S-Box.
pub(crate) const SBOX: BoxType = BoxType {
    name: "sbox",
    numbered: true,
    access: ACCESS,
    box_control: Some(BOX_CONTROL),
    status: Some(STATUS),
    counters: COUNTERS,
    width: 48,
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: 12,
    ..ORDINARY_BOX
};
