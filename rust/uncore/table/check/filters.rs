// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's filter registers and filter units: the third part of [`super::fault`].

use super::{
    registers::{
        has_register,
        have_filters,
        meets, //
    },
    rules::{
        has_text,
        mask,
        only_if,
        same_text,
        same_word,
        within,
        Fault,
        Location, //
    }, //
};
use crate::uncore::table::box_type::*;

/// The first fault of the filters.
pub(crate) const fn filter_units(of: &BoxType) -> Option<Fault> {
    let location = Location::of(of);
    let count = of.filter_units.len();
    first!(
        location.must(count <= 32, "must have at most 32 filter units"),
        location.must(
            copies(of) <= MAX_COPIES && !any_below!(i < count => of.filter_units[i].copies == 0),
            "must have a copy of each filter unit, and at most 40 copies in all",
        ),
        location.must(
            !of.one_criterion || copies(of) == count,
            "must have one copy of each filter unit, if it compares one set of units at a time",
        ),
        location.must(
            of.filters.len() <= MAX_FILTERS,
            "must have at most 36 filter registers",
        ),
        location.must(
            !any_below!(i < of.filters.len() => !has_all(of, &of.filters[i])),
            "must have in their words all bits of the filters, which have 32 in PCI functions",
        ),
        location.must(
            !any_below!(i < of.filters.len() => !has_copies(of, &of.filters[i])),
            "must have the copies of units that its filters name",
        ),
        location.must(
            !any_below!(i < of.filters.len() => !is_everywhere(of, &of.filters[i])),
            "must have an MSR for each box, if it has MSR numbers of a filter",
        ),
        location.must(
            !any_below!(i < of.filters.len() => is_taken(of, i)),
            "must have a register of its own for each filter",
        ),
        location.must(
            !any_below!(i < of.filters.len() => !has_users(of, &of.filters[i])),
            "must have a value of each filter that is constant, and units that use it",
        ),
        location.must(
            !any_below!(i < of.filters.len() =>
                !within(of.filters[i].uncertain, of.filters[i].writable)),
            "must be uncertain only about writable bits of its filters",
        ),
        location.must(
            !any_below!(i < of.filters.len() => !has_right_guard(of, i)),
            "must have the guard of a filter before it, in MSRs",
        ),
        first_below!(i < count => filter_unit(of, i)),
        location.must(
            !any_below!(i < of.filters.len() => !has_parts(of, &of.filters[i])),
            "must have as writable bits of its filters those of units, each bit of one only",
        ),
    )
}

/// Returns `true` if a constant filter register has a value, and the units that use it exist.
const fn has_users(of: &BoxType, register: &FilterRegister) -> bool {
    match register.constant {
        Some(value) => {
            value != 0
                && value == register.writable
                && register.units != 0
                && (register.units as u64) < 1 << of.filter_units.len()
        }
        None => true,
    }
}

/// Returns `true` if the `i`th filter register has no guard, or one that is on only if an event uses
/// the register.
const fn has_right_guard(of: &BoxType, i: usize) -> bool {
    let register = &of.filters[i];
    let Some(guard) = register.guard else {
        return true;
    };
    if guard as usize >= i || !matches!(of.access, Access::Msr { .. }) {
        return false;
    }
    let guard = &of.filters[guard as usize];
    let all = of.filter_units;
    guard.guard.is_none()
        && !any_below!(c < register.copies.len() =>
            !any_below!(k < guard.copies.len() => guard.copies[k].copy == register.copies[c].copy))
        && !any_below!(k < all.len() => reaches(&all[k], k, register) && guard.units & 1 << k == 0)
}

/// Returns `true` if the `k`th filter unit has bits of a filter register, or switches it on.
const fn reaches(unit: &FilterUnit, k: usize, register: &FilterRegister) -> bool {
    register.units & 1 << k != 0
        && (register.constant.is_some()
            || any_below!(c < copies_in(unit, register) => part(unit, k, register, c) != 0))
}

/// Number of copies of all filter units.
const fn copies(of: &BoxType) -> usize {
    let all = of.filter_units;
    sum_below!(i < all.len() => all[i].copies as usize)
}

