// SPDX-License-Identifier: GPL-2.0

//! The PCU, as in [`bdx::pcu`]: Documentation/hardware/hsx.rst section 13.
//!
//! Oddities:
//!
//! * H-14: the clock is 800 MHz or 1 GHz, so that what counts its clocks has no unit.
//! * H-21: no source has the events of the voltage regulators (0x75 to 0x78).
//! * H-25: MSRs 0x3fc and 0x3fd are counters of the core that reads them, or of the package. They are
//!   not offered. The kernel has them as events of each core.
//!
//! Uncertain:
//!
//! * H-15: whether counter 0 counts occupancies. In-tree it does not on Broadwell, and does here. They
//!   are on counters 1 to 3.
//! * H-21: `ufs_*` are only in other programs.

use super::*;
use bdx::pcu::EVENTS;

/// The events.
const CHANGED: [Event; 64] = changed(
    EVENTS,
    &[
        residency(0x2a),
        residency(0x2b),
        residency(0x2c),
        residency(0x2d),
        residency(0x2e),
        residency(0x4e),
        event("ufs_transitions_perf_p_limit", 0x7e, 0b1111, 15).source(LISTS),
    ],
    &[0x75, 0x76, 0x77, 0x78],
);

/// An event that counts clocks.
const fn residency(select: u32) -> Event {
    Event {
        max_increment: 1,
        ..row(EVENTS, select)
    }
}

/// The PCU.
pub(super) const PCU: BoxType = BoxType {
    fixed: &[],
    // SPEC: H-14.
    events: &without_units(CHANGED),
    max_clock_mhz: 1000,
    ..bdx::pcu::PCU
};
