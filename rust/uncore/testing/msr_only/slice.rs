// SPDX-License-Identifier: GPL-2.0

//! A made-up cache slice, one for each core, in an order of its own. It has umasks that are
//! numbers, of which 0 is one, umasks that need a bit of each half, sub-events that exclude some
//! others, and a threshold with a name. Its boxes are reset in two steps, and its control registers
//! written twice.

use crate::uncore::table::prelude::*;

/// Offsets.
pub(crate) const BOX_CONTROL: u16 = 0x0;
pub(crate) const CONTROL: [u16; 2] = [0x1, 0x2];
pub(crate) const COUNTER: [u16; 2] = [0x6, 0x7];

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    field("inv",    Word::Config, bits::<23, 23>(), Role::Invert),
    field("thresh", Word::Config, bits::<24, 31>(), Role::Threshold),
];

/// All counters.
const ANY: u8 = 0b11;

#[rustfmt::skip] // One row, one line.
const EVENTS: &[Event] = &[
    event("clock",  0x00, ANY, 1).source("made up"),
    event("bank",   0x10, ANY, 4).listed("made up", const { &[
        sub("0",         0x00),
        sub("1",         0x01),
        sub("all",       0x10),
    ] }).presets(presets![
        preset("bank.busy", 0, 0).config(3 << 24 | 0x1000).source("made up"),
    ]),
    event("answer", 0x17, ANY, 1).combined("made up", const { &[
        sub("miss_code", 0x11),
        sub("hit_code",  0x12),
        sub("miss_data", 0x21),
        sub("hit_data",  0x22),
    ] }),
    event("detour", 0x18, ANY, 1).combined("made up", const { &[
        sub("short",     0x01).excludes(0x0c),
        sub("shorter",   0x02).excludes(0x0c),
        sub("long",      0x04).excludes(0x03),
        sub("longer",    0x08).excludes(0x03),
    ] }),
];

pub(crate) static SLICE: BoxType = SLICES;

const SLICES: BoxType = BoxType {
    name: "slice",
    numbered: true,
    access: Access::Msr {
        bases: &[0x700, 0x740, 0x720, 0x760, 0x710, 0x750, 0x730, 0x770],
        present: &[Presence::Cores],
    },
    box_control: Some(BoxControl {
        offset: BOX_CONTROL,
        reset: &[0x1, 0x3],
        freeze: 0x100,
        unfreeze: 0,
    }),
    status: None,
    counters: &[
        counter(CONTROL[0], COUNTER[0]),
        counter(CONTROL[1], COUNTER[1]),
    ],
    width: 44,
    control: Control {
        writable: 0xffc4_ffff,
        enable: 1 << 22,
        overflow_enable: None,
        uncertain: 0,
        acts: 0,
        queue_reset: None,
        twice: true,
        select: bits::<0, 7>(),
    },
    fields: FIELDS,
    events: EVENTS,
    builtin_events: false,
    max_clock_mhz: 4000,
    max_increment: 4,
    ..ORDINARY_BOX
};
