// SPDX-License-Identifier: GPL-2.0

//! What the registers of several boxes have in common: reference section 6.
//!
//! A box's own file says which of these it has and where its manual says so.

use crate::uncore::box_type::BoxControl;
use crate::uncore::box_type::BoxStatus;
use crate::uncore::box_type::Control;
use crate::uncore::box_type::Counter;
use crate::uncore::box_type::Field;
use crate::uncore::box_type::Role;
use crate::uncore::box_type::Word;
use crate::uncore::table::bits;
use crate::uncore::table::counter;
use crate::uncore::table::field;
use crate::uncore::table::INTERVAL;

/// Overflow enable of an event control register, where it has one.
const OVERFLOW_ENABLE: u32 = 1 << 20;

/// A box control register, section 6.2: bits 17:16 written as 1, 8 freezes, 1 clears the counters,
/// 0 the controls.
pub(super) const fn box_control(offset: u16) -> BoxControl {
    BoxControl {
        offset,
        reset: 0x0003_0003,
        freeze: 0x0003_0100,
        unfreeze: 0x0003_0000,
    }
}

/// The box status register of a PCI function, in which these bits stand for counters.
pub(super) const fn box_status(overflow: u32) -> BoxStatus {
    BoxStatus {
        offset: 0xf8,
        overflow,
    }
}

/// The event control registers, section 6.1, of a box in which these bits may be written 1.
pub(super) const fn control(writable: u32) -> Control {
    Control {
        writable,
        enable: 1 << 22,
        overflow_enable: match writable & OVERFLOW_ENABLE {
            0 => None,
            bit => Some(bit),
        },
        reset: 1 << 17,
        queue_reset: None,
        select: bits::<0, 7>(),
    }
}

/// Controls and counters of a PCI function that has four, at the usual offsets.
pub(super) const FOUR_COUNTERS: &[Counter] = &[
    counter(0xd8, 0xa0),
    counter(0xdc, 0xa8),
    counter(0xe0, 0xb0),
    counter(0xe4, 0xb8),
];

#[rustfmt::skip] // In columns.
/// The fields of an event control register that has nothing of its own, and can interrupt.
pub(super) const COMMON_FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    field("thresh", Word::Config, bits::<24, 31>(), Role::Threshold),
    INTERVAL,
];
