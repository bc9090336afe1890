// SPDX-License-Identifier: GPL-2.0

//! The UBox is the system configuration controller of a package: it takes interrupts, locks and
//! register accesses, and it holds the global registers of all performance counters.
//!
//! Two general counters of 44 bits and one fixed counter of UCLK; MSRs 0xc08 to 0xc17; one per
//! package. Documentation/hardware/ivbep.rst section 7.1 (manual 2.2). The global registers are in
//! [`super::IVBEP`].
//!
//! Abbreviations: IPI inter-processor interrupt; MSI message-signalled interrupt; PHOLD a hold of
//! the whole system for a locked access; RACU register access control unit; U2C a message from
//! the UBox to the cores; UCLK the uncore's clock; VLW virtual legacy wire.
//!
//! Oddities:
//!
//! * No box control register: nothing but the global freeze stops the box, and a counter is
//!   cleared by its reset bit or by writing 0 to it. The fixed counter has no reset bit.
//! * The threshold has 5 bits only.
//! * The box status has no bit for the fixed counter, the global status has one.
//! * `clockticks` is the fixed counter, as in-tree; `clockticks_general` is what public event lists
//!   call CLOCKTICKS: event select 0 on the general counters, not in the manual (U-17).
//! * Two sub-events of `FILTER_MATCH` need a register that no public manual describes (U-16). They
//!   have no name in `events/` and are refused with that reason.
//! * `EVENT_MSG` and `PHOLD_CYCLES` can be limited to a thread or core, by means the manual names
//!   and does not define (U-49): not offered.
//! * `RACU_REQUESTS` carries a note that it was to be dropped.
//!
//! Uncertain:
//!
//! * The fixed counter has 44 or 48 bits (U-3).
//! * The most a counter can add in a clock is not stated for the box, nor for the events of the
//!   lists.
//! * Umask 0 for events without sub-events (U-14).

use super::*;

// Registers: MSR numbers less 0xc00.

/// `U_MSR_PMON_CTL0`, `1` (RW) and `U_MSR_PMON_CTR0`, `1` (RW).
const COUNTERS: &[Counter] = &[counter(0x10, 0x16), counter(0x11, 0x17)];

/// Layout of `U_MSR_PMON_CTL`, Table 2-6.
const CONTROL: Control = control(0x1f56_ffff);

/// `U_MSR_PMON_UCLK_FIXED_CTL` (RW, Table 2-8) and `U_MSR_PMON_UCLK_FIXED_CTR` (RW, Table 2-9).
pub(crate) const UCLK: Fixed = Fixed {
    control: Some(FixedControl {
        offset: 0x08,
        writable: 0x0050_0000,
        enable: 1 << 22,
        overflow_enable: Some(1 << 20),
        acts: 0,
    }),
    counter: 0x09,
    // SPEC: U-3.
    width: 44,
    max_width: 48,
    select: 0xff,
    name: "clockticks",
    unit: None,
};

/// `U_MSR_PMON_BOX_STATUS` (RW1C, Table 2-5): bit k is counter k.
const STATUS: BoxStatus = BoxStatus {
    offset: 0x15,
    overflow: 0b11,
};

/// Bits of `U_MSR_PMON_GLOBAL_STATUS` (RW1C, Table 2-3): `ov_u` for the general counters, bit 1, and
/// `ov_u_fixed`, bit 0.
const GLOBAL_STATUS: &[u64] = &[0b11];

// Config fields.

#[rustfmt::skip] // In columns, to be read against Table 2-6.
pub(crate) const FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    field("thresh", Word::Config, bits::<24, 28>(), Role::Threshold),
    INTERVAL,
];

// Filters: none.

// Events.

/// Both counters count every event.
const ANY: u8 = 0b11;

/// SPEC: U-66, not stated. The largest value the threshold can be compared with.
pub(crate) const NOT_STATED: u16 = 31;

/// Refuses two sub-events of `FILTER_MATCH`, `enable` and `u2c_enable`.
fn refuse(event: &Event, words: &Words) -> Result<(), &'static str> {
    match event.select {
        0x41 if words.config & 0x0500 != 0 => {
            Err("it counts nothing without UBoxFilter, a register that no public manual describes")
        }
        _ => Ok(()),
    }
}

#[rustfmt::skip] // One row, one line, in columns, to be read against the manual's tables.
pub(crate) const EVENTS: &[Event] = &[
    // Name                      select  counters  max

    // SPEC: U-17, the event is CLOCKTICKS in the lists, and not in the manual.
    event("clockticks_general",  0x00,   ANY,      NOT_STATED).source(LISTS),

    // SPEC: U-41, in the lists only.
    event("filter_match",        0x41,   ANY,      NOT_STATED).combined(LISTS, const { &[
        sub("enable",            0x01),
        sub("disable",           0x02),
        sub("u2c_enable",        0x04),
        sub("u2c_disable",       0x08),
    ] }),

    event("event_msg",           0x42,   ANY,      1).combined("Table 2-10", const { &[
        sub("vlw_rcvd",          0x01),
        sub("msi_rcvd",          0x02),
        sub("ipi_rcvd",          0x04),
        sub("doorbell_rcvd",     0x08),
        sub("int_prio",          0x10),
    ] }),

    // SPEC: U-41, in the lists only.
    event("u2c_events",          0x43,   ANY,      NOT_STATED).combined(LISTS, U2C_EVENTS),

    event("lock_cycles",         0x44,   ANY,      1).source("2.2.5"),

    event("phold_cycles",        0x45,   ANY,      1).combined("Table 2-11", const { &[
        sub("assert_to_ack",     0x01),
    ] }),

    event("racu_requests",       0x46,   ANY,      1).source("2.2.5"),
];

/// The UBox.
pub(crate) const UBOX: BoxType = BoxType {
    name: "ubox",
    numbered: false,
    access: Access::Msr {
        bases: &[0xc00],
        present: &[Presence::All],
    },
    box_control: None,
    status: Some(STATUS),
    global_status: GLOBAL_STATUS,
    counters: COUNTERS,
    width: 44,
    fixed: &[UCLK],
    control: CONTROL,
    fields: FIELDS,
    events: EVENTS,
    refuse,
    builtin_events: true,
    max_clock_mhz: super::MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    ..ORDINARY_BOX
};
