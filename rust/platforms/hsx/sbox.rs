// SPDX-License-Identifier: GPL-2.0

//! An S-Box, as in [`bdx::sbox`]: Documentation/hardware/hsx.rst section 9. Two or four per package.
//!
//! Oddities:
//!
//! * H-5: the box control takes one bit after the other, as one write of all has raised faults. Bit 17
//!   stays 0, as overflows of S-Boxes do not interrupt.
//! * H-21: no source has `TxR_ORDERING` (0x07).
//!
//! Uncertain:
//!
//! * H-1: whether the counters have 48 bits or 44. The driver takes 48 if all are kept.
//! * H-4: the fuses of a part with two S-Boxes. Each of them has to answer.
//! * H-4a: whether the register behind the controls is a status or a filter. It is not accessed.

use super::*;

/// Location of the boxes.
///
/// SPEC: H-4, two boxes on parts whose fuses are 0, as in-tree.
const ACCESS: Access = Access::Msr {
    bases: &every::<4>(0x720, 0xa),
    present: &[Presence::Fuses {
        device_id: FUSES,
        offset: 0x94,
        bits: Bits { low: 6, high: 7 },
        choices: Some(&[0b0011, 0b1111, 0b1111, 0b1111]),
    }],
};

/// The box control.
///
/// SPEC: H-5.
const BOX_CONTROL: BoxControl = BoxControl {
    reset: &[0x1, 0x3, 0x0001_0003],
    freeze: 0x0001_0100,
    unfreeze: 0x0001_0000,
    ..bdx::sbox::BOX_CONTROL
};

/// The S-Box.
///
/// SPEC: H-1, the counters have 48 bits, or 44 as in-tree.
pub(super) const SBOX: BoxType = BoxType {
    alternative: Some(&BoxType { width: 44, ..WIDE }),
    ..WIDE
};

const WIDE: BoxType = BoxType {
    access: ACCESS,
    box_control: Some(BOX_CONTROL),
    status: None,
    events: &changed::<18>(bdx::sbox::EVENTS, &[], &[0x07]),
    ..bdx::sbox::SBOX
};
