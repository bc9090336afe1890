// SPDX-License-Identifier: GPL-2.0

//! Filters of a box: few registers, shared by all its counters.
//!
//! The table names *units*, sets of fields that are compared as one. An event uses some units,
//! each with a value. Two uses of a unit are compatible if they want the same value; units are
//! independent of each other even in one register. A unit is counted by its users, and its bits
//! are 0 when it has none.
//!
//! Knows nothing of hardware: what the registers should hold is asked with [`Filters::word`]. No
//! allocation.

use super::{
    assign::{
        bit,
        bits, //
    },
    box_type::{
        BoxType,
        Word, //
    },
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// The most units a box can have; they are bits of a byte.
const MAX_UNITS: usize = 8;

/// The filter units an event uses, and the value it wants of each, bits in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct FilterUse {
    units: u8,
    values: [u64; MAX_UNITS],
}

impl FilterUse {
    /// Has the event use a unit with this value.
    pub(super) fn set(&mut self, unit: u8, value: u64) {
        if let Some(slot) = self.values.get_mut(usize::from(unit)) {
            *slot = value;
            self.units |= bit(unit);
        }
    }

    /// The units and what is wanted of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u8, u64)> + '_ {
        bits(self.units).map(|unit| (unit, self.value(unit)))
    }

    /// Whether it uses none.
    pub(super) fn is_empty(&self) -> bool {
        self.units == 0
    }

    fn value(&self, unit: u8) -> u64 {
        self.values.get(usize::from(unit)).copied().unwrap_or(0)
    }
}

/// Two events want different values of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    /// Index of the unit.
    pub(super) unit: u8,
    /// The value it has, bits in place.
    pub(super) has: u64,
    /// The value that is wanted besides.
    pub(super) wanted: u64,
}

/// One unit of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Unit {
    /// How many events use it.
    users: u8,
    /// The value they all want; 0 without users.
    value: u64,
}

/// The filter units of a box with their users.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Filters {
    units: [Unit; MAX_UNITS],
}

impl Filters {
    /// The first unit whose value is in the way of `wanted`.
    pub(super) fn conflict(&self, wanted: &FilterUse) -> Option<Conflict> {
        wanted.iter().find_map(|(unit, wanted)| {
            let Unit { users, value: has } = self.unit(unit);
            (users > 0 && has != wanted).then_some(Conflict { unit, has, wanted })
        })
    }

    /// Adds a user, which must not be in [`conflict`](Self::conflict).
    pub(super) fn take(&mut self, used: &FilterUse) {
        for (unit, value) in used.iter() {
            self.change(unit, |unit| Unit {
                users: unit.users.saturating_add(1),
                value,
            });
        }
    }

    /// Removes a user that was added.
    pub(super) fn release(&mut self, used: &FilterUse) {
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

    /// What the users want of one of the words, all units together.
    pub(super) fn word(&self, kind: &BoxType, word: Word) -> u64 {
        kind.filter_units
            .iter()
            .zip(&self.units)
            .filter(|(table, _)| table.word == word)
            .fold(0, |bits, (_, unit)| bits | unit.value)
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
