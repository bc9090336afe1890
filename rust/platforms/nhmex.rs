// SPDX-License-Identifier: GPL-2.0

//! Xeon 7500 and 6500 (Nehalem-EX) and the first Xeon E7 (Westmere-EX): the uncore's performance
//! counters as data.
//!
//! One file per box type, each written from Documentation/hardware/nhmex.rst, so that it can be
//! checked with that page open. Here is what they share: the CPU models, the global control
//! (section 4) and the list of box types. `SPEC: nhmex` and a number is a section of that page;
//! `X-1` and on are its uncertain points.
//!
//! Oddities:
//!
//! * All registers are MSRs. The control register and the counter of a pair are neighbours.
//! * A level in the global control lets all counters run. It enables the counter of the U-Box, too.
//! * A box control has an enable bit for each counter, and is all that stops a box at once.
//! * Registers of filters are far from their box, and those of two boxes at no fixed distance.
//! * The two models differ in the number of C-Boxes, in some events, and in the places of a few
//!   fields. The PMUs of both have equal names.
//!
//! Uncertain:
//!
//! * How overflows reach the global status. So nothing interrupts, and wraps are found by
//!   polling.
//! * The highest uncore clock and most of the largest increments are stated nowhere.
//! * Events that only the lists have, and all of what is said of Westmere-EX alone.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a panic here stops the build"
)]

use super::like::{
    changed,
    joined, //
};
use crate::uncore::table::prelude::*;

mod bbox;
mod cbox;
mod mbox;
mod rbox;
mod sbox;
mod ubox;
mod wbox;

/// Highest UCLK in MHz, the clock of all boxes.
///
/// SPEC: nhmex X-18, stated nowhere. Too much only means reading the counters more often than
/// needed.
const MAX_UCLK_MHZ: u32 = 5000;

/// Layout of the event control registers of C-Box, S-Box and W-Box (RW), section 6.
///
/// No counter interrupts: the PMI enable, bit 20, is not used.
const CONTROL: Control = Control {
    writable: 0xffc4_ffff,
    enable: 1 << 22,
    ..NO_CONTROL
};

#[rustfmt::skip] // In columns, to be read against section 6.
/// The fields of C-Box and W-Box.
const FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh", Word::Config, bits::<24, 31>(), Role::Threshold),
];

/// The largest increment is not stated: the largest value the threshold can be compared with.
const NOT_STATED: u16 = 255;

/// The general counters of a box with up to eight of them, from these offsets on: each has its
/// control register before it.
const fn pairs<const N: usize>(first: u16) -> [Counter; N] {
    let mut counters = [const { counter(0, 0) }; N];
    let mut i = 0;
    while i < N {
        let control = first + 2 * i as u16;
        counters[i] = counter(control, control + 1);
        i += 1;
    }
    counters
}

/// The box control register at `offset`: it enables the counters of these bits.
const fn enables(offset: u16, counters: u32) -> BoxControl {
    BoxControl {
        offset,
        reset: &[],
        freeze: 0,
        unfreeze: counters,
    }
}

/// The global control, section 4.
///
/// Bit 0 enables the counter of the U-Box, which is one of those that the level lets run.
const GLOBAL: GlobalMsrs = GlobalMsrs {
    control: 0xc00,
    run: Run::Level(1 << 28 | 1),
    interrupt: None,
};

/// Nehalem-EX.
pub(crate) static NHMEX: Platform = Platform {
    name: "nhmex",
    cpus: &[(6, 46)],
    discovery: None,
    global: Some(GLOBAL),
    box_types: &[
        &ubox::NHM,
        &cbox::NHM,
        &bbox::BBOX,
        &sbox::NHM,
        &rbox::RBOX,
        &mbox::NHM,
        &wbox::WBOX,
    ],
};

/// Westmere-EX.
pub(crate) static WSMEX: Platform = Platform {
    name: "nhmex",
    cpus: &[(6, 47)],
    discovery: None,
    global: Some(GLOBAL),
    box_types: &[
        &ubox::WSM,
        &cbox::WSM,
        &bbox::BBOX,
        &sbox::WSM,
        &rbox::RBOX,
        &mbox::WSM,
        &wbox::WBOX,
    ],
};

const _: () = check_window(&NHMEX);
const _: () = check_window(&WSMEX);
