// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's counters, registers and PCI functions: the first part of
//! [`super::fault`].

use super::rules::{
    all_of,
    are_apart,
    is_name,
    mask,
    within,
    Fault,
    Location, //
};
use crate::uncore::table::box_type::*;

/// The first fault of the registers.
pub(crate) const fn registers(of: &BoxType) -> Option<Fault> {
    first!(
        counters(of),
        counter_sets(of),
        access(of),
        control(of),
        box_control(of),
        alternative(of),
    )
}

const fn alternative(of: &BoxType) -> Option<Fault> {
    let Some(next) = of.alternative else {
        return None;
    };
    first!(
        Location::of(of).must(
            next.counters.len() == of.counters.len() && next.width <= of.width,
            "must have as many counters in its alternative, and no wider ones",
        ),
        counters(next),
        box_control(next),
        alternative(next),
    )
}

const fn box_control(of: &BoxType) -> Option<Fault> {
    match &of.box_control {
        Some(control) => Location::of(of).must(
            control.freeze != control.unfreeze
                && !has_register(of, control.offset, of.counters.len()),
            "must have a register of its own for the box control, with two values",
        ),
        None => None,
    }
}

const fn counters(of: &BoxType) -> Option<Fault> {
    let location = Location::of(of);
    let count = of.counters.len();
    first!(
        location.must(is_name(of.name), "must have a lower-case name"),
        location.must(
            0 < count && count <= 8 || count == 0 && is_read_only(of),
            "must have 1 to 8 counters, or in memory only fixed ones that always run",
        ),
        location.must(is_width(of.width), "must have 1 to 64 bits a counter"),
        location.must(of.max_clock_mhz > 0, "must have a highest clock"),
        location.must(of.max_increment > 0, "must have a maximum increment"),
        location.must(
            !any_below!(i < count => has_register(of, of.counters[i].control, i)
                || has_register(of, of.counters[i].counter, i)
                || of.counters[i].control == of.counters[i].counter),
            "must have a register of its own for each counter and control",
        ),
    )
}

/// Returns `true` if nothing of the box is written: it has only fixed counters that always run.
const fn is_read_only(of: &BoxType) -> bool {
    let control = &of.control;
    matches!(of.access, Access::Memory(_))
        && of.counters.is_empty()
        && !of.fixed.is_empty()
        && !any_below!(i < of.fixed.len() => of.fixed[i].control.is_some())
        && control.writable | control.enable | control.acts == 0
        && of.box_control.is_none()
        && of.status.is_none()
        && of.filters.is_empty()
}

pub(crate) const fn is_width(width: u8) -> bool {
    0 < width && width <= 64
}

/// Returns `true` if a counter before the `end`th has this register.
pub(crate) const fn has_register(of: &BoxType, offset: u16, end: usize) -> bool {
    any_below!(i < end => of.counters[i].control == offset || of.counters[i].counter == offset)
}

const fn counter_sets(of: &BoxType) -> Option<Fault> {
    let location = Location::of(of);
    let sets = of.counter_sets;
    let all = (1_u32 << of.counters.len()) - 1;
    let joined: u32 = union_below!(i < sets.len() => sets[i] as u32);
    let added: u32 = sum_below!(i < sets.len() => sets[i] as u32);
    first!(
        location.must(
            sets.is_empty() || joined == all && added == all,
            "must have each counter in one counter set",
        ),
        location.must(
            sets.len() as u64 == set_choices(of),
            "must have a field with a value for each counter set, if there are any",
        ),
    )
}

const fn access(of: &BoxType) -> Option<Fault> {
    let location = Location::of(of);
    match &of.access {
        Access::Msr { bases, present } => first!(
            location.must(
                !bases.is_empty() && bases.len() <= 32 && !present.is_empty(),
                "must have 1 to 32 boxes, and something that tells which a package has",
            ),
            location.must(
                !any_below!(i < bases.len() => bases[i] == 0)
                    || bases.len() == 1 && !has_register(of, 0, of.counters.len()),
                "must have a first MSR of each box, or one box with MSR numbers as offsets",
            ),
            location.must(
                !any_below!(i < bases.len() =>
                    any_below!(k < bases.len() => k != i && overlaps(of, bases[k], bases[i]))),
                "must have boxes apart",
            ),
            location.must(
                present.len() == 1
                    || !any_below!(i < present.len() => matches!(present[i], Presence::All)),
                "must have all boxes or something else that tells them",
            ),
            location.must(
                !any_below!(i < present.len() => !can_tell(of, &present[i])),
                "must have bits in order, with a fuse for each box and masks of its boxes only",
            ),
        ),
        Access::Pci(functions) => pci(of, functions),
        Access::Memory(at) => memory(of, at),
    }
}

/// Returns `true` if the first counter of a box from `base` on, or its control, is one of another
/// box from `other` on.
const fn overlaps(of: &BoxType, base: u32, other: u32) -> bool {
    let first = &of.counters[0];
    meets(of, base + first.control as u32, other) || meets(of, base + first.counter as u32, other)
}

/// Returns `true` if a box from `base` on has this MSR for a counter or a control.
pub(crate) const fn meets(of: &BoxType, msr: u32, base: u32) -> bool {
    msr >= base
        && msr - base <= u16::MAX as u32
        && has_register(of, (msr - base) as u16, of.counters.len())
}

