// SPDX-License-Identifier: GPL-2.0

//! The home agent, as in [`bdx::ha`]: Documentation/hardware/hsx.rst section 10.
//!
//! Uncertain:
//!
//! * H-19: the counters of `conflict_cycles` and of `iot_*`. The driver takes those of the lists.
//! * H-27: sub-events of `txr_ak` and `txr_bl_occupancy`, `bt_bypass` and `hitme_lookup.evicts` are
//!   only in other programs.

use super::*;
use bdx::ha::EVENTS;

/// Sub-events of all rings are those of `RING_AD_USED`.
const RING_USED: &[SubEvent] = row(EVENTS, 0x3e).subevents;

const HITME_LOOKUP: &[SubEvent] =
    &inserted::<13>(row(EVENTS, 0x70).subevents, sub("evicts", 0x42).lists());

#[rustfmt::skip] // In columns.
const TXR_AK: &[SubEvent] = &[
    bare(),
    sub("ndr",      0x01).lists(),
    sub("crd_cbo",  0x02).lists(),
    sub("crd_qpi",  0x04).lists(),
];

#[rustfmt::skip] // In columns.
const TXR_BL_OCCUPANCY: &[SubEvent] = &[
    bare(),
    sub("sched0",   0x01).lists(),
    sub("sched1",   0x02).lists(),
];

/// The home agent.
pub(super) const HA: BoxType = BoxType {
    access: Access::Pci(HA_FUNCTIONS),
    control: twice(bdx::ha::CONTROL),
    events: &changed::<65>(
        EVENTS,
        &[
            event("conflict_cycles", 0x0b, 0b0010, 1).source(LISTS),
            with(EVENTS, 0x0e, TXR_AK),
            with(EVENTS, 0x34, TXR_BL_OCCUPANCY),
            with(EVENTS, 0x3f, RING_USED),
            with(EVENTS, 0x40, RING_USED),
            event("bt_bypass", 0x52, 0b1111, 255).source(LISTS),
            with(EVENTS, 0x70, HITME_LOOKUP),
        ],
        &[],
    ),
    ..bdx::ha::HA
};