/// Returns `true` if each copy that a filter register names is one of a unit that it can have.
const fn has_copies(of: &BoxType, register: &FilterRegister) -> bool {
    let (named, all) = (register.copies, of.filter_units);
    !any_below!(c < named.len() => named[c].up > 63
        || any_below!(k < c => named[k].copy == named[c].copy)
        || !any_below!(k < all.len() => register.units & 1 << k != 0
            && all[k].copies > 1
            && named[c].copy < all[k].copies))
}

/// Number of copies of a filter unit that a filter register may have.
const fn copies_in(unit: &FilterUnit, register: &FilterRegister) -> usize {
    if unit.copies == 1 {
        1
    } else {
        register.copies.len()
    }
}

/// Index of the `c`th copy of a filter unit in a filter register.
const fn copy_in(unit: &FilterUnit, register: &FilterRegister, c: usize) -> u8 {
    if unit.copies == 1 {
        0
    } else {
        register.copies[c].copy
    }
}

/// The bits in a filter register of its `c`th copy of the `k`th filter unit.
const fn part(unit: &FilterUnit, k: usize, register: &FilterRegister, c: usize) -> u64 {
    let is_there = register.constant.is_none()
        && register.units & 1 << k != 0
        && same_word(unit.word, register.word)
        && copy_in(unit, register, c) < unit.copies;
    let up = if unit.copies == 1 {
        0
    } else {
        register.copies[c].up
    };
    only_if(
        is_there,
        (unit.mask >> register.shift) << up & register.writable,
    )
}

/// Returns `true` if the writable bits of a filter register are those of units, each of one only.
const fn has_parts(of: &BoxType, register: &FilterRegister) -> bool {
    let all = of.filter_units;
    let joined: u64 = union_below!(k < all.len() =>
        union_below!(c < copies_in(&all[k], register) => part(&all[k], k, register, c)));
    let added: u32 = sum_below!(k < all.len() =>
        sum_below!(c < copies_in(&all[k], register) =>
            part(&all[k], k, register, c).count_ones()));
    register.constant.is_some() || joined == register.writable && added == joined.count_ones()
}

/// Returns `true` if each bit of each copy of the `k`th filter unit is in one filter register.
const fn has_registers(of: &BoxType, k: usize) -> bool {
    let unit = &of.filter_units[k];
    !any_below!(copy < unit.copies => {
        let bits: u32 = sum_below!(i < of.filters.len() => part_of_copy(of, k, i, copy).count_ones());
        let joined: u64 = union_below!(i < of.filters.len() => part_of_copy(of, k, i, copy));
        joined != unit.mask || bits != unit.mask.count_ones()
    })
}

/// The bits of a copy of the `k`th filter unit that are in the `i`th filter register, at their place
/// in the word.
const fn part_of_copy(of: &BoxType, k: usize, i: usize, copy: u8) -> u64 {
    let (unit, register) = (&of.filter_units[k], &of.filters[i]);
    union_below!(c < copies_in(unit, register) =>
    only_if(
        copy_in(unit, register, c) == copy,
        word_bits(unit, register, c, part(unit, k, register, c)),
    ))
}

/// Bits of a filter register's `c`th copy of a filter unit, at their place in the word.
const fn word_bits(unit: &FilterUnit, register: &FilterRegister, c: usize, bits: u64) -> u64 {
    let up = if unit.copies == 1 {
        0
    } else {
        register.copies[c].up
    };
    (bits >> up) << register.shift
}

/// Bits of a register at their place in the word of the request.
pub(super) const fn reached(register: &FilterRegister, bits: u64) -> u64 {
    match bits.checked_shl(register.shift as u32) {
        Some(bits) => bits,
        None => 0,
    }
}

/// All bits of a register. Those with fields in their lower half only have 32.
pub(super) const fn all_bits(register: &FilterRegister) -> u64 {
    if within(register.writable, u32::MAX as u64) {
        u32::MAX as u64
    } else {
        u64::MAX
    }
}

/// Returns `true` if the word has all writable bits of a register, and the register can have them.
const fn has_all(of: &BoxType, register: &FilterRegister) -> bool {
    let fits = match of.access {
        Access::Msr { .. } => true,
        Access::Pci(_) | Access::Memory(_) => within(register.writable, u32::MAX as u64),
    };
    fits && register.shift < 64
        && reached(register, register.writable) >> register.shift == register.writable
}

