// SPDX-License-Identifier: GPL-2.0

//! A made-up platform for the suites, written as a real one. Nothing outside this folder knows it;
//! a driver would name it once, in the list that it gives to `Uncore::new`.
//!
//! One file per box type, for features of few boxes.

use crate::uncore::table::prelude::*;

pub(crate) mod link;
pub(crate) mod power;

/// The extra bit of an event select, as in the control register.
const EXT: u32 = 1 << 21;

pub(crate) static MADE_UP: Platform = Platform {
    name: "madeup",
    cpus: &[(6, 250), (6, 251)],
    discovery: Some(Discovery {
        device_id: 0x701e,
        node_id: 0x40,
        node_mask: 0x7,
        group_map: 0x54,
    }),
    global: None,
    box_types: &[&link::LINK, &power::POWER],
};
