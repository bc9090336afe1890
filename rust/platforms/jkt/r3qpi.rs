// SPDX-License-Identifier: GPL-2.0

//! R3QPI, as in [`ivbep::r3qpi`]: Documentation/hardware/jkt.rst section 7.9. Two links.
//!
//! Uncertain:
//!
//! * J-19: the counters of `ring_*_used`. They are on counter 2.

use super::*;
use ivbep::r3qpi::{
    C01,
    EVENTS, //
};
use xeon::r3qpi::CLASSES;

#[rustfmt::skip] // In columns, to be read against section 1.
const FUNCTIONS: &[PciFunction] = &[
    pci(0, 19, 5, 0x3c44),
    pci(1, 19, 6, 0x3c45),
];

/// Message classes of the I/O unit.
const IIO_CLASSES: &[SubEvent] = CLASSES.split_at(3).1;

#[rustfmt::skip] // One row, one line, in columns.
const CHANGED: &[Event] = &[
    with(EVENTS, 0x07, RING_USED),
    with(EVENTS, 0x08, RING_USED),
    with(EVENTS, 0x09, RING_USED),
    with(EVENTS, 0x0a, RING_IV_USED),
    with(EVENTS, 0x10, CLASSES),
    event("rxr_bypassed",          0x12,  C01,  1).combined("section 7.9", const { &[sub("ad", 0x01)] }),
    event("iio_credits_acquired",  0x20,  C01,  1).combined("section 7.9", IIO_CLASSES),
    event("iio_credits_reject",    0x21,  C01,  1).combined("section 7.9", IIO_CLASSES),
    event("iio_credits_used",      0x22,  C01,  1).combined("section 7.9", IIO_CLASSES),
    event("txr_inserts",           0x24,  C01,  1).combined("section 7.9", &inserted::<7>(CLASSES, bare())),
    event("txr_nack",              0x26,  C01,  1).source("section 7.9"),
    whole(EVENTS, 0x33),
];

/// A link's R3QPI.
pub(super) const R3QPI: BoxType = BoxType {
    access: Access::Pci(FUNCTIONS),
    fields: FIELDS,
    events: &changed::<22>(
        EVENTS,
        CHANGED,
        &[0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x38, 0x39],
    ),
    ..with_registers(ivbep::r3qpi::R3QPI, RESET)
};
