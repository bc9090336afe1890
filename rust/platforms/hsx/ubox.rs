// SPDX-License-Identifier: GPL-2.0

//! The UBox, as in [`bdx::ubox`], with a filter: Documentation/hardware/hsx.rst section 7.
//!
//! Oddities:
//!
//! * `clockticks` is the fixed counter. Event select 0 of the general counters, which the lists call
//!   so, is `clockticks_general`.
//! * In-tree the filter is part of every event. Here it is part of those that sources say look at it.
//!
//! Uncertain:
//!
//! * H-7: the filter is in-tree, and in no list of registers. The driver accesses it once an event
//!   asks for a value, and refuses the event if the register does not keep it. `filter_cid` is one bit
//!   in the format in-tree, and five in that driver.
//! * H-1: whether the general counters have 48 bits or 44. The driver takes 48 if all are kept.

use super::*;
use bdx::ubox::EVENTS;

/// The filter of [`FILTERS`].
const FILTER: u8 = 0;

/// The register of the filter: MSR 0x707.
const FILTERS: &[FilterRegister] = &[filter_register(0x07, Word::Config1, 0, 0x3f)
    .uncertain(0x3f)
    .on_request(0x3f)];

#[rustfmt::skip] // In columns.
const FILTER_UNITS: &[FilterUnit] = &[
    filter_unit("thread", Word::Config1, 0x3f, WhenZero::Keep),
];

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &joined::<_, 8>(bdx::ubox::FIELDS, &[
    field("filter_tid", Word::Config1, bits::<0, 0>(), Role::Filter(FILTER)),
    field("filter_cid", Word::Config1, bits::<1, 5>(), Role::Filter(FILTER)),
]);

/// `FILTER_MATCH`, of which two sub-events look at the filter.
const FILTER_MATCH: &[SubEvent] = match row(EVENTS, 0x41).subevents {
    [enable, disable, u2c_enable, u2c_disable] => &[
        enable.filter(FILTER),
        *disable,
        u2c_enable.filter(FILTER),
        *u2c_disable,
    ],
    _ => &[],
};

/// The UBox.
///
/// SPEC: H-1, the counters have 48 bits, or 44 as in-tree.
pub(super) const UBOX: BoxType = BoxType {
    alternative: Some(&BoxType { width: 44, ..WIDE }),
    ..WIDE
};

const WIDE: BoxType = BoxType {
    fields: FIELDS,
    filters: FILTERS,
    filter_units: FILTER_UNITS,
    events: &changed::<6>(
        EVENTS,
        &[
            event("clockticks_general", 0x00, 0b11, 31).source(LISTS),
            with(EVENTS, 0x41, FILTER_MATCH),
            row(EVENTS, 0x42).filter(FILTER),
        ],
        &[],
    ),
    ..bdx::ubox::UBOX
};
