// SPDX-License-Identifier: GPL-2.0

//! Register layouts that several boxes have in common: section 6 of
//! Documentation/hardware/ivbep.rst, section 3 of the reference of Broadwell.
//!
//! The file of a box names the layouts that it has, with the sources in its manual.

use crate::uncore::table::prelude::*;

/// Overflow enable of an event control register, where it has one.
const OVERFLOW_ENABLE: u32 = 1 << 20;

/// A box control register, section 6.2 (Broadwell: 3.2): bits 17:16 written as 1, 8 freezes, 1
/// clears the counters, 0 the controls.
pub(crate) const fn box_control(offset: u16) -> BoxControl {
    BoxControl {
        offset,
        reset: &[0x0003_0003],
        freeze: 0x0003_0100,
        unfreeze: 0x0003_0000,
    }
}

/// The box status register of a PCI function, in which these bits stand for counters.
pub(crate) const fn box_status(overflow: u32) -> BoxStatus {
    BoxStatus {
        offset: 0xf8,
        overflow,
    }
}

/// The event control registers, section 6.1 (Broadwell: 3.1), of a box in which these bits may be
/// written 1. Bit 17 resets the counter.
pub(crate) const fn control(writable: u32) -> Control {
    Control {
        writable,
        enable: 1 << 22,
        overflow_enable: match writable & OVERFLOW_ENABLE {
            0 => None,
            bit => Some(bit),
        },
        acts: 1 << 17,
        ..NO_CONTROL
    }
}

/// Controls and counters of a PCI function that has four, at the usual offsets.
pub(crate) const FOUR_COUNTERS: &[Counter] = &[
    counter(0xd8, 0xa0),
    counter(0xdc, 0xa8),
    counter(0xe0, 0xb0),
    counter(0xe4, 0xb8),
];

#[rustfmt::skip] // In columns.
/// The fields of an event control register without special fields, whose counters interrupt.
pub(crate) const COMMON_FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    field("thresh", Word::Config, bits::<24, 31>(), Role::Threshold),
    INTERVAL,
];