/// Returns `true` if a filter register before the `i`th, or a counter, is at the place of the `i`th.
const fn is_taken(of: &BoxType, i: usize) -> bool {
    match &of.access {
        Access::Msr { bases, .. } => any_below!(n < bases.len() =>
            any_below!(k < bases.len() => is_taken_msr(of, bases, i, n, k))),
        Access::Pci(functions) => {
            let offset = offset(&of.filters[i]);
            any_below!(k < i => offset == self::offset(&of.filters[k]))
                || !have_filters(functions) && has_register(of, offset, of.counters.len())
        }
        // Memory has none.
        Access::Memory(_) => false,
    }
}

/// Returns `true` if the `i`th filter register of the `n`th box is a counter of the `k`th box, or a
/// filter register of that box before the `i`th, or its own `i`th.
const fn is_taken_msr(of: &BoxType, bases: &[u32], i: usize, n: usize, k: usize) -> bool {
    let msr = msr(&of.filters[i], bases, n);
    meets(of, msr, bases[k])
        || any_below!(j < i => self::msr(&of.filters[j], bases, k) == msr)
        || k != n && self::msr(&of.filters[i], bases, k) == msr
}

/// The MSR of the `n`th box's filter register.
pub(crate) const fn msr(register: &FilterRegister, bases: &[u32], n: usize) -> u32 {
    match register.place {
        Place::Offset(offset) => bases[n] + offset as u32,
        Place::Msrs(msrs) => msrs[n],
    }
}

/// The offset of a filter register in its PCI function. Other places were refused.
const fn offset(register: &FilterRegister) -> u16 {
    match register.place {
        Place::Offset(offset) => offset,
        Place::Msrs(_) => 0,
    }
}

/// Returns `true` if a filter register has a place in each box.
const fn is_everywhere(of: &BoxType, register: &FilterRegister) -> bool {
    match register.place {
        Place::Offset(_) => true,
        Place::Msrs(msrs) => msrs.len() == of.max_boxes() as usize,
    }
}

const fn filter_unit(of: &BoxType, i: usize) -> Option<Fault> {
    let unit = &of.filter_units[i];
    let location = Location::of(of).at(unit.name);
    let count = of.fields.len();
    first!(
        location.must(
            unit.mask != 0
                && within(unit.mask, bits_of_unit(of, i))
                && !any_below!(k < count => is_of_unit(&of.fields[k], i)
                    && !(same_word(of.fields[k].word, unit.word)
                        && mask(of.fields[k].bits) & unit.mask != 0)),
            "must be made of bits of each of its fields",
        ),
        location.must(
            has_registers(of, i),
            "must have each bit of each copy in one filter register",
        ),
        location.must(
            enable_fields(of, i) <= 1,
            "must have at most one enable field",
        ),
        location.must(
            unit.names_address
                || !any_below!(k < count =>
                    is_of_unit(&of.fields[k], i) && has_text(of.fields[k].name, "addr")),
            "must be marked as an address, as a field of it is called so",
        ),
        match unit.names_none {
            Some(value) => location.must(
                unit.names_address && within(value, unit.mask),
                "must have a value that names no address among those that do",
            ),
            None => None,
        },
        match unit.when_zero {
            WhenZero::Fill(value) => location.must(
                value != 0 && within(value, unit.mask),
                "must have an any value of its own bits",
            ),
            WhenZero::Refuse(name) | WhenZero::Ask(name) => location.must(
                any_below!(k < count =>
                    is_of_unit(&of.fields[k], i) && same_text(of.fields[k].name, name)),
                "must ask for one of its fields",
            ),
            WhenZero::Enabled => location.must(
                enable_fields(of, i) == 1,
                "must have an enable field, as zero is a value",
            ),
            WhenZero::Keep | WhenZero::MaskOf(_) => None,
        },
    )
}

const fn is_of_unit(field: &Field, unit: usize) -> bool {
    matches!(field.role, Role::Filter(index) if index as usize == unit)
}

/// Number of fields that switch the filter unit on.
const fn enable_fields(of: &BoxType, unit: usize) -> usize {
    let all = of.fields;
    sum_below!(i < all.len() =>
        matches!(all[i].role, Role::FilterEnable(index) if index as usize == unit) as usize)
}

/// The bits of the fields of a filter unit.
const fn bits_of_unit(of: &BoxType, unit: usize) -> u64 {
    let all = of.fields;
    union_below!(i < all.len() => only_if(is_of_unit(&all[i], unit), mask(all[i].bits)))
}
