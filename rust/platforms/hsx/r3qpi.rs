// SPDX-License-Identifier: GPL-2.0

//! R3QPI, as in [`bdx::r3qpi`]: Documentation/hardware/hsx.rst section 16.
//!
//! Oddities:
//!
//! * No source has `TxR_CYCLES_NE` (0x23) and `TxR_CYCLES_FULL` (0x25).
//!
//! Uncertain:
//!
//! * H-1: whether the counters have 48 bits or 44. The driver takes 48 if all are kept.
//! * H-17: whether counter 2 counts `clockticks`. It is on counters 0 and 1.
//! * H-18: the counters of `sbo0_credit_occupancy` and `sbo1_credit_occupancy`. They are on counter 0.
//! * H-27: sub-events of VN0 of `qpi0_bl_credits_empty` are only in other programs.

use super::*;
use bdx::r3qpi::EVENTS;

const RING_IV_USED: &[SubEvent] = &inserted::<3>(row(EVENTS, 0x0a).subevents, sub("ccw", 0xcc));

/// A link's R3QPI.
///
/// SPEC: H-1, the counters have 48 bits, or 44 as in-tree.
pub(super) const R3QPI: BoxType = BoxType {
    alternative: Some(&BoxType { width: 44, ..WIDE }),
    ..WIDE
};

const WIDE: BoxType = BoxType {
    access: Access::Pci(R3QPI_FUNCTIONS),
    events: &changed::<33>(
        EVENTS,
        &[
            Event {
                counters: 0b011,
                ..row(EVENTS, 0x01)
            },
            with(EVENTS, 0x0a, RING_IV_USED),
            // Those of `QPI0_AD_CREDITS_EMPTY`.
            with(EVENTS, 0x21, row(EVENTS, 0x20).subevents),
        ],
        &[0x23, 0x25],
    ),
    ..bdx::r3qpi::WIDE
};
