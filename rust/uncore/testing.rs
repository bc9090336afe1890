// SPDX-License-Identifier: GPL-2.0

//! A made-up box type for the suites, with the features that most boxes have. Features of few boxes
//! are in [`platform`] and [`msr_only`].
//!
//! Four counters of 44 bits, a fixed one of 40 and one that always runs, two filter registers with
//! four units. No real box has these numbers, so that a suite that passes does not depend on one.

use super::table::prelude::*;

pub(crate) mod msr_only;
pub(crate) mod numbered;
pub(crate) mod platform;

pub(crate) use self::{
    msr_only::{
        gate::{
            self,
            GATE, //
        },
        slice::SLICE, //
    },
    platform::{
        link::{
            LINK,
            ONE_SET, //
        },
        power::POWER,
        MADE_UP, //
    }, //
};

/// Filter units.
pub(crate) const WHO: u8 = 0;
pub(crate) const STATE: u8 = 1;
pub(crate) const NODE: u8 = 2;
pub(crate) const OPCODE: u8 = 3;

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event",          Word::Config,  bits::<0, 7>(),   Role::Select),
    field("umask",          Word::Config,  bits::<8, 15>(),  Role::Umask),
    field("edge",           Word::Config,  bits::<18, 18>(), Role::Edge),
    field("who_en",         Word::Config,  bits::<19, 19>(), Role::FilterEnable(WHO)),
    field("thresh",         Word::Config,  bits::<24, 31>(), Role::Threshold),
    field("filter_who",     Word::Config1, bits::<0, 4>(),   Role::Filter(WHO)),
    field("filter_state",   Word::Config1, bits::<8, 13>(),  Role::Filter(STATE)),
    field("filter_node",    Word::Config1, bits::<32, 39>(), Role::Filter(NODE)),
    field("filter_opcode",  Word::Config1, bits::<48, 55>(), Role::Filter(OPCODE)),
    field("filter_special", Word::Config1, bits::<56, 56>(), Role::Filter(OPCODE)),
];

#[rustfmt::skip] // In columns.
const UNITS: &[FilterUnit] = &[
    filter_unit("who",    Word::Config1, 0x1f,        WhenZero::Enabled),
    filter_unit("state",  Word::Config1, 0x3f << 8,   WhenZero::Fill(0x3f << 8)),
    filter_unit("node",   Word::Config1, 0xff << 32,  WhenZero::Refuse("filter_node")),
    filter_unit("opcode", Word::Config1, 0x1ff << 48, WhenZero::Refuse("filter_opcode")).valid(opcode_exists),
];

/// Opcodes from 0x80 on.
fn opcode_exists(config1: u64) -> Result<(), &'static str> {
    match config1 & 0x80 << 48 {
        0 => Err("filter_opcode must be 0x80 or more"),
        _ => Ok(()),
    }
}

#[rustfmt::skip] // One row, one line.
const EVENTS: &[Event] = &[
    event("clock",   0x00, 0b1111,  1).source("made up"),
    event("queue",   0x11, 0b0001, 20).needs(Needs::Source).combined("made up", const { &[
        sub("reads",   0x01),
        sub("retries", 0x02).exclusive(),
        sub("writes",  0x04),
    ] }),
    event("ring",    0x1b, 0b1100,  1).combined("made up", const { &[
        sub("up",      0x03),
        sub("down",    0x0c),
        sub("secret",  0x10),
        sub("noded",   0x40).filter(NODE),
    ] }),
    event("shown",   0x1f, 0b1110, 20).needs(Needs::SourceOnCounter0).source("made up"),
    event("lookup",  0x34, 0b0011,  1).filter(STATE).listed_with(0x40, "made up", const { &[
        sub("read",    0x03),
        sub("write",   0x05),
        sub("hidden",  0x11),
        sub("local",   0x21).filter(NODE).filter(STATE),
        sub("noded",   0x41).filter(NODE),
    ] }),
    event("insert",  0x35, 0b0011,  1).listed("made up", const { &[
        sub("opcode",  0x01).filter(OPCODE),
        sub("all",     0x08),
        sub("both",    0x41).filter(OPCODE).filter(NODE),
    ] }).presets(presets![
        preset("reads",       0x85 << 48,            0).config(0x0100).source("made up"),
        preset("reads.mine",  0x85 << 48 | 3,        0).config(0x0008_0100).source("made up"),
        preset("reads.near",  0x85 << 48 | 2 << 32,  0).config(0x4100).source("made up"),
    ]),
    event("left",    0x40, 0b0110,  1).source("made up"),
];

/// Refuses `ring.secret` and `lookup.hidden`.
fn refuse(event: &Event, words: &Words) -> Result<(), &'static str> {
    match (event.select, words.config >> 8 & 0xff) {
        (0x1b, umask) if umask & 0x10 != 0 => Err("it needs a register nobody describes"),
        (0x34, 0x11 | 0x51) => Err("it needs a register nobody describes"),
        _ => Ok(()),
    }
}

