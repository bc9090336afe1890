// SPDX-License-Identifier: GPL-2.0

//! The iMC, as in [`ivbep::imc`]: Documentation/hardware/jkt.rst section 7.4. One controller of four
//! channels.
//!
//! Uncertain:
//!
//! * J-3: which function is which channel. The numbers are those in-tree.

use super::*;
use ivbep::imc::{
    ANY,
    EVENTS, //
};

/// The fixed counter of DCLK.
const DCLK: Fixed = Fixed {
    control: fixed_control(0xf0, 1 << 19),
    ..xeon::imc::DCLK
};

#[rustfmt::skip] // In columns, to be read against section 1.
const FUNCTIONS: &[PciFunction] = &[
    // box dev fn  ID
    // SPEC: J-3.
    pci(0, 16, 0, 0x3cb0),
    pci(1, 16, 1, 0x3cb1),
    pci(2, 16, 4, 0x3cb4),
    pci(3, 16, 5, 0x3cb5),
];

/// A channel of the iMC.
pub(super) const IMC: BoxType = BoxType {
    access: Access::Pci(FUNCTIONS),
    fixed: &[DCLK],
    fields: FIELDS,
    events: &changed::<25>(
        // Those before the events of E7 parts.
        EVENTS.split_at(23).0,
        &[
            Event {
                max_increment: 255,
                ..row(EVENTS, 0x00)
            },
            whole(EVENTS, 0x01),
            with(EVENTS, 0x02, row(EVENTS, 0x02).subevents.split_at(2).0),
            with(EVENTS, 0x04, row(EVENTS, 0x04).subevents.split_at(9).0),
            event("rpq_cycles_full", 0x12, ANY, 1).source("section 7.4"),
            event("rpq_occupancy", 0x80, ANY, 22).source("section 7.4"),
            event("wpq_occupancy", 0x81, ANY, 32).source("section 7.4"),
        ],
        &[0x42],
    ),
    ..with_registers(ivbep::imc::IMC, NO_RESET)
};