/// Returns `true` if the bits that tell the boxes fit the box type.
const fn can_tell(of: &BoxType, presence: &Presence) -> bool {
    let boxes = u32::MAX as u64 >> (32 - of.max_boxes());
    match presence {
        Presence::Fuses {
            offset,
            bits,
            choices,
            ..
        } => {
            let fuses = mask(&[*bits]);
            let fits = match choices {
                None => fuses.count_ones() == of.max_boxes() as u32,
                Some(choices) => {
                    !any_below!(i < choices.len() => !within(choices[i] as u64, boxes))
                }
            };
            *offset % 4 == 0 && fuses != 0 && within(fuses, u32::MAX as u64) && fits
        }
        Presence::Register { bits, .. } | Presence::CoresUpTo { bits, .. } => mask(&[*bits]) != 0,
        Presence::All | Presence::Functions { .. } | Presence::Cores => true,
    }
}

const fn pci(of: &BoxType, functions: &[PciFunction]) -> Option<Fault> {
    let location = Location::of(of);
    let count = functions.len();
    first!(
        location.must(0 < count && count <= 32, "must have 1 to 32 PCI functions",),
        location.must(
            !any_below!(i < count => functions[i].index as usize != i),
            "must list its PCI functions by index",
        ),
        location.must(
            !any_below!(i < 2 * count => is_nowhere(function(functions, i))),
            "must have devices up to 31 and functions up to 7",
        ),
        location.must(
            !any_below!(i < 2 * count =>
                any_below!(k < i => meet(function(functions, k), function(functions, i)))),
            "must have a device ID and a place of its own for each PCI function",
        ),
        location.must(
            !have_filters(functions)
                || !of.filters.is_empty()
                    && !any_below!(i < count => functions[i].filters.is_none()),
            "must have filters, and a function with them for each box, if it has one for any",
        ),
        location.must(
            !any_below!(i < of.counters.len() =>
                of.counters[i].control % 4 != 0 || of.counters[i].counter % 4 != 0)
                && !any_below!(i < of.filters.len() => match of.filters[i].place {
                    Place::Offset(offset) => offset % 4 != 0,
                    Place::Msrs(_) => true,
                }),
            "must have its registers on dword boundaries",
        ),
    )
}

/// Returns `true` if there are functions that hold the boxes' filters.
pub(crate) const fn have_filters(functions: &[PciFunction]) -> bool {
    any_below!(i < functions.len() => functions[i].filters.is_some())
}

/// The PCI function of a box; from `functions.len()` on, the separate function with its filters, if
/// there is one.
pub(crate) const fn function(functions: &[PciFunction], i: usize) -> Option<FilterFunction> {
    let own = &functions[i % functions.len()];
    if i >= functions.len() {
        return own.filters;
    }
    Some(FilterFunction {
        device_id: own.device_id,
        device: own.device,
        function: own.function,
    })
}

const fn is_nowhere(function: Option<FilterFunction>) -> bool {
    matches!(function, Some(function) if function.device > 31 || function.function > 7)
}

const fn meet(a: Option<FilterFunction>, b: Option<FilterFunction>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return false;
    };
    a.device_id == b.device_id || a.device == b.device && a.function == b.function
}

const fn memory(of: &BoxType, at: &Memory) -> Option<Fault> {
    let location = Location::of(of);
    let fixed = of.fixed;
    first!(
        location.must(
            is_read_only(of),
            "must have only counters that always run, as its memory is not written",
        ),
        location.must(
            at.device <= 31 && at.function <= 7 && at.base % 4 == 0,
            "must have a device up to 31, a function up to 7 and a base on a dword boundary",
        ),
        location.must(
            !any_below!(i < fixed.len() => fixed[i].max_width > 32
                || fixed[i].counter % 4 != 0
                || fixed[i].counter as u32 + 4 > at.size as u32),
            "must have counters of up to 32 bits on dword boundaries in its memory",
        ),
    )
}

const fn control(of: &BoxType) -> Option<Fault> {
    let location = Location::of(of);
    let control = &of.control;
    if is_read_only(of) {
        return None;
    }
    let bits = [control.queue_reset, control.overflow_enable];
    let others = all_of(&bits);
    let own = control.enable | others | control.acts;
    let rest = (control.writable & !own) as u64;
    first!(
        location.must(
            within(own as u64, control.writable as u64),
            "must have the bits that are not the user's among the writable ones",
        ),
        location.must(
            are_apart(&bits)
                && control.enable != 0
                && control.enable & (others | control.acts) == 0
                && control.acts & others == 0,
            "must have bits, no other's, to enable, and one to clear the queue and to interrupt",
        ),
        location.must(
            rest == control_bits(of),
            "must have as fields of config the writable bits that are not the driver's",
        ),
        location.must(
            event_set_bits(of) & control.writable as u64 == 0,
            "must have event sets in bits that are not written",
        ),
        location.must(
            within(control.uncertain as u64, rest),
            "must be uncertain only about bits of fields",
        ),
    )
}

/// All bits of the fields that are in the control register.
const fn control_bits(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::EventSet | Role::CounterSet | Role::Interval | Role::View | Role::Filter(_) => 0,
        _ => mask(of.fields[i].bits),
    })
}

/// The bits of the event select that no control register holds.
const fn event_set_bits(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::EventSet => mask(of.fields[i].bits),
        _ => 0,
    })
}

/// Number of counter sets that a field can choose; 0 without such a field.
const fn set_choices(of: &BoxType) -> u64 {
    sum_below!(i < of.fields.len() => match of.fields[i].role {
        Role::CounterSet => 1 << mask(of.fields[i].bits).count_ones(),
        _ => 0,
    })
}
