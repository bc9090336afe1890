// SPDX-License-Identifier: GPL-2.0

//! What an event wants of the filters of its box: reasons 14 to 17.

use super::super::{
    assign::bit,
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
    check_unused(kind, words, needed)?;
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
    let enabled = kind.fields.iter().map(|field| match field.role {
        Role::FilterEnable(unit) if field.value(words) != 0 => bit(unit),
        _ => 0,
    });
    enabled.fold(0, |units, unit| units | unit)
}

/// Reasons 14 and 15, of the first unit that is not needed.
fn check_unused(kind: &BoxType, words: &Words, needed: u8) -> Result<(), FilterFault> {
    let given = kind.fields.iter().filter_map(|field| match field.role {
        Role::Filter(unit) if needed & bit(unit) == 0 && field.value(words) != 0 => {
            Some((unit, field))
        }
        _ => None,
    });
    let Some((unit, field)) = given.min_by_key(|(unit, _)| *unit) else {
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
