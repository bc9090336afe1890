// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's fixed counters: the fourth part of [`super::fault`].

use super::{
    registers::{
        has_register,
        is_width, //
    },
    rules::{
        all_of,
        are_apart,
        mask,
        within,
        Fault,
        Location, //
    }, //
};
use crate::uncore::table::box_type::{
    BoxType,
    Fixed,
    FixedControl, //
};

/// The first fault of the fixed counters.
pub(crate) const fn fixed(of: &BoxType) -> Option<Fault> {
    let count = of.fixed.len();
    first!(
        Location::of(of).must(count <= 5, "must have at most 5 fixed counters"),
        Location::of(of).must(
            !of.needs_clock || count > 0 && of.fixed[0].control.is_some(),
            "must have a clock that starts and stops, as its first fixed counter, if it needs one",
        ),
        first_below!(i < count => counter(of, i)),
    )
}

const fn counter(of: &BoxType, i: usize) -> Option<Fault> {
    let fixed = &of.fixed[i];
    let location = Location::of(of).at(fixed.name);
    let select = fixed.select as u32;
    first!(
        location.must(
            within(select as u64, mask(of.control.select))
                && !any_below!(k < of.events.len() => of.events[k].select == select)
                && !any_below!(k < i => of.fixed[k].select == fixed.select),
            "must have an event select that is no other's",
        ),
        location.must(
            is_width(fixed.width) && is_width(fixed.max_width) && fixed.width <= fixed.max_width,
            "must have 1 to 64 bits, and not overflow before they are used up",
        ),
        location.must(
            !is_taken(of, fixed.counter, i),
            "must have registers of its own",
        ),
        match &fixed.control {
            Some(control) => control_of(of, i, control),
            None => None,
        },
    )
}

const fn control_of(of: &BoxType, i: usize, control: &FixedControl) -> Option<Fault> {
    let fixed = &of.fixed[i];
    let location = Location::of(of).at(fixed.name);
    let bits = [Some(control.enable), control.overflow_enable];
    let own = all_of(&bits) | control.acts;
    first!(
        location.must(
            !of.control.twice,
            "must have no control register, as those of the box are written twice",
        ),
        location.must(
            within(own as u64, control.writable as u64),
            "must have its bits among the writable ones",
        ),
        location.must(
            are_apart(&bits) && control.acts & all_of(&bits) == 0,
            "must have one bit, no other's, to enable and to interrupt",
        ),
        location.must(
            control.offset != fixed.counter && !is_taken(of, control.offset, i),
            "must have registers of its own",
        ),
    )
}

/// Returns `true` if a general counter, or a fixed one before the `end`th, has this register.
const fn is_taken(of: &BoxType, offset: u16, end: usize) -> bool {
    has_register(of, offset, of.counters.len()) || any_below!(k < end => has(&of.fixed[k], offset))
}

const fn has(fixed: &Fixed, offset: u16) -> bool {
    fixed.counter == offset || matches!(&fixed.control, Some(control) if control.offset == offset)
}
