// SPDX-License-Identifier: GPL-2.0

//! Sharing of the filters of a box: few registers for all its counters.
//!
//! The table names *units*, sets of fields that are compared as one. An event uses some units,
//! each with a value. Two events can share a unit if they want the same value of it. Units are
//! independent of each other, even in one register. The users of a unit are counted; without
//! users its bits are 0.
//!
//! No registers: [`Filters::word`] returns the value that they should hold. No memory allocation.

use super::assign::{
    bit,
    bits, //
};
use crate::uncore::table::box_type::{
    BoxType,
    FilterUnit,
    Word, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Most units that a box can have; a set of units is a byte.
const MAX_UNITS: usize = 8;

/// The filter units that an event uses, each with the value it wants, bits in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FilterUse {
    units: u8,
    values: [u64; MAX_UNITS],
}

impl FilterUse {
    /// Adds a unit with this value.
    pub(crate) fn set(&mut self, unit: u8, value: u64) {
        if let Some(slot) = self.values.get_mut(usize::from(unit)) {
            *slot = value;
            self.units |= bit(unit);
        }
    }

    /// The units, each with its value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, u64)> + '_ {
        bits(self.units).map(|unit| (unit, self.value(unit)))
    }

    /// Returns `true` if the event uses no filter unit.
    pub(crate) fn is_empty(&self) -> bool {
        self.units == 0
    }

    fn value(&self, unit: u8) -> u64 {
        self.values.get(usize::from(unit)).copied().unwrap_or(0)
    }
}

/// Two different values of a unit, for two events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    /// Index of the unit.
    pub(crate) unit: u8,
    /// The value that the unit has, bits in place.
    pub(crate) has: u64,
    /// The value that another event wants, bits in place.
    pub(crate) wanted: u64,
}

/// One unit of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Unit {
    /// Number of events that use the unit.
    users: u8,
    /// The value that they all want; 0 without users.
    value: u64,
}

/// The filter units of a box with their users.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Filters {
    units: [Unit; MAX_UNITS],
}

impl Filters {
    /// The first unit that has another value than `wanted`.
    pub(crate) fn conflict(&self, wanted: &FilterUse) -> Option<Conflict> {
        wanted.iter().find_map(|(unit, wanted)| {
            let Unit { users, value: has } = self.unit(unit);
            (users > 0 && has != wanted).then_some(Conflict { unit, has, wanted })
        })
    }

    /// Adds a user, which must not have a [`conflict`](Self::conflict).
    pub(crate) fn take(&mut self, used: &FilterUse) {
        for (unit, value) in used.iter() {
            self.change(unit, |unit| Unit {
                users: unit.users.saturating_add(1),
                value,
            });
        }
    }

    /// Removes a user that was added.
    pub(crate) fn release(&mut self, used: &FilterUse) {
        for (unit, _) in used.iter() {
            self.change(unit, |unit| match unit.users {
                0 | 1 => Unit::default(),
                users => Unit {
                    users: users.saturating_sub(1),
                    ..unit
                },
            });
        }
    }

    /// The value of one of the words that all users want together.
    pub(crate) fn word(&self, kind: &BoxType, word: Word) -> u64 {
        kind.filter_units
            .iter()
            .zip(&self.units)
            .filter(|(table, _)| table.word == word)
            .fold(0, |bits, (_, unit)| bits | unit.value)
    }

    /// Returns whether a unit of the box for which `f` is true has users.
    pub(crate) fn uses(&self, kind: &BoxType, f: impl Fn(u8, &FilterUnit) -> bool) -> bool {
        let mut units = Iterator::zip((0..).zip(kind.filter_units), &self.units);
        units.any(|((index, table), unit)| unit.users > 0 && f(index, table))
    }

    fn unit(&self, unit: u8) -> Unit {
        self.units
            .get(usize::from(unit))
            .copied()
            .unwrap_or_default()
    }

    fn change(&mut self, unit: u8, new: impl FnOnce(Unit) -> Unit) {
        if let Some(slot) = self.units.get_mut(usize::from(unit)) {
            *slot = new(*slot);
        }
    }
}
