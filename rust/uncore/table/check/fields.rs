// SPDX-License-Identifier: GPL-2.0

//! Checks of a box type's fields and filters: the second part of [`super::fault`].

use super::{
    registers::{
        has_register,
        have_filters,
        meets, //
    },
    rules::{
        are_ordered,
        has_text,
        is_name,
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
            !any_below!(k < i => meet(&of.fields[k], &of.fields[i])),
            "must have a name and bits of its own",
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
            is_view(field) || same_word(field.word, Word::Config) != is_of_filters,
            "must be in config exactly if it is no filter",
        ),
        location.must(has_unit(of, field), "must have a filter unit of the box"),
        location.must(
            !needs_threshold(field)
                || any_below!(i < of.fields.len() => is_threshold(&of.fields[i])),
            "must have a threshold beside it",
        ),
        location.must(
            !matches!(field.role, Role::CounterSet | Role::Interval)
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
                || any_below!(i < of.fields.len() => is_name_of(field, &of.fields[i])),
            "must show the fields of one filter register, or one field of config",
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

/// Returns `true` if two fields have one name or a bit in common.
const fn meet(a: &Field, b: &Field) -> bool {
    let share_bits = same_word(a.word, b.word) && mask(a.bits) & mask(b.bits) != 0;
    same_text(a.name, b.name) || share_bits && !is_view(a) && !is_view(b)
}

/// The bits of the fields that make up the event select.
const fn select_bits(of: &BoxType) -> u64 {
    union_below!(i < of.fields.len() => match of.fields[i].role {
        Role::Select | Role::EventSet => mask(of.fields[i].bits),
        _ => 0,
    })
}

/// The first fault of the filters.
pub(crate) const fn filter_units(of: &BoxType) -> Option<Fault> {
    let location = Location::of(of);
    let count = of.filter_units.len();
    first!(
        location.must(count <= 8, "must have at most 8 filter units"),
        location.must(
            of.filters.len() <= 6,
            "must have at most 6 filter registers",
        ),
        location.must(
            !any_below!(i < of.filters.len() => !has_all(of, &of.filters[i])),
            "must have in their words all bits of the filters, which have 32 in PCI functions",
        ),
        location.must(
            registers_in(of, Word::Config1) == units_in(of, Word::Config1)
                && registers_in(of, Word::Config2) == units_in(of, Word::Config2),
            "must have as filter units of config1 and config2 the writable filter bits",
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
            !any_below!(i < of.filters.len() => !has_right_guard(of, i)),
            "must have the guard of a filter before it, in MSRs, with a value while it is used",
        ),
        first_below!(i < count => filter_unit(of, i)),
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

/// Returns `true` if the `i`th filter register has no guard, or one that is on if and only if an
/// event uses the register.
const fn has_right_guard(of: &BoxType, i: usize) -> bool {
    let register = &of.filters[i];
    let Some(guard) = register.guard else {
        return true;
    };
    if guard as usize >= i || matches!(of.access, Access::Pci(_)) {
        return false;
    }
    let guard = &of.filters[guard as usize];
    let all = of.filter_units;
    guard.constant.is_some()
        && guard.guard.is_none()
        && !any_below!(k < all.len() => reaches(&all[k], k, register) && guard.units & 1 << k == 0)
}

/// Returns `true` if the `k`th filter unit has bits of a filter register, or switches it on.
const fn reaches(unit: &FilterUnit, k: usize, register: &FilterRegister) -> bool {
    let has_bits = same_word(unit.word, register.word)
        && unit.mask & reached(register, register.writable) != 0;
    register.units & 1 << k != 0 && (has_bits || register.constant.is_some())
}

/// Bits of a register at their place in the word of the request.
const fn reached(register: &FilterRegister, bits: u64) -> u64 {
    match bits.checked_shl(register.shift as u32) {
        Some(bits) => bits,
        None => 0,
    }
}

/// All bits of a register. Those with fields in their lower half only have 32.
const fn all_bits(register: &FilterRegister) -> u64 {
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

/// The bits of a word that reach a filter register.
const fn registers_in(of: &BoxType, word: Word) -> u64 {
    let all = of.filters;
    union_below!(i < all.len() =>
    only_if(
        same_word(all[i].word, word) && all[i].constant.is_none(),
        reached(&all[i], all[i].writable),
    ))
}

/// The bits of a word that belong to a filter unit.
const fn units_in(of: &BoxType, word: Word) -> u64 {
    let all = of.filter_units;
    union_below!(i < all.len() => only_if(same_word(all[i].word, word), all[i].mask))
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
