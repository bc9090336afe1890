// SPDX-License-Identifier: GPL-2.0

//! The C-Box, as in [`bdx::cbox`]: Documentation/hardware/hsx.rst section 8. Up to 18 per package.
//!
//! Oddities:
//!
//! * Sub-events of the rings have no names by directions of the clock.
//!
//! Uncertain:
//!
//! * H-3: whether the global status has a bit for each box. Nothing else is cleared by the driver than
//!   what it has read.
//! * H-6: whether there is a register with fuses. The driver takes it for one if it has a bit for each
//!   core, and no bit above the last box.
//! * H-16: whether counter 1 counts `fast_asserted`. It is on counter 0.
//! * H-20: `llc_victims` with umask 0x04 is state S or I. Both names are offered.
//! * H-26: whether there is an invert bit. It needs a threshold in any case.
//! * H-27: `rxr_occupancy.prq` is only in another program.

use super::FUSES;
use crate::{
    platforms::{
        bdx::{
            self,
            cbox::EVENTS, //
        },
        like::{
            changed,
            inserted,
            row, //
        }, //
    },
    uncore::table::prelude::*, //
};

/// Location of the boxes.
///
/// SPEC: H-6, without fuses that can be right, the boxes are counted like cores, as in-tree.
const ACCESS: Access = Access::Msr {
    bases: &every::<18>(0xe00, 0x10),
    present: &[
        Presence::Mask {
            device_id: FUSES,
            offset: 0x98,
        },
        Presence::Cores,
    ],
};

/// Bits of the global status, though without an overflow enable nothing sets them.
///
/// SPEC: H-3, these bits are reserved, or those of the C-Boxes.
#[rustfmt::skip] // In rows.
const GLOBAL_STATUS: &[u64] = &[
    1 <<  3, 1 <<  4, 1 <<  5, 1 <<  6, 1 <<  7, 1 <<  8,
    1 <<  9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14,
    1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20,
];

/// Sub-events of rings.
const fn ring(select: u32) -> Event {
    Event {
        subevents: bdx::sbox::RING_USED,
        ..row(EVENTS, select)
    }
}

const RXR_OCCUPANCY: &[SubEvent] =
    &inserted::<5>(row(EVENTS, 0x11).subevents, sub("prq", 0x10).lists());

const LLC_VICTIMS: &[SubEvent] =
    &inserted::<7>(row(EVENTS, 0x37).subevents, sub("i_state", 0x04).lists());

/// The C-Box.
pub(super) const CBOX: BoxType = BoxType {
    access: ACCESS,
    global_status: GLOBAL_STATUS,
    events: &changed::<32>(
        EVENTS,
        &[
            Event {
                counters: 0b0001,
                ..row(EVENTS, 0x09)
            },
            Event {
                subevents: RXR_OCCUPANCY,
                ..row(EVENTS, 0x11)
            },
            ring(0x1b),
            ring(0x1c),
            ring(0x1d),
            Event {
                subevents: LLC_VICTIMS,
                ..row(EVENTS, 0x37)
            },
        ],
        &[],
    ),
    ..bdx::cbox::CBOX
};
