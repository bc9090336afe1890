// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's status registers: the seventh part of [`super::fault`].

use super::{
    registers::has_register,
    rules::{
        Fault,
        Location, //
    }, //
};
use crate::uncore::table::box_type::{
    BoxStatus,
    BoxType, //
};

/// The first fault of the status registers.
pub(crate) const fn overflow(of: &BoxType) -> Option<Fault> {
    let location = Location::of(of);
    let bits = of.global_status;
    first!(
        location.must(
            bits.is_empty() || bits.len() == of.max_boxes() as usize,
            "must have bits of the global status for each box, if for any",
        ),
        location.must(
            !bits.is_empty() || !can_interrupt(of),
            "must have bits of the global status if its counters can interrupt",
        ),
        location.must(
            !any_below!(i < bits.len() => bits[i] == 0),
            "must have bits of the global status for each box, if for any",
        ),
        match &of.status {
            Some(status) => box_status(of, status),
            None => None,
        },
    )
}

const fn box_status(of: &BoxType, status: &BoxStatus) -> Option<Fault> {
    let location = Location::of(of);
    first!(
        location.must(
            !has_register(of, status.offset, of.counters.len()),
            "must have a register of its own for the box status",
        ),
        location.must(
            status.overflow.count_ones() as usize >= of.counters.len(),
            "must have a bit of the box status for each counter",
        ),
    )
}

/// Returns `true` if any counter of the box type can interrupt.
pub(crate) const fn can_interrupt(of: &BoxType) -> bool {
    of.control.overflow_enable.is_some()
        || any_below!(i < of.fixed.len() => match &of.fixed[i].control {
            Some(control) => control.overflow_enable.is_some(),
            None => false,
        })
}

/// The bits of the global status that the boxes have.
pub(crate) const fn all_bits(of: &BoxType) -> u64 {
    union_below!(i < of.global_status.len() => of.global_status[i])
}
