// SPDX-License-Identifier: GPL-2.0

//! What an event wants of the filters of its box: reasons 14 to 17.

use super::super::{
    assign::{
        bit,
        bits, //
    },
    box_type::{
        BoxType,
        FilterUnit,
        Missing,
        Role, //
    },
    field::Words,
    filter::FilterUse,
    reject::FilterFault, //
};

/// The filters of an event that needs these units, as a bit mask, and those it switches on.
pub(super) fn parse(kind: &BoxType, words: &Words, needed: u8) -> Result<FilterUse, FilterFault> {
    let needed = needed | enabled_units(kind, words);
    for unit in bits(!needed) {
        check_unused(kind, words, unit)?;
    }
    let mut filters = FilterUse::default();
    for (unit, table) in (0..).zip(kind.filter_units) {
        if needed & bit(unit) != 0 {
            filters.set(unit, filter_value(table, words)?);
        }
    }
    Ok(filters)
}

/// The filter units that are switched on by a field, as a bit mask.
fn enabled_units(kind: &BoxType, words: &Words) -> u8 {
    bits(u8::MAX)
        .filter(|&unit| kind.value_of(Role::FilterEnable(unit), words) != 0)
        .fold(0, |units, unit| units | bit(unit))
}

/// Reasons 14 and 15.
fn check_unused(kind: &BoxType, words: &Words, unit: u8) -> Result<(), FilterFault> {
    let mut fields = kind.unit_fields(unit);
    let Some(field) = fields.find(|field| field.value(words) != 0) else {
        return Ok(());
    };
    Err(match kind.field(Role::FilterEnable(unit)) {
        Some(enable) => FilterFault::NotEnabled(field, enable),
        None => FilterFault::NotTaken(field),
    })
}

/// The value of a unit the event needs; reasons 15 to 17.
fn filter_value(unit: &FilterUnit, words: &Words) -> Result<u64, FilterFault> {
    let value = match (words.get(unit.word) & unit.mask, unit.missing) {
        (0, Missing::Any(any)) => any,
        (0, Missing::Refuse(field)) => return Err(FilterFault::Missing(field)),
        (given, Missing::Compares(word)) => match words.get(word) & !given {
            0 => given,
            rest => return Err(FilterFault::NotCompared(unit.name, rest)),
        },
        (given, _) => given,
    };
    (unit.valid)(value).map_err(FilterFault::Invalid)?;
    Ok(value)
}
