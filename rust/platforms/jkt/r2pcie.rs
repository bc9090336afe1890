// SPDX-License-Identifier: GPL-2.0

//! R2PCIe, as in [`ivbep::r2pcie`]: Documentation/hardware/jkt.rst section 7.8.
//!
//! Uncertain:
//!
//! * J-12: the counters of `txr_*`. They are on counter 0.
//! * J-19: the counters of `ring_*_used`. They are on counters 2 and 3.

use super::*;
use ivbep::r2pcie::{
    C0,
    EVENTS,
    NOT_STATED, //
};

/// Sub-events of the rings, with those of another program.
const RING_USED: &[SubEvent] = &inserted::<7>(
    &inserted::<6>(
        &inserted::<5>(super::RING_USED, sub("cw_any", 0x03).lists()),
        sub("ccw_any", 0x0c).lists(),
    ),
    sub("any", 0x0f).lists(),
);

/// Message classes.
const CLASSES: &[SubEvent] = row(EVENTS, 0x32).subevents;

/// R2PCIe.
pub(super) const R2PCIE: BoxType = BoxType {
    access: Access::Pci(&[pci(0, 19, 1, 0x3c43)]),
    fields: FIELDS,
    events: &changed::<14>(
        EVENTS,
        &[
            with(EVENTS, 0x07, RING_USED),
            with(EVENTS, 0x08, RING_USED),
            with(EVENTS, 0x09, RING_USED),
            with(EVENTS, 0x0a, RING_IV_USED),
            with(EVENTS, 0x10, CLASSES),
            whole(EVENTS, 0x12),
            event("txr_inserts", 0x24, C0, 1).source("section 7.8"),
            Event {
                name: "txr_nacks",
                max_increment: NOT_STATED,
                ..row(EVENTS, 0x26)
            },
            with(EVENTS, 0x34, CLASSES),
        ],
        &[0x11, 0x13, 0x28],
    ),
    ..with_registers(ivbep::r2pcie::R2PCIE, RESET)
};
