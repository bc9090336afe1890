// SPDX-License-Identifier: GPL-2.0

//! The U-Box is the system configuration controller of a package: it takes interrupts, locks and
//! register accesses, and it holds the global control of all performance counters.
//!
//! One general counter of 48 bits; MSRs 0xc10 and 0xc11; one per package.
//! Documentation/hardware/nhmex.rst sections 4 and 6. The global control is in
//! [`super::NHMEX`].
//!
//! Abbreviations: STST start of a stop of all cores; SPC special cycles; U2R, U2B what the U-Box
//! sends to R-Box and B-Box; IPI interrupt from one core to another; PM power management.
//!
//! Oddities:
//!
//! * There is no box control. The enable bit of the counter is in the global control, too.
//! * There are neither umask nor threshold nor invert, and edge detection takes no threshold.
//!
//! Uncertain:
//!
//! * Whether the event select has 8 or 9 bits. Nine are written, and a part that has eight
//!   is found out when the box is added: the events above 0xff then count nothing of their own.
//! * Events that only the lists have.

use super::*;

// Registers: MSR numbers.

/// `U_MSR_PMON_EV_SEL` (RW) and `U_MSR_PMON_CTR` (RW).
const COUNTERS: &[Counter] = &[counter(0xc10, 0xc11)];

/// Layout of `U_MSR_PMON_EV_SEL`, section 6.
///
/// SPEC: nhmex X-4, bit 8 belongs to the event.
const CONTROL: Control = Control {
    writable: 0x0044_01ff,
    uncertain: 1 << 8,
    select: bits::<0, 8>(),
    ..super::CONTROL
};

#[rustfmt::skip] // In columns, to be read against section 6.
const FIELDS: &[Field] = &[
    field("event", Word::Config, bits::<0, 8>(),   Role::Select),
    field("edge",  Word::Config, bits::<18, 18>(), Role::Edge),
];

// Events.

/// The only counter.
const ANY: u8 = 0b1;

/// No event is stated to add more than 1, and there is no threshold.
const NOT_STATED: u16 = 1;

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const COMMON: &[Event] = &[
    // Name                       select ctr. max
    event("buf_valid_local_int",  0x00,  ANY, 1).source("manual 2-6"),
    event("buf_valid_remote_int", 0x01,  ANY, 1).source("manual 2-6"),
    event("buf_valid_lock",       0x02,  ANY, 1).source("manual 2-6"),
    event("buf_valid_stst",       0x03,  ANY, 1).source("manual 2-6"),
    event("buf_valid_spc_cycles", 0x04,  ANY, NOT_STATED).source("manual 2-6"),
    event("u2r_requests",         0x50,  ANY, NOT_STATED).source("manual 2-6"),
    event("u2b_request_cycles",   0x51,  ANY, NOT_STATED).source("manual 2-6"),
    event("woken",                0xf8,  ANY, NOT_STATED).source("manual 2-6"),
    event("ipis_sent",            0xf9,  ANY, NOT_STATED).source("manual 2-6"),
    event("recov",                0x1df, ANY, NOT_STATED).source("manual 2-6"),
    event("corrected_err",        0x1e4, ANY, NOT_STATED).source("manual 2-6"),
    event("uncorrected_err",      0x1e5, ANY, NOT_STATED).source(LISTS),
    event("fatal_err",            0x1e6, ANY, NOT_STATED).source(LISTS),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const WSM_ONLY: &[Event] = &[
    // Name                      select ctr. max
    event("buf_valid_door_bell", 0x05,  ANY, NOT_STATED).source(LISTS),
    event("buf_valid_pm_in",     0x06,  ANY, NOT_STATED).source(LISTS),
    event("buf_valid_pm_out",    0x07,  ANY, NOT_STATED).source(LISTS),
];

/// The U-Box of Nehalem-EX.
pub(super) const NHM: BoxType = BoxType {
    name: "ubox",
    numbered: false,
    access: Access::Msr {
        bases: &[0],
        present: &[Presence::All],
    },
    box_control: None,
    status: None,
    counters: COUNTERS,
    width: 48,
    control: CONTROL,
    fields: FIELDS,
    events: COMMON,
    builtin_events: true,
    max_clock_mhz: MAX_UCLK_MHZ,
    max_increment: 1,
    ..ORDINARY_BOX
};

/// The U-Box of Westmere-EX.
pub(super) const WSM: BoxType = BoxType {
    events: &changed::<16>(COMMON, WSM_ONLY, &[]),
    ..NHM
};
