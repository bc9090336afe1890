// SPDX-License-Identifier: GPL-2.0

//! The UBox is the system configuration controller of a package: it takes interrupts, locks and
//! register accesses, and it holds the global registers of all performance counters.
//!
//! Two general counters and one fixed counter of UCLK, all 48 bits; MSRs 0x703 to 0x70a; one per
//! package. Documentation/hardware/bdx.rst section 7 (manual 2.2). The global registers are in
//! [`super::BDX`].
//!
//! Abbreviations: PHOLD a hold of the whole system for a locked access; RACU register access
//! control unit; U2C a message from the UBox to the cores; UCLK the uncore's clock.
//!
//! Oddities:
//!
//! * No box control register: nothing but the global freeze stops the box, and a counter is
//!   cleared by its reset bit or by writing 0 to it. The fixed counter has no reset bit.
//! * The threshold has 5 bits only.
//! * The box status has no bit for the fixed counter, the global status has one.
//! * `clockticks` is the fixed counter, as in-tree.
//! * `EVENT_MSG` is said to have a thread filter, in a register that the manual does not list: not
//!   offered. 0x707, the filter of an earlier generation, is not accessed (disagreement 24).
//! * `RACU_REQUESTS` carries a note that it was to be dropped.
//!
//! Uncertain:
//!
//! * What `FILTER_MATCH` compares with, as the thread filter is in no known register, and what else
//!   only the lists have (section 17).

use super::*;

// Registers: MSR numbers less 0x700.

/// `U_MSR_PMON_CTL0`, `1` (RW) and `U_MSR_PMON_CTR0`, `1` (RW, Table 2-8).
const COUNTERS: &[Counter] = &[counter(0x05, 0x09), counter(0x06, 0x0a)];

/// Layout of `U_MSR_PMON_CTL`, section 3.1.
const CONTROL: Control = control(0x1fd6_ffff);

/// `U_MSR_PMON_UCLK_FIXED_CTL` (RW, Table 2-9) and `U_MSR_PMON_UCLK_FIXED_CTR` (RW, Table 2-10).
const UCLK: Fixed = Fixed {
    control: Some(FixedControl {
        offset: 0x03,
        writable: 0x0050_0000,
        enable: 1 << 22,
        overflow_enable: Some(1 << 20),
        acts: 0,
    }),
    counter: 0x04,
    width: 48,
    max_width: 48,
    select: 0xff,
    name: "clockticks",
    unit: None,
};

/// `U_MSR_PMON_BOX_STATUS` (RW1C): bit k is counter k.
const STATUS: BoxStatus = BoxStatus {
    offset: 0x08,
    overflow: 0b11,
};

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (RW1C, Table 2-3): `ov_u` for the general counters, bit 1,
/// and `ov_u_fixed`, bit 0.
const GLOBAL_STATUS: &[u64] = &[0b11];

// Config fields.

#[rustfmt::skip] // In columns, to be read against section 3.1.
pub(crate) const FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh", Word::Config, bits::<24, 28>(), Role::Threshold),
    INTERVAL,
];

// Filters: none.

// Events.

/// Both counters count every event.
const ANY: u8 = 0b11;

/// Not stated for events of the lists. The largest value the threshold can be compared with.
const NOT_STATED: u16 = 31;

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                   select  counters  max

    // SPEC: bdx 17, in the lists only. SPEC: bdx 7, the filter has no known register.
    event("filter_match",     0x41,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("enable",         0x01),
        sub("disable",        0x02),
        sub("u2c_enable",     0x04),
        sub("u2c_disable",    0x08),
    ] }),

    event("event_msg",        0x42,   ANY,      1).combined("Table 2-11", const { &[
        sub("doorbell_rcvd",  0x08),
    ] }),

    // SPEC: bdx 17, in the lists only.
    event("u2c_events",       0x43,   ANY,      NOT_STATED).combined(LISTS, U2C_EVENTS),

    event("phold_cycles",     0x45,   ANY,      1).combined("Table 2-12", const { &[
        sub("assert_to_ack",  0x01),
    ] }),

    event("racu_requests",    0x46,   ANY,      1).source("2.2.5"),
];

/// The UBox.
pub(crate) const UBOX: BoxType = BoxType {
    name: "ubox",
    numbered: false,
    access: Access::Msr {
        bases: &[0x700],
        present: &[Presence::All],
    },
    box_control: None,
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 48,
    fixed: &[UCLK],
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    ..ORDINARY_BOX
};
