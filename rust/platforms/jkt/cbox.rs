// SPDX-License-Identifier: GPL-2.0

//! The C-Box, as in [`ivbep::cbox`], with one filter register: Documentation/hardware/jkt.rst section
//! 7.2. Up to eight per package.
//!
//! Oddities:
//!
//! * The five states are those of [`ivbep::cbox`] without M'.
//! * TOR events have no sub-events for local and remote addresses.
//!
//! Uncertain:
//!
//! * J-5: bits 7:5 of the filter may compare a link. They are left 0.
//! * J-8: how many C-Boxes a package has.
//! * J-13: the counters of `txr_starved`, `ring_sink_starved` and `rxr_int_starved`.
//! * J-16: the umask of `llc_lookup.any`, which only other programs have.

use super::*;
use ivbep::cbox::{
    C01,
    EVENTS,
    NOT_STATED, //
};
use xeon::cbox::{
    NID,
    OPC,
    STATE, //
};

/// Location of the boxes.
///
/// SPEC: J-8, one function for each box, or as many as cores. In-tree cores are counted.
const ACCESS: Access = Access::Msr {
    bases: &every::<8>(0xd00, 0x20),
    present: &[
        Presence::EqualFunctions { device_id: 0x3ce8 },
        Presence::Cores,
    ],
};

/// `Cn_MSR_PMON_BOX_FILTER`.
///
/// SPEC: J-5, without bits 7:5.
const FILTERS: &[FilterRegister] = &[filter_register(0x14, Word::Config1, 0, 0xffff_fc1f)];

#[rustfmt::skip] // In columns, to be read against section 7.2.
const FIELDS: &[Field] = &joined::<_, 10>(ivbep::cbox::FIELDS.split_at(6).0, &[
    INVERT,
    field("filter_nid",   Word::Config1, bits::<10, 17>(), Role::Filter(NID)),
    field("filter_state", Word::Config1, bits::<18, 22>(), Role::Filter(STATE)),
    field("filter_opc",   Word::Config1, bits::<23, 31>(), Role::Filter(OPC)),
]);

#[rustfmt::skip] // In columns.
const FILTER_UNITS: &[FilterUnit] = match ivbep::cbox::FILTER_UNITS {
    [tid, ..] => &[
        *tid,
        filter_unit("state", Word::Config1, 0x1f << 18,  WhenZero::Fill(0x1f << 18)),
        filter_unit("nid",   Word::Config1, 0xff << 10,  WhenZero::Refuse("filter_nid")),
        filter_unit("opc",   Word::Config1, 0x1ff << 23, WhenZero::Refuse("filter_opc")).valid(can_match_opcode::<23>),
    ],
    [] => &[],
};

#[rustfmt::skip] // In columns.
const RING_USED: &[SubEvent] = &[
    sub("up_even",       0x01),
    sub("up_odd",        0x02),
    sub("down_even",     0x04),
    sub("down_odd",      0x08),
];

/// Sub-events of the queues, all of which combine.
const QUEUES: &[SubEvent] = &inserted::<4>(
    &picked::<3>(row(EVENTS, 0x11).subevents, &[0x01, 0x04, 0x10]),
    sub("irq_rejected", 0x02),
);

const EXT_STARVED: &[SubEvent] = &inserted::<4>(
    &picked::<3>(row(EVENTS, 0x12).subevents, &[0x01, 0x02, 0x08]),
    sub("ismq", 0x04),
);

/// Those of the lists.
const RING_BOUNCES: &[SubEvent] = match row(EVENTS, 0x05).subevents {
    [_, ak, _, bl, _, iv, _] => &[*ak, *bl, *iv],
    _ => &[],
};

/// Sub-events of TOR events.
const TOR: &[SubEvent] = row(EVENTS, 0x36).subevents;

const TOR_INSERTS: &[SubEvent] = &picked::<11>(
    TOR,
    &[
        0x01, 0x03, 0x04, 0x0a, 0x10, 0x41, 0x43, 0x44, 0x48, 0x4a, 0x50,
    ],
);

const TOR_OCCUPANCY: &[SubEvent] = &picked::<10>(
    TOR,
    &[0x01, 0x03, 0x04, 0x08, 0x0a, 0x41, 0x43, 0x44, 0x48, 0x4a],
);

const IRQ_RETRY: &[SubEvent] = row(EVENTS, 0x32).subevents.split_at(5).0;

const ISMQ_RETRY: &[SubEvent] = &inserted::<6>(
    row(EVENTS, 0x33).subevents.split_at(5).0,
    sub("addr_conflict", 0x04).lists(),
);

#[rustfmt::skip] // One row, one line, in columns.
const CHANGED: &[Event] = &[
    with(EVENTS, 0x03, const { &[
        sub("ak",         0x02),
        sub("bl",         0x04),
    ] }),

    whole(EVENTS, 0x04),

    with(EVENTS, 0x05, RING_BOUNCES),

    with(EVENTS, 0x06, const { &[
        sub("ad_cache",   0x01),
        sub("ak_core",    0x02),
        sub("bl_core",    0x04),
        sub("iv_core",    0x08),
    ] }),

    with(EVENTS, 0x11, QUEUES),
    with(EVENTS, 0x12, EXT_STARVED),
    with(EVENTS, 0x13, QUEUES),
    with(EVENTS, 0x1b, RING_USED),
    with(EVENTS, 0x1c, RING_USED),
    with(EVENTS, 0x1d, RING_USED),
    with(EVENTS, 0x1e, RING_IV_USED),
    event("ismq_drd_miss_occ", 0x21, C01, NOT_STATED).source("section 7.2"),
    with(EVENTS, 0x32, IRQ_RETRY),
    with(EVENTS, 0x33, ISMQ_RETRY),

    Event {
        subevents: TOR_INSERTS,
        ..row(EVENTS, 0x35)
    },

    Event {
        subevents: TOR_OCCUPANCY,
        ..row(EVENTS, 0x36)
    },
];

/// The C-Box.
pub(super) const CBOX: BoxType = BoxType {
    access: ACCESS,
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: &changed::<25>(EVENTS, CHANGED, &[0x3c]),
    ..with_registers(ivbep::cbox::CBOX, RESET)
};
