// SPDX-License-Identifier: GPL-2.0

//! A made-up router with filter registers of 64 bits, of which some are MSRs at no offset that both
//! boxes have. A guard must be off while they are written.

use crate::uncore::table::prelude::*;

/// Offsets.
pub(crate) const CONTROL: [u16; 2] = [0x10, 0x12];
pub(crate) const COUNTER: [u16; 2] = [0x11, 0x13];
pub(crate) const MODE: u16 = 0x15;

/// MSR numbers.
pub(crate) const GUARD: &[u32] = &[0x200, 0x210];
pub(crate) const MATCH: &[u32] = &[0x201, 0x211];
pub(crate) const MASK: &[u32] = &[0x202, 0x20a];

/// The guard while an event compares packets.
pub(crate) const ON: u64 = 1 << 63;

/// Enable bit of the control registers.
pub(crate) const ENABLE: u64 = 1 << 22;

/// Filter units.
const PACKET: u8 = 0;
const CARE: u8 = 1;
const MODES: u8 = 2;

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event", Word::Config,  bits::<0, 7>(),   Role::Select),
    field("match", Word::Config1, bits::<0, 63>(),  Role::Filter(PACKET)),
    field("mask",  Word::Config2, bits::<0, 38>(),  Role::Filter(CARE)),
    field("mode",  Word::Config2, bits::<48, 55>(), Role::Filter(MODES)),
];

#[rustfmt::skip] // In columns.
const UNITS: &[FilterUnit] = &[
    filter_unit("packet", Word::Config1, u64::MAX,       WhenZero::Ask("match")),
    filter_unit("care",   Word::Config2, 0x7f_ffff_ffff, WhenZero::Keep),
    filter_unit("mode",   Word::Config2, 0xff << 48,     WhenZero::Ask("mode")),
];

/// All counters.
const ANY: u8 = 0b11;

#[rustfmt::skip] // One row, one line.
const EVENTS: &[Event] = &[
    event("packets", 0x00, ANY, 1).filter(PACKET).filter(CARE).source("made up"),
    event("clock",   0x01, ANY, 1).source("made up"),
    event("retries", 0x02, ANY, 1).filter(MODES).source("made up"),
];

pub(crate) static ROUTER: BoxType = ROUTERS;

pub(crate) const ROUTERS: BoxType = BoxType {
    name: "router",
    numbered: true,
    access: Access::Msr {
        bases: &[0xc40, 0xcc0],
        present: &[Presence::All],
    },
    box_control: None,
    status: None,
    global_status: &[],
    counters: &[
        counter(CONTROL[0], COUNTER[0]),
        counter(CONTROL[1], COUNTER[1]),
    ],
    width: 48,
    counter_sets: &[],
    fixed: &[],
    control: Control {
        writable: 0x0040_00ff,
        enable: 1 << 22,
        overflow_enable: None,
        acts: 0,
        queue_reset: None,
        twice: false,
        uncertain: 0,
        select: bits::<0, 7>(),
    },
    fields: FIELDS,
    filters: &[
        filter_register(MODE, Word::Config2, 48, 0xff),
        constant_filter(Place::Msrs(GUARD), 1 << PACKET | 1 << CARE, ON),
        filter_msrs(MATCH, Word::Config1, 0, u64::MAX).guarded_by(1),
        filter_msrs(MASK, Word::Config2, 0, 0x7f_ffff_ffff).guarded_by(1),
    ],
    filter_units: UNITS,
    events: EVENTS,
    builtin_events: false,
    max_clock_mhz: 4000,
    max_increment: 1,
    needs_clock: false,
    misread: None,
    alternative: None,
};

const _: () = check(&ROUTERS);
