// SPDX-License-Identifier: GPL-2.0

//! The QPI link layer of a port, as in [`ivbep::qpi`]: Documentation/hardware/jkt.rst section 7.7. Two
//! ports.
//!
//! Uncertain:
//!
//! * J-14: whether `cto_count` has the extra bit. It has, as on Ivy Bridge.
//! * J-17: whether `rxl_stalls` has it. It has not, as listed.

use super::*;
use ivbep::qpi::EVENTS;

#[rustfmt::skip] // In columns, to be read against section 1.
const FUNCTIONS: &[PciFunction] = &[
    // port dev fn ID               dev fn  ID
    pci(0,  8, 2, 0x3c41).filters(  8, 6, 0x3c86),
    pci(1,  9, 2, 0x3c42).filters(  9, 6, 0x3c96),
];

const DIRECT2CORE: &[SubEvent] = &inserted::<4>(
    &inserted::<3>(
        &picked::<2>(row(EVENTS, 0x13).subevents, &[0x02, 0x08]),
        sub("success", 0x01),
    ),
    sub("failure_rbt", 0x04),
);

#[rustfmt::skip] // One row, one line, in columns.
const CHANGED: &[Event] = &[
    with(EVENTS, 0x00, row(EVENTS, 0x01).subevents),
    with(EVENTS, 0x13, DIRECT2CORE),

    Event {
        name: "rxl_stalls",
        ..moved(EVENTS, 0x35 | EXT, 0x35)
    },

    whole(EVENTS, 0x09 | EXT),
    whole(EVENTS, 0x0a | EXT),
    whole(EVENTS, 0x0b | EXT),
    whole(EVENTS, 0x0c | EXT),
    whole(EVENTS, 0x0d | EXT),
    whole(EVENTS, 0x0e | EXT),
    whole(EVENTS, 0x15 | EXT),
    whole(EVENTS, 0x16 | EXT),
    whole(EVENTS, 0x17 | EXT),
    whole(EVENTS, 0x18 | EXT),
    whole(EVENTS, 0x19 | EXT),
    whole(EVENTS, 0x1a | EXT),

    Event {
        max_increment: 1,
        ..row(EVENTS, 0x1e | EXT)
    },

    row(EVENTS, 0x38 | EXT).presets(presets![]),
];

#[rustfmt::skip] // In rows.
const WITHOUT: &[u32] = &[
    0x0f | EXT, 0x10 | EXT, 0x11 | EXT, 0x12 | EXT, 0x13 | EXT, 0x14 | EXT, 0x1f | EXT, 0x20 | EXT,
    0x21 | EXT, 0x22 | EXT, 0x23 | EXT, 0x24 | EXT, 0x25 | EXT, 0x26 | EXT, 0x27 | EXT, 0x28 | EXT,
    0x29 | EXT, 0x2a | EXT, 0x2b | EXT, 0x2c | EXT, 0x35 | EXT, 0x39 | EXT, 0x3a | EXT,
];

/// A port's link layer.
pub(super) const QPI: BoxType = BoxType {
    access: Access::Pci(FUNCTIONS),
    fields: &polled::<23>(ivbep::qpi::FIELDS),
    events: &changed::<41>(EVENTS, CHANGED, WITHOUT),
    ..with_registers(ivbep::qpi::QPI, RESET)
};
