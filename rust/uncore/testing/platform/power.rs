// SPDX-License-Identifier: GPL-2.0

//! A made-up power controller. It has no umask but a choice of occupancies, which have edge and
//! invert bits of their own, two counters that always run, and one that does not. The bit of other
//! edges may be absent.

use crate::uncore::table::prelude::*;

/// Offsets.
pub(crate) const CONTROL: [u16; 2] = [0x10, 0x11];
pub(crate) const COUNTER: [u16; 2] = [0x16, 0x17];
pub(crate) const FILTER: u16 = 0x14;
pub(crate) const SLEEP: u16 = 0x20;
pub(crate) const DEEP: u16 = 0x21;
pub(crate) const TICKS_CONTROL: u16 = 0x22;
pub(crate) const TICKS: u16 = 0x23;

/// The bit of edges, which a part may lack.
pub(crate) const EDGE: u32 = 1 << 18;

/// Filter unit.
const BAND: u8 = 0;

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event",     Word::Config,  bits::<0, 7>(),   Role::Select),
    field("state",     Word::Config,  bits::<14, 15>(), Role::Umask),
    field("edge",      Word::Config,  bits::<18, 18>(), Role::Edge),
    field("inv",       Word::Config,  bits::<23, 23>(), Role::Invert),
    field("thresh",    Word::Config,  bits::<24, 28>(), Role::Threshold),
    field("occ_below", Word::Config,  bits::<30, 30>(), Role::OccupancyInvert),
    field("occ_edge",  Word::Config,  bits::<31, 31>(), Role::OccupancyEdge),
    field("band",      Word::Config1, bits::<0, 7>(),   Role::Filter(BAND)),
];

/// All counters.
const ANY: u8 = 0b11;

#[rustfmt::skip] // One row, one line.
const EVENTS: &[Event] = &[
    event("clock",     0x00, ANY,  1).source("made up"),
    event("banded",    0x0b, ANY,  1).filter(BAND).source("made up"),
    event("occupancy", 0x80, ANY, 15).occupancy().listed("made up", const { &[
        sub("awake",   0x01),
        sub("asleep",  0x02),
    ] }),
];

/// Refuses edge detection and inversion together of `banded`.
fn refuse(event: &Event, words: &Words) -> Result<(), &'static str> {
    const BOTH: u64 = 1 << 18 | 1 << 23;
    match event.select {
        0x0b if words.config & BOTH == BOTH => Err("it takes edge or inv, not both"),
        _ => Ok(()),
    }
}

const FREE: Fixed = Fixed {
    control: None,
    counter: SLEEP,
    width: 64,
    max_width: 64,
    select: 0xfc,
    name: "sleep",
    unit: None,
};

pub(crate) static POWER: BoxType = ONLY;

pub(crate) const ONLY: BoxType = BoxType {
    name: "power",
    numbered: false,
    access: Access::Msr {
        bases: &[0xc20],
        present: &[Presence::All],
    },
    box_control: None,
    status: None,
    counters: &[
        counter(CONTROL[0], COUNTER[0]),
        counter(CONTROL[1], COUNTER[1]),
    ],
    width: 48,
    fixed: &[
        FREE,
        Fixed {
            counter: DEEP,
            select: 0xfd,
            name: "deep",
            ..FREE
        },
        Fixed {
            control: Some(FixedControl {
                offset: TICKS_CONTROL,
                writable: 1 << 22,
                enable: 1 << 22,
                overflow_enable: None,
                acts: 0,
            }),
            counter: TICKS,
            width: 48,
            max_width: 48,
            select: 0xff,
            name: "ticks",
            unit: None,
        },
    ],
    control: Control {
        writable: 0xdfc6_c0ff,
        enable: 1 << 22,
        overflow_enable: None,
        uncertain: EDGE,
        acts: 1 << 17,
        queue_reset: None,
        twice: false,
        select: bits::<0, 7>(),
    },
    fields: FIELDS,
    filters: &[filter_register(FILTER, Word::Config1, 0, 0xff)],
    filter_units: &[filter_unit(
        "band",
        Word::Config1,
        0xff,
        WhenZero::Refuse("band"),
    )],
    events: EVENTS,
    refuse,
    builtin_events: false,
    max_clock_mhz: 800,
    max_increment: 15,
    ..ORDINARY_BOX
};
