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
//! * H-13: `filter_link` and `filter_c6` are in-tree, and reserved elsewhere; no source says what they
//!   compare. The driver writes them when an event asks for them, and refuses the event if they read 0
//!   after that. In-tree only `tor_inserts.opcode` has the first.
//! * H-16: whether counter 1 counts `fast_asserted`. It is on counter 0.
//! * H-20: `llc_victims` with umask 0x04 is state S or I. Both names are offered.
//! * H-26: whether there is an invert bit. It needs a threshold in any case.
//! * H-27: `rxr_occupancy.prq` is only in another program.

use super::*;
use bdx::cbox::EVENTS;
use xeon::cbox::OPC;

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

/// Bits of `filter_link` and `filter_c6` in `config1`.
const LINK: u64 = 0x7 << 6;
const C6: u64 = 1 << 61;

/// `FILTER0` and `FILTER1`, sections 8.1 and 8.2.
const FILTERS: &[FilterRegister] = &[
    filter_register(0x5, Word::Config1, 0, 0x00fe_003f | LINK)
        .uncertain(LINK)
        .on_request(LINK),
    filter_register(0x6, Word::Config1, 32, 0xfff0_ffff)
        .uncertain(C6 >> 32 | 1 << 15)
        .on_request(C6 >> 32),
];

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &joined::<_, 14>(bdx::cbox::FIELDS, &[
    field("filter_link", Word::Config1, bits::<6, 8>(),   Role::Filter(OPC)),
    field("filter_c6",   Word::Config1, bits::<61, 61>(), Role::Filter(OPC)),
]);

/// Filters, the one of opcodes with more fields.
const FILTER_UNITS: &[FilterUnit] = match bdx::cbox::FILTER_UNITS {
    [tid, state, nid, opc] => &[
        *tid,
        *state,
        *nid,
        FilterUnit {
            mask: opc.mask | LINK | C6,
            ..*opc
        },
    ],
    _ => &[],
};

const RXR_OCCUPANCY: &[SubEvent] =
    &inserted::<5>(row(EVENTS, 0x11).subevents, sub("prq", 0x10).lists());

const LLC_VICTIMS: &[SubEvent] =
    &inserted::<7>(row(EVENTS, 0x37).subevents, sub("i_state", 0x04).lists());

/// Refuses `filter_link` of all events but `tor_inserts.opcode`.
///
/// SPEC: H-13, in-tree no other has it.
fn refuse(_: &Event, words: &Words) -> Result<(), &'static str> {
    match words.config & 0xffff {
        0x0135 => Ok(()),
        _ if words.config1 & LINK == 0 => Ok(()),
        _ => Err("filter_link is a filter of tor_inserts.opcode only"),
    }
}

/// The C-Box.
pub(super) const CBOX: BoxType = BoxType {
    access: ACCESS,
    global_status: GLOBAL_STATUS,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: &changed::<32>(
        EVENTS,
        &[
            Event {
                counters: 0b0001,
                ..row(EVENTS, 0x09)
            },
            with(EVENTS, 0x11, RXR_OCCUPANCY),
            with(EVENTS, 0x1b, bdx::sbox::RING_USED),
            with(EVENTS, 0x1c, bdx::sbox::RING_USED),
            with(EVENTS, 0x1d, bdx::sbox::RING_USED),
            with(EVENTS, 0x37, LLC_VICTIMS),
        ],
        &[],
    ),
    refuse,
    ..bdx::cbox::CBOX
};
