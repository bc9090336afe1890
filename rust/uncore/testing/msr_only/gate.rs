// SPDX-License-Identifier: GPL-2.0

//! A made-up gate, each counter of which has a set of events of its own. The event select is in
//! several fields, of which one is not written. Two bits enable a counter, one of them the lowest,
//! and one bit of the event select may be absent. The box control has an enable bit for each
//! counter, the fixed one included. Counters read too high at some values.

use crate::uncore::table::prelude::*;

/// Offsets.
pub(crate) const BOX_CONTROL: u16 = 0x0;
pub(crate) const FIXED_CONTROL: u16 = 0x15;
pub(crate) const FIXED_COUNTER: u16 = 0x14;
pub(crate) const CONTROL: [u16; 2] = [0x10, 0x12];
pub(crate) const COUNTER: [u16; 2] = [0x11, 0x13];

/// The defect of the counters.
pub(crate) const MISREAD: Misread = Misread {
    bits: 24,
    values: 2,
};

/// Value of the box control that lets all counters run.
pub(crate) const ALL_RUN: u32 = 1 << 31 | 0b11;

/// Bits that let a counter count.
pub(crate) const ENABLE: u32 = 1 << 6 | 1 << 0;

/// The bit of the event select that a part may lack.
pub(crate) const UNCERTAIN: u8 = 7;

const SELECT: &[Bits] = &[Bits { low: 1, high: 5 }, Bits { low: 7, high: 9 }];

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event",   Word::Config, bits::<1, 5>(), Role::Select),
    field("late",    Word::Config, bits::<7, 7>(), Role::Select),
    field("counter", Word::Config, bits::<8, 9>(), Role::EventSet),
];

/// Event `code` of a counter.
const fn code(counter: u32, code: u32) -> u32 {
    counter << 8 | code << 1
}

/// The bit of late events.
const LATE: u32 = 1 << UNCERTAIN;

#[rustfmt::skip] // One row, one line.
const EVENTS: &[Event] = &[
    event("opened",      code(0, 0x00),        0b01, 1).source("made up"),
    event("passed",      code(0, 0x01),        0b01, 2).source("made up"),
    event("passed_late", code(0, 0x01) | LATE, 0b01, 2).source("made up"),
    event("closed",      code(1, 0x01),        0b10, 1).source("made up"),
    event("forced",      code(1, 0x1f),        0b10, 1).source("made up"),
];

pub(crate) static GATE: BoxType = GATES;

pub(crate) const GATES: BoxType = BoxType {
    name: "gate",
    numbered: true,
    access: Access::Msr {
        bases: &[0xc20, 0xc60],
        present: &[Presence::All],
    },
    box_control: Some(BoxControl {
        offset: BOX_CONTROL,
        reset: &[],
        freeze: 0,
        unfreeze: ALL_RUN,
    }),
    status: None,
    counters: &[
        counter(CONTROL[0], COUNTER[0]),
        counter(CONTROL[1], COUNTER[1]),
    ],
    width: 48,
    fixed: &[Fixed {
        control: Some(FixedControl {
            offset: FIXED_CONTROL,
            writable: 1 << 0,
            enable: 1 << 0,
            overflow_enable: None,
            acts: 0,
        }),
        counter: FIXED_COUNTER,
        width: 48,
        max_width: 48,
        select: 0x3be,
        name: "ticks",
        unit: None,
    }],
    control: Control {
        writable: 0xff,
        enable: ENABLE,
        overflow_enable: None,
        uncertain: 1 << UNCERTAIN,
        acts: 0,
        queue_reset: None,
        twice: false,
        select: SELECT,
    },
    fields: FIELDS,
    events: EVENTS,
    builtin_events: false,
    max_clock_mhz: 4000,
    max_increment: 2,
    misread: Some(MISREAD),
    ..ORDINARY_BOX
};

/// The gate with edge detection. It has no thresholds for that.
pub(crate) static STEPS: BoxType = BoxType {
    control: Control {
        writable: 1 << 18 | 0xff,
        ..GATES.control
    },
    fields: STEP_FIELDS,
    ..GATES
};

#[rustfmt::skip] // In columns.
const STEP_FIELDS: &[Field] = &[
    field("event",   Word::Config, bits::<1, 5>(),   Role::Select),
    field("late",    Word::Config, bits::<7, 7>(),   Role::Select),
    field("counter", Word::Config, bits::<8, 9>(),   Role::EventSet),
    field("edge",    Word::Config, bits::<18, 18>(), Role::Edge),
];
