// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's fields and filters: the second part of [`super::fault`].

use super::are_ordered;
use super::first;
use super::is_name;
use super::mask;
use super::same_text;
use super::same_word;
use super::within;
use super::Fault;
use super::Place;
use crate::uncore::box_type::BoxType;
use crate::uncore::box_type::Field;
use crate::uncore::box_type::Missing;
use crate::uncore::box_type::Role;
use crate::uncore::box_type::Word;

/// All bits of a word that are some field's.
pub(super) const fn bits_in(of: &BoxType, word: Word) -> u64 {
    let mut bits = 0;
    let mut i = 0;
    while i < of.fields.len() {
        if same_word(of.fields[i].word, word) {
            bits |= mask(of.fields[i].bits);
        }
        i += 1;
    }
    bits
}

/// The first fault of the fields.
pub(super) const fn fields(of: &BoxType) -> Option<Fault> {
    let count = of.fields.len();
    first(&[
        first_below!(i < count => field(of, &of.fields[i])),
        first_below!(i < count => Place::of(of).at(of.fields[i].name).must(
            !any_below!(k < i => meet(&of.fields[k], &of.fields[i])),
            "must have a name and bits of its own",
        )),
        Place::of(of).must(
            any_below!(i < count => is_whole_select(of, &of.fields[i])),
            "must have a field for the event select",
        ),
    ])
}

const fn field(of: &BoxType, field: &Field) -> Option<Fault> {
    let place = Place::of(of).at(field.name);
    let is_filter = matches!(field.role, Role::Filter(_));
    first(&[
        place.must(is_name(field.name), "must have a lower-case name"),
        place.must(are_ordered(field.bits), "must have ordered bits"),
        place.must(
            same_word(field.word, Word::Config) != is_filter,
            "must be in config exactly if it is no filter",
        ),
        place.must(has_unit(of, field), "must have a filter unit of the box"),
    ])
}

/// Whether the filter unit that the field is part of, or switches on, exists.
const fn has_unit(of: &BoxType, field: &Field) -> bool {
    match field.role {
        Role::Filter(unit) | Role::FilterEnable(unit) => (unit as usize) < of.filter_units.len(),
        _ => true,
    }
}

/// Whether two fields have the same name or a bit in common.
const fn meet(a: &Field, b: &Field) -> bool {
    same_text(a.name, b.name) || same_word(a.word, b.word) && mask(a.bits) & mask(b.bits) != 0
}

const fn is_whole_select(of: &BoxType, field: &Field) -> bool {
    matches!(field.role, Role::Select) && mask(field.bits) == mask(of.control.select)
}

/// The first fault of the filters.
pub(super) const fn filter_units(of: &BoxType) -> Option<Fault> {
    let place = Place::of(of);
    let count = of.filter_units.len();
    first(&[
        place.must(count <= 8, "must have at most 8 filter units"),
        place.must(
            registers_in(of, Word::Config1) == bits_in(of, Word::Config1)
                && registers_in(of, Word::Config2) == bits_in(of, Word::Config2),
            "must have as fields of config1 and config2 the writable filter bits",
        ),
        first_below!(i < count => filter_unit(of, i)),
    ])
}

/// The bits of a word that reach a filter register.
const fn registers_in(of: &BoxType, word: Word) -> u64 {
    let mut bits = 0;
    let mut i = 0;
    while i < of.filters.len() {
        if same_word(of.filters[i].word, word) {
            bits |= (of.filters[i].writable as u64) << of.filters[i].shift;
        }
        i += 1;
    }
    bits
}

const fn filter_unit(of: &BoxType, i: usize) -> Option<Fault> {
    let unit = &of.filter_units[i];
    let place = Place::of(of).at(unit.name);
    let count = of.fields.len();
    first(&[
        place.must(
            unit.mask != 0 && unit.mask == bits_of_unit(of, i),
            "must be made of the bits of its fields",
        ),
        match unit.missing {
            Missing::Any(value) => place.must(
                value != 0 && within(value, unit.mask),
                "must have an any value of its own bits",
            ),
            Missing::Refuse(name) => place.must(
                any_below!(k < count =>
                    is_of_unit(&of.fields[k], i) && same_text(of.fields[k].name, name)),
                "must ask for one of its fields",
            ),
            Missing::Zero => place.must(
                any_below!(k < count => enables_unit(&of.fields[k], i)),
                "must have an enable field, as zero is a value",
            ),
        },
    ])
}

const fn is_of_unit(field: &Field, unit: usize) -> bool {
    matches!(field.role, Role::Filter(index) if index as usize == unit)
}

const fn enables_unit(field: &Field, unit: usize) -> bool {
    matches!(field.role, Role::FilterEnable(index) if index as usize == unit)
}

/// The bits of the fields of a filter unit, as far as they are in its word.
const fn bits_of_unit(of: &BoxType, unit: usize) -> u64 {
    let mut bits = 0;
    let mut i = 0;
    while i < of.fields.len() {
        let field = &of.fields[i];
        if is_of_unit(field, unit) && same_word(field.word, of.filter_units[unit].word) {
            bits |= mask(field.bits);
        }
        i += 1;
    }
    bits
}
