// SPDX-License-Identifier: GPL-2.0

//! Sub-registers: registers of a box whose fields choose what an event counts, in place of an
//! umask.

use super::Setting;
use crate::catalogue::BoxKind;
use crate::formats::{compress, deposit, place};
use crate::platform::Processor;
use std::ops::Range;

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
    /// Signals that its value stands for.
    pub(crate) chosen: &'static [&'static [Chosen]],
}

/// Signals of an event that a value of a sub-register stands for.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) event: EventSelect,
    /// Bits, and the value of them with which it does.
    pub(crate) when: (u32, u32),
    /// The event select of the signals, to which the value of a part is added.
    pub(crate) select: (u16, Part),
    pub(crate) number: Number,
}

/// A part of a register: its first bit and its width.
pub(crate) type Part = (u32, u32);

/// No part of a register.
pub(crate) const NONE: Part = (0, 0);

/// Numbers of signals.
#[derive(Debug)]
pub(crate) enum Number {
    Is(u8),
    /// The value of a part.
    Of(Part),
    /// 0 to 7.
    All,
}

fn part(value: u32, (first, width): Part) -> u32 {
    value >> first & ((1 << width) - 1)
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

    /// Returns its value in config1.
    fn value(&self, config1: u64) -> u32 {
        u32::try_from(compress(config1, self.place())).expect("32 bits")
    }

    /// Returns true if two events that look at it can count at the same time.
    pub(crate) fn agree(&self, one: &Setting, other: &Setting) -> bool {
        let [first, second] = [one, other].map(|it| self.used((it.ext, it.event)));
        (one.filter.config1 ^ other.filter.config1) & first & second == 0
    }
}

impl Chosen {
    fn signals(&self, value: u32) -> Vec<(u16, u8)> {
        let (mask, wanted) = self.when;
        if value & mask != wanted {
            return Vec::new();
        }
        let (first, added) = self.select;
        let select = first + u16::try_from(part(value, added)).expect("16 bits");
        let numbers: Range<u8> = match self.number {
            Number::Is(number) => number..number + 1,
            Number::Of(of) => {
                let number = u8::try_from(part(value, of)).expect("8 bits");
                number..number + 1
            }
            Number::All => 0..8,
        };
        numbers.map(|number| (select, number)).collect()
    }
}

/// Returns the signals that sub-registers choose, as event select and number; `None` for an
/// event that looks at none.
pub(super) fn signals(kind: BoxKind, setting: &Setting) -> Option<Vec<(u16, u8)>> {
    let event = (setting.ext, setting.event);
    let mut registers = SubRegister::of(kind, setting).peekable();
    registers.peek()?;
    let of_register = |register: &'static SubRegister| {
        let value = register.value(setting.filter.config1);
        let chosen = register.chosen.iter().copied().flatten();
        let chosen = chosen.filter(move |chosen| chosen.event == event);
        chosen.flat_map(move |chosen| chosen.signals(value))
    };
    Some(registers.flat_map(of_register).collect())
}
