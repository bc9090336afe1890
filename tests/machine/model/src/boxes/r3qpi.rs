// SPDX-License-Identifier: GPL-2.0

//! R3QPI (ring to QPI): two links (EX: three), three counters of 44 bits;
//! Documentation/hardware/ivbep.rst section 7.9.
//!
//! PCI D19:F5, D19:F6 and D18:F5. `BOX_CTL` ignores bits 17:16.
//!
//! BDX: D11:F1, F2 and F5, counters of 48 bits. Control registers are written twice.
//! SPEC: an overflow sets the bit of its R3QPI and ov_rq (B-3).
//! SPEC: Broadwell-DE has the functions of two links, and no registers in them (B-21).

use super::prelude::*;
use super::{status, PlainFunction, BOX_CTL_RING, RING_QUIRKS, USUAL, USUAL_BDX};

pub(super) const IVBEP: BoxLayout = BoxLayout {
    name: "r3qpi",
    kind: BoxType::R3qpi,
    access: Access::Pci(&[
        Place::uncore(19, 5, 0x0e36),
        Place::uncore(19, 6, 0x0e37),
        Place::of_third_link(18, 5, 0x0e3e),
    ]),
    counters: 3,
    counters_per_set: 3,
    width: 44,
    box_control: Some(BOX_CTL_RING),
    status: Some(status(0x7, 0x8)),
    global_bits: |link, _| 1 << (24 + link / 2),
    registers: &[
        (0xf8, Register::Status),
        (0xf4, Register::BoxControl),
        (0xd8, Register::Control(0)),
        (0xdc, Register::Control(1)),
        (0xe0, Register::Control(2)),
        (0xa0, Register::CounterLow(0)),
        (0xa4, Register::CounterHigh(0)),
        (0xa8, Register::CounterLow(1)),
        (0xac, Register::CounterHigh(1)),
        (0xb0, Register::CounterLow(2)),
        (0xb4, Register::CounterHigh(2)),
    ],
    ..USUAL
};

/// `ov_rq`: an R3QPI, whichever.
const OV_RQ: u64 = 1 << 35;

pub(super) const BDX: BoxLayout = BoxLayout {
    name: "r3qpi",
    kind: BoxType::R3qpi,
    access: Access::Pci(&[
        Place::uncore(11, 1, 0x6f36),
        Place::uncore(11, 2, 0x6f37),
        Place::of_third_link(11, 5, 0x6f3e),
    ]),
    counters: 3,
    counters_per_set: 3,
    box_control: Some(BOX_CTL_RING),
    status: IVBEP.status,
    global_bits: |link, _| 1 << (27 + link / 2) | OV_RQ,
    registers: IVBEP.registers,
    quirks: RING_QUIRKS,
    ..USUAL_BDX
};

/// The functions of the links, of which Broadwell-DE has none.
pub(super) const BDX_DE_FUNCTIONS: [PlainFunction; 2] = [
    (Place::uncore(11, 1, 0x6f36), &[]),
    (Place::uncore(11, 2, 0x6f37), &[]),
];
