// SPDX-License-Identifier: GPL-2.0

//! A made-up decoder that compares addresses, under a mask whose bits of 1 are not compared.

use super::router::ROUTERS;
use crate::uncore::table::prelude::*;

/// The mask that compares nothing.
pub(crate) const ALL: u64 = 0x7f_ffff_ffff;

#[rustfmt::skip] // In columns.
const FIELDS: &[Field] = &[
    field("event", Word::Config,  bits::<0, 7>(),  Role::Select),
    field("match", Word::Config1, bits::<0, 63>(), Role::Filter(0)),
    field("mask",  Word::Config2, bits::<0, 38>(), Role::Filter(1)),
];

#[rustfmt::skip] // In columns.
const UNITS: &[FilterUnit] = &[
    filter_unit("address", Word::Config1, u64::MAX, WhenZero::Keep).address_but(0),
    filter_unit("mask",    Word::Config2, ALL,      WhenZero::Ask("mask")).address_but(ALL),
];

pub(crate) static DECODER: BoxType = BoxType {
    name: "decoder",
    fields: FIELDS,
    filters: &[
        filter_register(0x19, Word::Config1, 0, u64::MAX),
        filter_register(0x1a, Word::Config2, 0, ALL),
    ],
    filter_units: UNITS,
    events: &[event("packets", 0x00, 0b11, 1)
        .filter(0)
        .filter(1)
        .source("made up")],
    ..ROUTERS
};
