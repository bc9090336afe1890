// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's counters that read too high: the eighth part of [`super::fault`].

use super::{
    overflow::can_interrupt,
    rules::{
        Fault,
        Location, //
    }, //
};
use crate::uncore::table::box_type::BoxType;

/// The first fault of the defect of the counters, if they have one.
pub(crate) const fn misread(of: &BoxType) -> Option<Fault> {
    let Some(misread) = of.misread else {
        return None;
    };
    let fixed = of.fixed;
    first!(
        Location::of(of).must(
            misread.bits < of.width
                && 0 < misread.values
                && misread.values < 1 << misread.bits >> 1,
            "must have low bits of a counter and a few values of them, if it misreads any",
        ),
        Location::of(of).must(
            !can_interrupt(of)
                && !any_below!(i < fixed.len() => fixed[i].control.is_none()
                    || fixed[i].width != fixed[i].max_width
                    || fixed[i].width <= misread.bits),
            "must have counters that can be written and need not overflow, if it misreads any",
        ),
    )
}
