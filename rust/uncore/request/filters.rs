// SPDX-License-Identifier: GPL-2.0

//! Parses the filter fields of a request: the filter units that its event uses, and their values.

use super::{
    filter_units::{
        FilterUse,
        UsedUnit, //
    },
    reject::faults::FilterFault, //
};
use crate::uncore::table::{
    box_type::*,
    field::{
        index_bit,
        Words, //
    }, //
};

/// The filters of an event: the units `needed`, as a bit mask, and those that the user switches on
/// with an enable field. Of a unit with several copies it is this copy.
pub(crate) fn parse(
    kind: &BoxType,
    words: &Words,
    needed: u32,
    copy: u8,
) -> Result<FilterUse, FilterFault> {
    let used = used_units(kind, words, needed);
    check_unused(kind, words, used)?;
    let mut filters = FilterUse::default();
    for (unit, table) in (0..u8::MAX).zip(kind.filter_units) {
        if used & index_bit(unit) != 0 {
            filters.add(&UsedUnit {
                unit,
                copy: kind.copy_number(unit, copy),
                value: filter_value(table, words)?,
            });
        }
    }
    Ok(filters)
}

/// The filter units `needed` and those that an enable field switches on, as a bit mask.
pub(crate) fn used_units(kind: &BoxType, words: &Words, needed: u32) -> u32 {
    let fields = kind.fields.iter();
    fields.fold(needed, |units, field| match field.role {
        Role::FilterEnable(unit) if field.value(words) != 0 => units | index_bit(unit),
        _ => units,
    })
}

/// Refuses a value of a filter that the event does not use; the lowest unit with one is named. Bits
/// that are also fields of a filter that it uses are values of that one.
fn check_unused(kind: &BoxType, words: &Words, used: u32) -> Result<(), FilterFault> {
    let mut rest = *words;
    for field in kind.fields {
        if matches!(field.role, Role::Filter(unit) if used & index_bit(unit) != 0) {
            rest.clear(field.word, field.mask());
        }
    }
    let mut unused: Option<(u8, &'static Field)> = None;
    for field in kind.fields {
        let Role::Filter(unit) = field.role else {
            continue;
        };
        let is_lower = unused.is_none_or(|(lowest, _)| unit < lowest);
        if is_lower && used & index_bit(unit) == 0 && field.value(&rest) != 0 {
            unused = Some((unit, field));
        }
    }
    let Some((unit, field)) = unused else {
        return Ok(());
    };
    Err(match kind.field(Role::FilterEnable(unit)) {
        Some(enable) => FilterFault::NotEnabled(field, enable),
        None => FilterFault::NotTaken(field),
    })
}

/// The value of a filter unit that the event uses.
fn filter_value(unit: &FilterUnit, words: &Words) -> Result<u64, FilterFault> {
    let value = match (words.get(unit.word) & unit.mask, unit.when_zero) {
        (0, WhenZero::Fill(value)) => value,
        (0, WhenZero::Refuse(field)) => return Err(FilterFault::Missing(field)),
        (given, WhenZero::MaskOf(word)) => match words.get(word) & !given {
            0 => given,
            rest => return Err(FilterFault::NotCompared(unit.name, rest)),
        },
        (given, _) => given,
    };
    (unit.valid)(value).map_err(FilterFault::Invalid)?;
    Ok(value)
}
