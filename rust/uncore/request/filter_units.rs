// SPDX-License-Identifier: GPL-2.0

//! Sharing of the filters of a box: few registers for all its counters.
//!
//! The table names *units*, sets of fields that are compared as one, some of them with several
//! copies. An event uses some units, each with a value. Two events can share a copy of a unit if
//! they want one value of it. Units are independent of each other, even in one register, and
//! so are copies. The users of a copy are counted; without users its bits are 0.
//!
//! If the hardware may compare one set of units at a time ([`BoxType::one_criterion`]), all users
//! use these units as well, unless the user of the module has chosen otherwise.
//!
//! No registers: [`Filters::register`] returns the value that they should hold. No memory allocation.

use crate::uncore::table::{
    box_type::{
        BoxType,
        FilterRegister,
        MAX_COPIES,
        MAX_USED, //
    },
    field::index_bit, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// A filter unit that an event uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct UsedUnit {
    /// Index of the unit.
    pub(crate) unit: u8,
    /// The copy of the unit, by its [number](BoxType::copy_number).
    pub(crate) copy: u8,
    /// The value that the event wants, bits in place.
    pub(crate) value: u64,
}

/// The filter units that an event uses, each with the value it wants, bits in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct FilterUse {
    count: u8,
    units: [u8; MAX_USED],
    copies: [u8; MAX_USED],
    values: [u64; MAX_USED],
}

impl FilterUse {
    /// Adds a unit. The caller adds each unit once.
    pub(crate) fn add(&mut self, used: &UsedUnit) {
        let at = usize::from(self.count);
        let (units, copies) = (self.units.get_mut(at), self.copies.get_mut(at));
        if let (Some(unit), Some(copy), Some(value)) = (units, copies, self.values.get_mut(at)) {
            (*unit, *copy, *value) = (used.unit, used.copy, used.value);
            self.count = self.count.saturating_add(1);
        }
    }

    /// The units with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = UsedUnit> + '_ {
        (0..usize::from(self.count)).filter_map(|at| {
            Some(UsedUnit {
                unit: *self.units.get(at)?,
                copy: *self.copies.get(at)?,
                value: *self.values.get(at)?,
            })
        })
    }

    /// The units, as a bit mask of their indexes.
    fn units(&self) -> u32 {
        self.iter()
            .fold(0, |units, used| units | index_bit(used.unit))
    }

    /// The units of another event and of this one, if both use some and they differ.
    pub(crate) fn other_criterion(&self, other: &Self) -> Option<OtherCriterion> {
        OtherCriterion::of(other.units(), self.units())
    }

    /// Returns `true` if the event uses no filter unit.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl UsedUnit {
    /// The conflict with the value that another event wants of the unit.
    pub(crate) fn conflict_with(&self, other: &FilterUse) -> Option<Conflict> {
        let is_other = |other: &Self| other.copy == self.copy && other.value != self.value;
        let other = other.iter().find(is_other)?;
        Some(self.conflict(other.value))
    }

    /// The conflict with another value that the unit has.
    fn conflict(&self, has: u64) -> Conflict {
        Conflict {
            unit: self.unit,
            copy: self.copy,
            has,
            wanted: self.value,
        }
    }
}

/// Two different values of a unit, for two events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    /// Index of the unit.
    pub(crate) unit: u8,
    /// The copy of the unit, by its [number](BoxType::copy_number).
    pub(crate) copy: u8,
    /// The value that the unit has, bits in place.
    pub(crate) has: u64,
    /// The value that another event wants, bits in place.
    pub(crate) wanted: u64,
}

/// Two different sets of units, for two events, as bit masks of their indexes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OtherCriterion {
    /// The units in use.
    pub(crate) has: u32,
    /// The units that another event wants to use.
    pub(crate) wanted: u32,
}

impl OtherCriterion {
    /// The sets, if both have a unit and they differ.
    fn of(has: u32, wanted: u32) -> Option<Self> {
        (has != 0 && wanted != 0 && has != wanted).then_some(Self { has, wanted })
    }
}

/// The filter units of a box with their users, copy by copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Filters {
    /// Number of events that use each copy.
    users: [u8; MAX_COPIES],
    /// The values that they all want; 0 without users.
    values: [u64; MAX_COPIES],
}

impl Default for Filters {
    fn default() -> Self {
        Self {
            users: [0; MAX_COPIES],
            values: [0; MAX_COPIES],
        }
    }
}

impl Filters {
    /// The first unit that has another value than `wanted`.
    pub(crate) fn conflict(&self, wanted: &FilterUse) -> Option<Conflict> {
        wanted.iter().find_map(|used| {
            let has = self.value(used.copy)?;
            (has != used.value).then(|| used.conflict(has))
        })
    }

    /// The units in use and those `wanted`, if both are some and they differ. Of a box type each
    /// unit of which has one copy.
    pub(crate) fn other_criterion(&self, wanted: &FilterUse) -> Option<OtherCriterion> {
        if wanted.is_empty() {
            return None;
        }
        let copies = (0..u8::MAX).zip(&self.users);
        let used = copies.filter(|(_, &users)| users > 0);
        let has = used.fold(0, |units, (unit, _)| units | index_bit(unit));
        OtherCriterion::of(has, wanted.units())
    }

    /// Adds a user, which must not have a [`conflict`](Self::conflict).
    pub(crate) fn take(&mut self, used: &FilterUse) {
        for used in used.iter() {
            self.change(used.copy, |users, _| (users.saturating_add(1), used.value));
        }
    }

    /// Removes a user that was added.
    pub(crate) fn release(&mut self, used: &FilterUse) {
        for used in used.iter() {
            self.change(used.copy, |users, value| match users {
                0 | 1 => (0, 0),
                _ => (users.saturating_sub(1), value),
            });
        }
    }

    /// The value that a register needs for all users.
    pub(crate) fn register(&self, kind: &BoxType, register: &FilterRegister) -> u64 {
        let mut needed = 0;
        for (index, unit) in (0..u8::MAX).zip(kind.filter_units) {
            for copied in register.copies_of(index, unit) {
                if let Some(value) = self.value(kind.copy_number(index, copied.copy)) {
                    let bits = register.bits_of(unit, copied, value);
                    needed |= register.constant.unwrap_or(bits);
                }
            }
        }
        needed
    }

    /// The value of a copy that has users.
    fn value(&self, copy: u8) -> Option<u64> {
        let copy = usize::from(copy);
        let is_used = self.users.get(copy).is_some_and(|&users| users > 0);
        self.values.get(copy).copied().filter(|_| is_used)
    }

    fn change(&mut self, copy: u8, new: impl FnOnce(u8, u64) -> (u8, u64)) {
        let copy = usize::from(copy);
        if let (Some(users), Some(value)) = (self.users.get_mut(copy), self.values.get_mut(copy)) {
            (*users, *value) = new(*users, *value);
        }
    }
}
