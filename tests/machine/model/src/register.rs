// SPDX-License-Identifier: GPL-2.0

//! One 32-bit register as the manual's tables describe it, with a class for each
//! bit.
//!
//! Every bit is in exactly one class of [`Word`]; bits in none are "ignored"
//! (Documentation/hardware/ivbep.rst section 0): they read 0 and may be written
//! with anything.

use crate::violation::{Finding, Rule};

/// The bits of a register by access type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    /// The manual's name of the register, without the box.
    pub(crate) name: &'static str,
    /// RW, RW-V, RWS: stored.
    pub(crate) rw: u32,
    /// WO: a write acts, a read gives 0.
    pub(crate) wo: u32,
    /// RW1C: writing 1 clears.
    pub(crate) w1c: u32,
    /// RO-V and registers that only firmware sets.
    pub(crate) ro: u32,
    /// "0!": must be written 0.
    pub(crate) zero: u32,
    /// Reserved without a rule of its own.
    pub(crate) reserved: u32,
    /// "1!": must be written 1. These bits are stored, so they are in `rw` too.
    pub(crate) one: u32,
    /// Value after reset.
    pub(crate) reset: u32,
}

/// A write to a 32-bit register, or to some of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Write {
    /// The value, at its place in the register.
    pub(crate) value: u32,
    /// Ones in the bytes that are written.
    pub(crate) lanes: u32,
}

impl Write {
    /// A write of the whole register.
    pub(crate) fn whole(value: u32) -> Self {
        let lanes = u32::MAX;
        Self { value, lanes }
    }

    /// The bits of `mask` that are written as 1.
    pub(crate) fn ones(self, mask: u32) -> u32 {
        self.value & self.lanes & mask
    }

    /// The register after the write, if all its bits were plain storage.
    pub(crate) fn over(self, old: u32) -> u32 {
        old & !self.lanes | self.value & self.lanes
    }
}

/// A class of bits that a reading moves bits to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Stored,
    /// Writing 1 clears.
    Clears,
    /// A write acts, a read gives 0.
    Acts,
    /// Reserved by one source and a field by another. It reads 0. A write of 1 breaks no rule, as
    /// it is the one way to find out.
    Reserved,
}

impl Word {
    /// The same register with these bits in another class.
    pub(crate) fn with(self, class: Class, bits: u32) -> Self {
        let add = |to| if class == to { bits } else { 0 };
        Self {
            rw: self.rw & !bits | add(Class::Stored),
            w1c: self.w1c & !bits | add(Class::Clears),
            reserved: self.reserved & !bits,
            wo: self.wo & !bits | add(Class::Acts),
            ro: self.ro & !bits,
            zero: self.zero & !bits,
            ..self
        }
    }

    /// The bits without any function: reserved and ignored ones.
    pub(crate) fn idle(&self) -> u32 {
        !(self.rw | self.wo | self.w1c | self.ro)
    }

    /// A register of ignored bits; the base of every description.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self {
            name,
            rw: 0,
            wo: 0,
            w1c: 0,
            ro: 0,
            zero: 0,
            reserved: 0,
            one: 0,
            reset: 0,
        }
    }

    /// The stored value after a write.
    pub(crate) fn store(&self, old: u32, write: Write) -> u32 {
        let kept = old & self.w1c & !write.ones(self.w1c);
        write.over(old) & self.rw | kept | old & self.ro
    }

    /// The rules a write breaks.
    pub(crate) fn judge(&self, write: Write) -> Vec<Finding> {
        let missing = self.one & write.lanes & !write.value;
        let read_only = if self.rw | self.wo | self.w1c == 0 {
            self.ro & write.lanes
        } else {
            0
        };
        let rules = [
            (Rule::MustBeZero, write.ones(self.zero)),
            (Rule::MustBeOne, missing),
            (Rule::Reserved, write.ones(self.reserved)),
            (Rule::ReadOnly, read_only),
        ];
        let broken = rules.into_iter().filter(|(_, bits)| *bits != 0);
        broken
            .map(|(rule, bits)| Finding::new(rule, bits))
            .collect()
    }
}
