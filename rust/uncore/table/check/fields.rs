// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's fields: the second part of [`super::fault`].

use super::{
    filters::{
        all_bits,
        reached, //
    },
    rules::{
        are_ordered,
        is_name,
        mask,
        same_text,
        same_word,
        within,
        Fault,
        Location, //
    }, //
};
use crate::uncore::table::box_type::*;

/// Number of bits of the umask, or of the field in its place.
pub(crate) const fn umask_bits(of: &BoxType) -> u32 {
    sum_below!(i < of.fields.len() => match of.fields[i].role {
        Role::Umask => mask(of.fields[i].bits).count_ones(),
        _ => 0,
    })
}

/// Returns `true` if the box has a field or control bit for occupancies only.
pub(crate) const fn tells_occupancies_apart(of: &BoxType) -> bool {
    of.control.queue_reset.is_some()
        || any_below!(i < of.fields.len() =>
            matches!(of.fields[i].role, Role::OccupancyEdge | Role::OccupancyInvert))
}

/// The first fault of the fields.
pub(crate) const fn fields(of: &BoxType) -> Option<Fault> {
    let count = of.fields.len();
    first!(
        first_below!(i < count => field(of, &of.fields[i])),
        first_below!(i < count => Location::of(of).at(of.fields[i].name).must(
            !any_below!(k < i => meet(of, &of.fields[k], &of.fields[i])),
            "must have a name and bits of its own, or bits of a filter that no event uses with it",
        )),
        Location::of(of).must(
            any_below!(i < count => matches!(of.fields[i].role, Role::Select))
                && select_bits(of) == mask(of.control.select),
            "must have fields for the event select",
        ),
    )
}

const fn field(of: &BoxType, field: &Field) -> Option<Fault> {
    let location = Location::of(of).at(field.name);
    let is_of_filters = matches!(field.role, Role::Filter(_));
    first!(
        location.must(is_name(field.name), "must have a lower-case name"),
        location.must(are_ordered(field.bits), "must have ordered bits"),
        location.must(
            is_view(field) || is_of_filters || same_word(field.word, Word::Config),
            "must be in config if it is no filter",
        ),
        location.must(has_unit(of, field), "must have a filter unit of the box"),
        location.must(
            !needs_threshold(field)
                || any_below!(i < of.fields.len() => is_threshold(&of.fields[i])),
            "must have a threshold beside it",
        ),
        location.must(
            !(matches!(field.role, Role::CounterSet | Role::Interval)
                || is_of_filters && same_word(field.word, Word::Config))
                || mask(field.bits) & 0xffff_ffff == 0,
            "must be above the bits of the control register",
        ),
        location.must(
            !matches!(field.role, Role::Interval) || of.control.overflow_enable.is_some(),
            "must have counters that can interrupt",
        ),
        location.must(
            !is_view(field)
                || any_below!(i < of.filters.len() => is_view_of(field, &of.filters[i]))
                || any_below!(i < of.fields.len() => is_name_of(field, &of.fields[i])
                    || is_part_of(field, &of.fields[i]))
                || is_of_enable(of, field),
            "must show the fields of one filter register, one field of config, a part of a filter, \
             or bits that enable a counter",
        ),
    )
}

/// Returns `true` if the filter unit that the field is part of, or switches on, exists.
const fn has_unit(of: &BoxType, field: &Field) -> bool {
    match field.role {
        Role::Filter(unit) | Role::FilterEnable(unit) => (unit as usize) < of.filter_units.len(),
        _ => true,
    }
}

const fn needs_threshold(field: &Field) -> bool {
    matches!(
        field.role,
        Role::OccupancyEdge | Role::Invert | Role::OccupancyInvert
    )
}

const fn is_threshold(field: &Field) -> bool {
    matches!(field.role, Role::Threshold)
}

const fn is_view(field: &Field) -> bool {
    matches!(field.role, Role::View)
}

/// Returns `true` if a view covers all writable bits of the register, and no other register.
const fn is_view_of(view: &Field, register: &FilterRegister) -> bool {
    let bits = mask(view.bits);
    same_word(view.word, register.word)
        && within(reached(register, register.writable), bits)
        && within(bits, reached(register, all_bits(register)))
}

/// Returns `true` if a view in `config` is another name of a field.
const fn is_name_of(view: &Field, field: &Field) -> bool {
    !is_view(field)
        && same_word(view.word, Word::Config)
        && same_word(field.word, Word::Config)
        && mask(view.bits) == mask(field.bits)
}

/// Returns `true` if a view is a part of a field of a filter.
const fn is_part_of(view: &Field, field: &Field) -> bool {
    matches!(field.role, Role::Filter(_))
        && same_word(view.word, field.word)
        && within(mask(view.bits), mask(field.bits))
}

/// Returns `true` if a view shows bits that the driver sets while a counter counts.
const fn is_of_enable(of: &BoxType, view: &Field) -> bool {
    same_word(view.word, Word::Config) && within(mask(view.bits), of.control.enable as u64)
}

/// Returns `true` if two fields have one name or a bit in common.
const fn meet(of: &BoxType, a: &Field, b: &Field) -> bool {
    let share_bits = same_word(a.word, b.word) && mask(a.bits) & mask(b.bits) != 0;
    same_text(a.name, b.name)
        || share_bits && !is_view(a) && !is_view(b) && !are_alternatives(of, a, b)
}

/// Returns `true` if two fields are of two filter units that no event uses together.
const fn are_alternatives(of: &BoxType, a: &Field, b: &Field) -> bool {
    let (Role::Filter(a), Role::Filter(b)) = (a.role, b.role) else {
        return false;
    };
    let both = 1_u32 << a | 1 << b;
    a != b && !any_below!(i < of.events.len() => used_units(of, &of.events[i]) & both == both)
}

/// The filter units that an event can use, as a bit mask.
pub(crate) const fn used_units(of: &BoxType, event: &Event) -> u32 {
    let rows = event.subevents;
    let enabled: u32 = union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::FilterEnable(unit) => 1 << unit,
        _ => 0,
    });
    let needed: u32 = union_below!(i < rows.len() => rows[i].filters as u32);
    event.filters as u32 | needed | enabled
}

/// The bits of the fields that make up the event select.
const fn select_bits(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::Select | Role::EventSet => mask(of.fields[i].bits),
        _ => 0,
    })
}