/// Offsets.
pub(crate) const BOX_CONTROL: u16 = 0x04;
pub(crate) const CONTROL: [u16; 4] = [0x10, 0x11, 0x12, 0x13];
pub(crate) const COUNTER: [u16; 4] = [0x16, 0x17, 0x18, 0x19];
pub(crate) const FILTER: [u16; 2] = [0x14, 0x1a];
pub(crate) const FIXED_CONTROL: u16 = 0x08;
pub(crate) const FIXED_COUNTER: u16 = 0x09;
pub(crate) const FREE_COUNTER: u16 = 0x0a;

/// Values of the box control register.
pub(crate) const FREEZE: u64 = 0x0003_0100;
pub(crate) const UNFREEZE: u64 = 0x0003_0000;
pub(crate) const RESET: u64 = 0x0003_0003;

/// Enable bit of the control registers.
pub(crate) const ENABLE: u64 = 1 << 22;

pub(crate) static KIND: BoxType = BASE;

/// The box type without a box control register.
pub(crate) static UNFROZEN: BoxType = BoxType {
    box_control: None,
    ..BASE
};

/// The box type whose filters may be in use one at a time only.
pub(crate) static ONE_FILTER: BoxType = BoxType {
    one_criterion: true,
    ..BASE
};

/// The box type with counters that interrupt when they overflow, and a box status.
pub(crate) static TELLING: BoxType = TELLS;

/// Offset of the box status, and its bits for general counter 2 and the fixed counter.
pub(crate) const STATUS: u16 = 0x15;
pub(crate) const OVERFLOWED: [u64; 2] = [1 << 3, 1 << 0];

/// Overflow enable bit of the control registers.
pub(crate) const TELL: u64 = 1 << 20;

/// The shortest interval of an event that adds 1 in a clock.
pub(crate) const SHORTEST: u64 = 200_000;

const TELLS: BoxType = BoxType {
    status: Some(BoxStatus {
        offset: STATUS,
        overflow: 0b1_1111,
    }),
    global_status: &[1 << 3, 1 << 4, 1 << 5, 1 << 6],
    fixed: &[
        Fixed {
            control: Some(FixedControl {
                offset: FIXED_CONTROL,
                writable: 1 << 22 | 1 << 20,
                enable: 1 << 22,
                overflow_enable: Some(1 << 20),
                acts: 0,
            }),
            counter: FIXED_COUNTER,
            width: 40,
            max_width: 44,
            select: 0xff,
            name: "ticks",
            unit: None,
        },
        FREE,
    ],
    control: Control {
        writable: 0xff56_ffff,
        overflow_enable: Some(1 << 20),
        ..BASE.control
    },
    fields: &[
        field("event", Word::Config, bits::<0, 7>(), Role::Select),
        field("umask", Word::Config, bits::<8, 15>(), Role::Umask),
        field("edge", Word::Config, bits::<18, 18>(), Role::Edge),
        field("thresh", Word::Config, bits::<24, 31>(), Role::Threshold),
        INTERVAL,
    ],
    filters: &[],
    filter_units: &[],
    events: &[
        event("clock", 0x00, 0b1111, 1).source("made up"),
        event("queue", 0x11, 0b1111, 20).source("made up"),
        event("view", 0x1e, 0b0001, 1)
            .needs(Needs::Source)
            .source("made up"),
        event("shown", 0x1f, 0b1110, 1)
            .needs(Needs::SourceOnCounter0)
            .source("made up"),
        event("left", 0x40, 0b0110, 1).source("made up"),
    ],
    ..BASE
};

const FREE: Fixed = Fixed {
    control: None,
    counter: FREE_COUNTER,
    width: 64,
    max_width: 64,
    select: 0xfe,
    name: "free",
    unit: None,
};

pub(crate) const BASE: BoxType = BoxType {
    name: "test",
    numbered: true,
    access: Access::Msr {
        bases: &every::<4>(0x100, 0x20),
        present: &[Presence::All],
    },
    box_control: Some(BoxControl {
        offset: BOX_CONTROL,
        reset: &[0x0003_0003],
        freeze: 0x0003_0100,
        unfreeze: 0x0003_0000,
    }),
    status: None,
    counters: &[
        counter(CONTROL[0], COUNTER[0]),
        counter(CONTROL[1], COUNTER[1]),
        counter(CONTROL[2], COUNTER[2]),
        counter(CONTROL[3], COUNTER[3]),
    ],
    width: 44,
    fixed: &[
        Fixed {
            control: Some(FixedControl {
                offset: FIXED_CONTROL,
                writable: 1 << 22,
                enable: 1 << 22,
                overflow_enable: None,
                acts: 0,
            }),
            counter: FIXED_COUNTER,
            width: 40,
            max_width: 40,
            select: 0xff,
            name: "ticks",
            unit: None,
        },
        FREE,
    ],
    control: Control {
        writable: 0xff4e_ffff,
        enable: 1 << 22,
        overflow_enable: None,
        uncertain: 0,
        acts: 1 << 17,
        queue_reset: None,
        twice: false,
        select: bits::<0, 7>(),
    },
    fields: FIELDS,
    filters: &[
        filter_register(FILTER[0], Word::Config1, 0, 0x3f1f),
        filter_register(FILTER[1], Word::Config1, 32, 0x01ff_00ff),
    ],
    filter_units: UNITS,
    events: EVENTS,
    refuse,
    builtin_events: true,
    max_clock_mhz: 4000,
    max_increment: 20,
    ..ORDINARY_BOX
};
