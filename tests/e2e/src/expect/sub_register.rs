// SPDX-License-Identifier: GPL-2.0

//! Sub-registers: registers of a box whose fields choose what an event counts, in place of an
//! umask.

use super::Setting;
use crate::catalogue::BoxKind;
use crate::formats::{deposit, place};
use crate::platform::Processor;

/// An event select: the extended select and the code.
pub(crate) type EventSelect = (bool, u8);

/// A sub-register of a box.
#[derive(Debug)]
pub(crate) struct SubRegister {
    pub(crate) kind: BoxKind,
    /// Its name in the catalogue.
    pub(crate) column: &'static str,
    /// The field of config1 with its value.
    pub(crate) field: &'static str,
    /// Events that look at it.
    pub(crate) events: &'static [EventSelect],
    /// Its bits.
    pub(crate) bits: u32,
    /// Fields of each of these events, if each has one of its own.
    pub(crate) own: &'static [&'static str],
}

impl SubRegister {
    /// Returns the register of a name in the catalogue.
    pub(crate) fn of_column(column: &str) -> Option<&'static Self> {
        Self::all().find(|register| register.column == column)
    }

    /// Returns the registers that an event looks at.
    pub(crate) fn of(kind: BoxKind, setting: &Setting) -> impl Iterator<Item = &'static Self> {
        let event = (setting.ext, setting.event);
        Self::all().filter(move |register| register.kind == kind && register.looks(event))
    }

    fn all() -> impl Iterator<Item = &'static Self> {
        let all = Processor::current().description().sub_registers.iter();
        all.copied().flatten()
    }

    fn looks(&self, event: EventSelect) -> bool {
        self.events.contains(&event)
    }

    /// Returns the field that the user of an event has to give, if no sub-event does.
    pub(crate) fn asked(&self, event: EventSelect) -> &'static str {
        self.field_of(event).unwrap_or(self.field)
    }

    /// Returns the field that is this event's own.
    fn field_of(&self, event: EventSelect) -> Option<&'static str> {
        let mut own = self.events.iter().zip(self.own);
        own.find(|(of, _)| **of == event).map(|(_, field)| *field)
    }

    /// Returns the bits of config1 that an event looks at.
    pub(crate) fn used(&self, event: EventSelect) -> u64 {
        let bits = |field: &&str| place(self.kind, field).expect("a field").1;
        let of_others = self
            .own
            .iter()
            .filter(|it| Some(**it) != self.field_of(event));
        let of_others = of_others.fold(0, |all, field| all | bits(field));
        deposit(self.place(), self.bits.into()) & !of_others
    }

    /// Returns its place in config1.
    pub(crate) fn place(&self) -> u64 {
        let (_, bits) = place(self.kind, self.field).expect("a field");
        bits
    }

    /// Returns true if two events that look at it can count at the same time.
    pub(crate) fn agree(&self, one: &Setting, other: &Setting) -> bool {
        let [first, second] = [one, other].map(|it| self.used((it.ext, it.event)));
        (one.config1 ^ other.config1) & first & second == 0
    }
}
