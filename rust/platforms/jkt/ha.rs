// SPDX-License-Identifier: GPL-2.0

//! The home agent, as in [`ivbep::ha`]: Documentation/hardware/jkt.rst section 7.3. One per package.
//!
//! Oddities:
//!
//! * No bit clears the counter of a queue's occupancy (J-22). An event adds up what it holds, and takes
//!   the difference.
//!
//! Uncertain:
//!
//! * J-18: one source marks `conflict_cycles.no_conflict`, `direct2core_*` and `directory_*` as events
//!   that do not work. They are offered.

use super::*;
use ivbep::ha::{
    ANY,
    EVENTS,
    NOT_STATED, //
};

/// Sub-events of the schedulers.
const SCHEDULERS: &[SubEvent] = row(EVENTS, 0x27).subevents;

const CONFLICT_CYCLES: &[SubEvent] = &inserted::<2>(
    &picked::<1>(row(EVENTS, 0x0b).subevents, &[0x02]),
    sub("no_conflict", 0x01),
);

const DIRECTORY_UPDATE: &[SubEvent] = match row(EVENTS, 0x0d).subevents {
    [set, clear, _, any, ..] => &[*set, *clear, *any],
    _ => &[],
};

/// The occupancy of a queue.
const fn occupancy(select: u32) -> Event {
    Event {
        max_increment: NOT_STATED,
        class: Class::Plain,
        ..with(EVENTS, select, SCHEDULERS)
    }
}

/// An event of a ring.
const fn ring(select: u32) -> Event {
    Event {
        max_increment: NOT_STATED,
        ..with(EVENTS, select, RING_USED)
    }
}

#[rustfmt::skip] // One row, one line, in columns.
const CHANGED: &[Event] = &[
    with(EVENTS, 0x01, &picked::<2>(row(EVENTS, 0x01).subevents, &[0x03, 0x0c])),

    event("tracker_inserts",  0x06,  ANY,  1).combined("section 7.3", const { &[
        sub("all",            0x03),
    ] }),

    with(EVENTS, 0x0b, CONFLICT_CYCLES),
    with(EVENTS, 0x0c, row(EVENTS, 0x0c).subevents.split_at(2).0),
    with(EVENTS, 0x0d, DIRECTORY_UPDATE),
    event("txr_ak_ndr",       0x0e,  ANY,  1).source("section 7.3"),

    event("txr_ad",           0x0f,  ANY,  1).combined("section 7.3", const { &[
        sub("ndr",            0x01),
        sub("snp",            0x02),
    ] }),

    Event {
        max_increment: NOT_STATED,
        ..row(EVENTS, 0x14)
    },

    with(EVENTS, 0x20, &picked::<1>(row(EVENTS, 0x20).subevents, &[0x03])),
    occupancy(0x28),
    occupancy(0x30),
    occupancy(0x34),
    ring(0x3e),
    ring(0x3f),
    ring(0x40),
];

/// The home agent.
pub(super) const HA: BoxType = BoxType {
    numbered: false,
    access: Access::Pci(&[pci(0, 14, 1, 0x3c46)]),
    fields: &polled::<7>(ivbep::ha::FIELDS),
    events: &changed::<38>(
        EVENTS,
        CHANGED,
        &[
            0x03, 0x17, 0x21, 0x41, 0x42, 0x43, 0x51, 0x52, 0x53, 0x54, 0x56, 0x57, 0x58, 0x59,
            0x5a, 0x60,
        ],
    ),
    max_increment: NOT_STATED,
    ..with_registers(ivbep::ha::HA, NO_RESET)
};
