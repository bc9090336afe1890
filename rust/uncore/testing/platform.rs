// SPDX-License-Identifier: GPL-2.0

//! A platform made up for the suites, written as a real one is: nothing outside this folder knows
//! it, and a driver would name it once, in the list it gives to `Uncore::new`.
//!
//! One file per box type, for what only some boxes have.

use super::super::{
    box_type::{
        Discovery,
        Platform, //
    },
    table::check::check_platform, //
};

pub(in super::super) mod link;
pub(in super::super) mod power;
mod tests;

/// Where the extra bit of an event select is, as in the control register.
const EXT: u32 = 1 << 21;

/// The platform.
pub(in super::super) static MADE_UP: Platform = Platform {
    name: "madeup",
    cpus: &[(6, 250), (6, 251)],
    pci_driver: c"madeup_uncore_pmu",
    in_tree_driver: c"madeup_uncore",
    discovery: Discovery {
        device_id: 0x701e,
        node_id: 0x40,
        node_mask: 0x7,
        group_map: 0x54,
    },
    global: None,
    box_types: &[&link::LINK, &power::POWER],
};

const _: () = check_platform(&MADE_UP);
