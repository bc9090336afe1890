// SPDX-License-Identifier: GPL-2.0

//! The PCU, as in [`ivbep::pcu`]: Documentation/hardware/jkt.rst section 7.6.
//!
//! Oddities:
//!
//! * Bit 7 of the event select adds an occupancy to an event (J-6), as in `event=0x8b`. By itself it is
//!   `power_state_occupancy`. The usual edge bit is that of the event, not of its occupancy.
//!
//! Uncertain:
//!
//! * J-2: the extra bit, which in-tree and in perf's built-in events is missing.
//! * J-15: whether `demotions_core0` has the extra bit, and what the filter is to these events.
//! * J-23: what `core_c3_ctr` and `core_c6_ctr` count.

use super::*;
use ivbep::pcu::{
    ANY,
    EVENTS, //
};

#[rustfmt::skip] // One row, one line, in columns.
const CHANGED: &[Event] = &[
    // No counter depends on another one (section 7.6).
    Event {
        counters: ANY,
        ..row(EVENTS, 0x80)
    },

    // SPEC: J-2. From, to.
    moved(EVENTS, 0x60,        EXT),
    moved(EVENTS, 0x61,        0x01 | EXT),
    moved(EVENTS, 0x02 | EXT,  0x02 | EXT),
    moved(EVENTS, 0x70,        0x03 | EXT),
    moved(EVENTS, 0x71,        0x04 | EXT),
    moved(EVENTS, 0x72,        0x05 | EXT),
    moved(EVENTS, 0x73,        0x06 | EXT),
    moved(EVENTS, 0x74,        0x07 | EXT),
    moved(EVENTS, 0x75,        0x08 | EXT),
    moved(EVENTS, 0x76,        0x09 | EXT),
    moved(EVENTS, 0x77,        0x0a | EXT),
    moved(EVENTS, 0x63,        0x0b | EXT),
];

/// Refuses an event with an occupancy that nothing is compared with.
fn refuse(event: &Event, words: &Words) -> Result<(), &'static str> {
    match event.select & 1 << 7 {
        0 if words.config & (0x1f << 24 | 1 << 7) == 1 << 7 => {
            Err("an occupancy is beside it, for which thresh must be set")
        }
        _ => Ok(()),
    }
}

/// The PCU.
pub(super) const PCU: BoxType = BoxType {
    fields: &polled::<11>(ivbep::pcu::FIELDS),
    // Those before the events of further cores.
    events: &changed::<37>(EVENTS.split_at(24).0, CHANGED, &[]),
    occupancy_bit: 1 << 7,
    refuse,
    ..with_registers(ivbep::pcu::PCU, RESET)
};
