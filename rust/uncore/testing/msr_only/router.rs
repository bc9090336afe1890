// SPDX-License-Identifier: GPL-2.0

//! A made-up router with filter registers of 64 bits, of which some are MSRs at no offset that both
//! boxes have. A guard must be off while they are written. Some filters have a copy for each of two
//! ports, in one register or in two. Their fields share bits with the others'.

use crate::uncore::table::prelude::*;

/// Offsets.
pub(crate) const CONTROL: [u16; 2] = [0x10, 0x12];
pub(crate) const COUNTER: [u16; 2] = [0x11, 0x13];
pub(crate) const MODE: u16 = 0x15;
pub(crate) const TUNE: [u16; 2] = [0x18, 0x19];
pub(crate) const SETUP: u16 = 0x1a;

/// MSR numbers.
pub(crate) const GUARD: &[u32] = &[0x200, 0x210];
pub(crate) const MATCH: &[u32] = &[0x201, 0x211];
pub(crate) const MASK: &[u32] = &[0x202, 0x20a];
pub(crate) const LANE: &[u32] = &[0x220, 0x221];

/// The guard while an event compares packets.
pub(crate) const ON: u64 = 1 << 63;

/// Filter units.
const PACKET: u8 = 0;
const CARE: u8 = 1;
const MODES: u8 = 2;
pub(crate) const TUNES: u8 = 3;
pub(crate) const LANES: u8 = 4;
const SETUPS: u8 = 5;

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event", Word::Config,  bits::<0, 7>(),   Role::Select),
    field("match", Word::Config1, bits::<0, 63>(),  Role::Filter(PACKET)),
    field("mask",  Word::Config2, bits::<0, 38>(),  Role::Filter(CARE)),
    field("mode",  Word::Config2, bits::<48, 55>(), Role::Filter(MODES)),
    field("tune",  Word::Config1, bits::<0, 31>(),  Role::Filter(TUNES)),
    field("lane",  Word::Config1, bits::<4, 7>(),   Role::Filter(LANES)),
    field("setup", Word::Config,  bits::<40, 63>(), Role::Filter(SETUPS)),
];

#[rustfmt::skip] // In columns.
const UNITS: &[FilterUnit] = &[
    filter_unit("packet", Word::Config1, u64::MAX,       WhenZero::Ask("match")),
    filter_unit("care",   Word::Config2, 0x7f_ffff_ffff, WhenZero::Keep),
    filter_unit("mode",   Word::Config2, 0xff << 48,     WhenZero::Ask("mode")),
    filter_unit("tune",   Word::Config1, 0xffff_ffff,    WhenZero::Ask("tune")).copies(2),
    filter_unit("lane",   Word::Config1, 0xf0,           WhenZero::Ask("lane")).copies(2),
    filter_unit("setup",  Word::Config,  0xff_ffff << 40, WhenZero::Keep),
];

/// All counters.
const ANY: u8 = 0b11;

#[rustfmt::skip] // One row, one line.
const EVENTS: &[Event] = &[
    event("packets", 0x00, ANY, 1).filter(PACKET).filter(CARE).source("made up"),
    event("clock",   0x01, ANY, 1).source("made up"),
    event("retries", 0x02, ANY, 1).filter(MODES).source("made up"),
    event("tuned0",  0x08, ANY, 1).filter(TUNES).filter(SETUPS).source("made up"),
    event("tuned1",  0x09, ANY, 1).filter(TUNES).copy(1).source("made up").presets(presets![
        preset("tuned1.fast", 0xf1, 0).source("made up"),
    ]),
    event("lane0",   0x0a, ANY, 1).filter(LANES).source("made up").presets(presets![
        preset("lane0.any", 0xf0, 0).source("made up"),
    ]),
    event("lane1",   0x0b, ANY, 1).filter(LANES).copy(1).source("made up"),
    event("set_up",  0x0c, ANY, 1).filter(SETUPS).source("made up").presets(presets![
        preset("set_up.both", 0, 0).config(3 << 40).source("made up"),
    ]),
];

/// The register with a copy of the tune.
const fn tune(offset: u16, copies: &'static [Copied]) -> FilterRegister {
    filter_register(offset, Word::Config1, 0, 0xffff_ffff)
        .of_units(1 << TUNES)
        .with_copies(copies)
}

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
    counters: &[
        counter(CONTROL[0], COUNTER[0]),
        counter(CONTROL[1], COUNTER[1]),
    ],
    width: 48,
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
        filter_msrs(MATCH, Word::Config1, 0, u64::MAX)
            .of_units(1 << PACKET)
            .guarded_by(1),
        filter_msrs(MASK, Word::Config2, 0, 0x7f_ffff_ffff).guarded_by(1),
        tune(TUNE[0], const { &[copied(0, 0)] }),
        tune(TUNE[1], const { &[copied(1, 0)] }),
        filter_msrs(LANE, Word::Config1, 4, 0xf0f)
            .of_units(1 << LANES)
            .with_copies(const { &[copied(0, 0), copied(1, 8)] }),
        filter_register(SETUP, Word::Config, 40, 0xff_ffff),
    ],
    filter_units: UNITS,
    events: EVENTS,
    builtin_events: false,
    max_clock_mhz: 4000,
    max_increment: 1,
    ..ORDINARY_BOX
};
