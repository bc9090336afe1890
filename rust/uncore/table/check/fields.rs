// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's fields and filters: the second part of [`super::fault`].

use super::are_ordered;
use super::has_register;
use super::have_filters;
use super::is_name;
use super::mask;
use super::only_if;
use super::same_text;
use super::same_word;
use super::within;
use super::Fault;
use super::Place;
use crate::uncore::box_type::Access;
use crate::uncore::box_type::BoxType;
use crate::uncore::box_type::Field;
use crate::uncore::box_type::FilterRegister;
use crate::uncore::box_type::Missing;
use crate::uncore::box_type::Role;
use crate::uncore::box_type::Word;

/// All bits of the fields that are in the control register.
pub(super) const fn control_bits(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::CounterSet | Role::Interval | Role::View | Role::Filter(_) => 0,
        _ => mask(of.fields[i].bits),
    })
}

/// How many bits the umask, or what is in its place, has.
pub(super) const fn umask_bits(of: &BoxType) -> u32 {
    sum_below!(i < of.fields.len() => match of.fields[i].role {
        Role::Umask => mask(of.fields[i].bits).count_ones(),
        _ => 0,
    })
}

/// How many counter sets the fields choose between; 0 without such a field.
pub(super) const fn set_choices(of: &BoxType) -> u64 {
    sum_below!(i < of.fields.len() => match of.fields[i].role {
        Role::CounterSet => 1 << mask(of.fields[i].bits).count_ones(),
        _ => 0,
    })
}

/// Whether a field or the control register looks only at events that are occupancies.
pub(super) const fn tells_occupancies_apart(of: &BoxType) -> bool {
    of.control.queue_reset.is_some()
        || any_below!(i < of.fields.len() =>
            matches!(of.fields[i].role, Role::OccupancyEdge | Role::OccupancyInvert))
}

/// The first fault of the fields.
pub(super) const fn fields(of: &BoxType) -> Option<Fault> {
    let count = of.fields.len();
    first!(
        first_below!(i < count => field(of, &of.fields[i])),
        first_below!(i < count => Place::of(of).at(of.fields[i].name).must(
            !any_below!(k < i => meet(&of.fields[k], &of.fields[i])),
            "must have a name and bits of its own",
        )),
        Place::of(of).must(
            any_below!(i < count => is_whole_select(of, &of.fields[i])),
            "must have a field for the event select",
        ),
    )
}

const fn field(of: &BoxType, field: &Field) -> Option<Fault> {
    let place = Place::of(of).at(field.name);
    let is_of_filters = matches!(field.role, Role::Filter(_) | Role::View);
    first!(
        place.must(is_name(field.name), "must have a lower-case name"),
        place.must(are_ordered(field.bits), "must have ordered bits"),
        place.must(
            same_word(field.word, Word::Config) != is_of_filters,
            "must be in config exactly if it is no filter",
        ),
        place.must(has_unit(of, field), "must have a filter unit of the box"),
        place.must(
            !needs_threshold(field)
                || any_below!(i < of.fields.len() => is_threshold(&of.fields[i])),
            "must have a threshold beside it",
        ),
        place.must(
            !matches!(field.role, Role::CounterSet | Role::Interval)
                || mask(field.bits) & 0xffff_ffff == 0,
            "must be above the bits of the control register",
        ),
        place.must(
            !matches!(field.role, Role::Interval) || of.control.overflow_enable.is_some(),
            "must have counters that can interrupt",
        ),
        place.must(
            !is_view(field)
                || any_below!(i < of.filters.len() => is_view_of(field, &of.filters[i])),
            "must show the fields of one filter register",
        ),
    )
}

/// Whether the filter unit that the field is part of, or switches on, exists.
const fn has_unit(of: &BoxType, field: &Field) -> bool {
    match field.role {
        Role::Filter(unit) | Role::FilterEnable(unit) => (unit as usize) < of.filter_units.len(),
        _ => true,
    }
}

const fn needs_threshold(field: &Field) -> bool {
    matches!(
        field.role,
        Role::Edge | Role::OccupancyEdge | Role::OccupancyInvert
    )
}

const fn is_threshold(field: &Field) -> bool {
    matches!(field.role, Role::Threshold)
}

const fn is_view(field: &Field) -> bool {
    matches!(field.role, Role::View)
}

/// Whether a view covers all bits of a register that may be written, and no other register.
const fn is_view_of(view: &Field, register: &FilterRegister) -> bool {
    let bits = mask(view.bits);
    same_word(view.word, register.word)
        && within(reached(register, register.writable), bits)
        && within(bits, reached(register, u32::MAX))
}

/// Whether two fields have the same name or a bit in common.
const fn meet(a: &Field, b: &Field) -> bool {
    let share_bits = same_word(a.word, b.word) && mask(a.bits) & mask(b.bits) != 0;
    same_text(a.name, b.name) || share_bits && !is_view(a) && !is_view(b)
}

const fn is_whole_select(of: &BoxType, field: &Field) -> bool {
    matches!(field.role, Role::Select) && mask(field.bits) == mask(of.control.select)
}

/// The first fault of the filters.
pub(super) const fn filter_units(of: &BoxType) -> Option<Fault> {
    let place = Place::of(of);
    let count = of.filter_units.len();
    first!(
        place.must(count <= 8, "must have at most 8 filter units"),
        place.must(
            of.filters.len() <= 4,
            "must have at most 4 filter registers",
        ),
        place.must(
            registers_in(of, Word::Config1) == units_in(of, Word::Config1)
                && registers_in(of, Word::Config2) == units_in(of, Word::Config2),
            "must have as filter units of config1 and config2 the writable filter bits",
        ),
        place.must(
            !any_below!(i < of.filters.len() => is_taken(of, i)),
            "must have a register of its own for each filter",
        ),
        first_below!(i < count => filter_unit(of, i)),
    )
}

/// Register bits in the word of the request.
const fn reached(register: &FilterRegister, bits: u32) -> u64 {
    (bits as u64) << register.shift
}

/// The bits of a word that reach a filter register.
const fn registers_in(of: &BoxType, word: Word) -> u64 {
    let all = of.filters;
    union_below!(i < all.len() =>
        only_if(same_word(all[i].word, word), reached(&all[i], all[i].writable)))
}

/// The bits of a word that belong to a filter unit.
const fn units_in(of: &BoxType, word: Word) -> u64 {
    let all = of.filter_units;
    union_below!(i < all.len() => only_if(same_word(all[i].word, word), all[i].mask))
}

/// Whether the offset of a filter register is that of one before it, or of a counter beside it.
const fn is_taken(of: &BoxType, i: usize) -> bool {
    let offset = of.filters[i].offset;
    any_below!(k < i => of.filters[k].offset == offset)
        || !are_filters_apart(of) && has_register(of, offset, of.counters.len())
}

/// Whether filter registers are in another PCI function than the counters.
const fn are_filters_apart(of: &BoxType) -> bool {
    match &of.access {
        Access::Msr { .. } => false,
        Access::Pci { functions } => have_filters(functions),
    }
}

const fn filter_unit(of: &BoxType, i: usize) -> Option<Fault> {
    let unit = &of.filter_units[i];
    let place = Place::of(of).at(unit.name);
    let count = of.fields.len();
    first!(
        place.must(
            unit.mask != 0
                && within(unit.mask, bits_of_unit(of, i))
                && !any_below!(k < count => is_of_unit(&of.fields[k], i)
                    && !(same_word(of.fields[k].word, unit.word)
                        && mask(of.fields[k].bits) & unit.mask != 0)),
            "must be made of bits of each of its fields",
        ),
        match unit.missing {
            Missing::Any(value) => place.must(
                value != 0 && within(value, unit.mask),
                "must have an any value of its own bits",
            ),
            Missing::Refuse(name) | Missing::Ask(name) => place.must(
                any_below!(k < count =>
                    is_of_unit(&of.fields[k], i) && same_text(of.fields[k].name, name)),
                "must ask for one of its fields",
            ),
            Missing::Zero => place.must(
                any_below!(k < count => enables_unit(&of.fields[k], i)),
                "must have an enable field, as zero is a value",
            ),
            Missing::Open | Missing::Compares(_) => None,
        },
    )
}

const fn is_of_unit(field: &Field, unit: usize) -> bool {
    matches!(field.role, Role::Filter(index) if index as usize == unit)
}

const fn enables_unit(field: &Field, unit: usize) -> bool {
    matches!(field.role, Role::FilterEnable(index) if index as usize == unit)
}

/// The bits of the fields of a filter unit.
const fn bits_of_unit(of: &BoxType, unit: usize) -> u64 {
    let all = of.fields;
    union_below!(i < all.len() => only_if(is_of_unit(&all[i], unit), mask(all[i].bits)))
}
