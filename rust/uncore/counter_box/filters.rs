// SPDX-License-Identifier: GPL-2.0

//! The filter registers of a box: what they hold, and whether they can be reached.
//!
//! Those in a function of their own can go while the box stays. What is written there is read back:
//! a function that is gone swallows writes without a word, and an event must not count unfiltered.

use super::{
    super::{
        box_type::{
            BoxType,
            FilterRegister, //
        },
        bus::Bus,
        event::Request, //
    },
    look::{
        Change,
        Register, //
    },
    CounterBox,
    Slot, //
};
use kernel::prelude::*;

/// The most filter registers a box can have; tables are checked for it.
pub(super) const MAX_FILTERS: usize = 4;

/// What filter registers hold, or are to hold.
type Values = [u32; MAX_FILTERS];

/// Where filter registers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Reach {
    /// Among the other registers of the box, if it has any.
    Own,
    /// In a function of their own.
    Apart,
    /// In a function of their own, which is missing.
    Missing,
}

/// The filter registers of a box.
pub(super) struct Bank {
    /// Where they are.
    pub(super) reach: Reach,
    /// Whether they are about to go.
    closed: bool,
    /// What they hold.
    written: Values,
}

impl Bank {
    /// Registers that hold 0.
    pub(super) fn new(reach: Reach) -> Self {
        Self {
            reach,
            closed: false,
            written: [0; MAX_FILTERS],
        }
    }

    /// Has the registers hold what is wanted; some are written `anew`, whatever they hold.
    ///
    /// # Errors
    ///
    /// Those of the accesses; [`EIO`] if a function of their own did not take what was written.
    pub(super) fn program<B: Bus>(
        &mut self,
        bus: &B,
        kind: &BoxType,
        wanted: Values,
        anew: impl Fn(&FilterRegister) -> bool,
    ) -> Result {
        let registers = kind.filters.iter().zip(wanted);
        for ((register, value), written) in registers.zip(&mut self.written) {
            if *written != value || anew(register) {
                put(bus, self.reach, register, value)?;
                *written = value;
            }
        }
        Ok(())
    }

    /// Tells whether some bits of a register have changed; if so, it is written anew.
    ///
    /// # Errors
    ///
    /// As those of [`program`](Self::program).
    pub(super) fn look<B: Bus>(
        &self,
        bus: &B,
        kind: &BoxType,
        register: &FilterRegister,
        bits: u32,
    ) -> Result<Option<Change>> {
        let mut held = kind.filters.iter().zip(self.written);
        let held = held.find(|(at, _)| at.offset == register.offset);
        let written = held.map_or(0, |(_, written)| written);
        let found = bus.read_filter(register.offset)?;
        let change = Change::between(Register::Filter(register.offset), written, found, bits);
        if change.is_some() {
            put(bus, self.reach, register, written)?;
        }
        Ok(change)
    }
}

/// Writes a register.
fn put<B: Bus>(bus: &B, reach: Reach, register: &FilterRegister, value: u32) -> Result {
    bus.write_filter(register.offset, value)?;
    match reach {
        Reach::Apart => check(bus, register, value),
        Reach::Own | Reach::Missing => Ok(()),
    }
}

/// Whether an event uses a filter register.
pub(super) fn uses(kind: &BoxType, request: &Request, register: &FilterRegister) -> bool {
    let bits = u64::from(register.writable);
    let bits = bits.checked_shl(u32::from(register.shift)).unwrap_or(0);
    let mut used = request.filters.iter();
    used.any(|(unit, _)| {
        let unit = kind.filter_units.get(usize::from(unit));
        unit.is_some_and(|unit| unit.word == register.word && unit.mask & bits != 0)
    })
}

/// Whether a register took what was written.
fn check<B: Bus>(bus: &B, register: &FilterRegister, value: u32) -> Result {
    match bus.read_filter(register.offset)? & register.writable {
        read if read == value => Ok(()),
        _ => Err(EIO),
    }
}

fn is_filtered(slot: &Slot) -> bool {
    !slot.request.filters.is_empty()
}

impl CounterBox {
    /// The function with the filter registers is there, and they hold 0.
    pub(in super::super) fn gain_filters(&mut self) {
        self.filters = Bank::new(Reach::Apart);
        self.kept.gain_filters(self.kind);
    }

    /// Lets no event be added that needs the filter registers, as they are about to go. What counts
    /// counts on.
    pub(in super::super) fn close_filters(&mut self) {
        self.filters.closed = true;
    }

    /// Whether something is counted that needs them.
    pub(in super::super) fn has_filtered(&self) -> bool {
        self.slots.iter().any(is_filtered)
    }

    /// The function with the filter registers is going, or gone: the events that need them stop,
    /// with what they counted.
    pub(in super::super) fn lose_filters<B: Bus>(&mut self, bus: &B) {
        let _ = self.change(bus, |this| {
            this.look(bus, is_filtered)?;
            this.filters.reach = Reach::Missing;
            this.halt_filtered(bus)
        });
        self.filters.reach = Reach::Missing;
    }

    /// Whether there are filter registers that cannot be reached.
    pub(in super::super) fn lacks_filters(&self) -> bool {
        self.filters.reach == Reach::Missing
    }

    /// Whether the filters that an event wants can be had.
    pub(super) fn can_filter(&self, request: &Request) -> bool {
        !(self.lacks_filters() || self.filters.closed) || request.filters.is_empty()
    }

    /// Has the filter registers hold what the events want. Those that an event is the first to use
    /// are written in any case: while nobody needs them, nobody looks at them. If a function of
    /// their own does not take that, they are lost.
    pub(super) fn program_filters<B: Bus>(&mut self, bus: &B, owner: u64) -> Result {
        if self.lacks_filters() {
            return Ok(());
        }
        let wanted = self.wanted_filters();
        self.look_before_filters(bus, wanted)?;
        let (kind, slots) = (self.kind, &self.slots);
        let anew = |register: &FilterRegister| {
            let uses = |slot: &Slot| uses(kind, &slot.request, register);
            let mut in_use = slots.iter().filter(|slot| slot.programmed);
            let mut starting = slots.iter().filter(|slot| slot.owner == Some(owner));
            starting.any(uses) && !in_use.any(uses)
        };
        let result = self.filters.program(bus, kind, wanted, anew);
        if self.filters.reach == Reach::Own || result.is_ok() {
            return result;
        }
        self.filters.reach = Reach::Missing;
        self.halt_filtered(bus)
    }

    /// What the events want the filter registers to hold.
    fn wanted_filters(&self) -> Values {
        let mut wanted = [0; MAX_FILTERS];
        for (register, value) in self.kind.filters.iter().zip(&mut wanted) {
            *value = register.value(|word| self.plan.filters.word(self.kind, word));
        }
        wanted
    }

    /// Looks at the events whose filter registers are to be changed for another one.
    fn look_before_filters<B: Bus>(&mut self, bus: &B, wanted: Values) -> Result {
        let (kind, written) = (self.kind, self.filters.written);
        if written == wanted {
            return Ok(());
        }
        self.look(bus, |slot| {
            let changes = Iterator::zip(written.iter(), &wanted).map(|(old, new)| old != new);
            let mut changes = kind.filters.iter().zip(changes);
            changes.any(|(register, change)| change && uses(kind, &slot.request, register))
        })
    }

    /// Stops the events that use filters, and those that show what such an event selects.
    pub(super) fn halt_filtered<B: Bus>(&mut self, bus: &B) -> Result {
        let is_shown = |slot: &Slot| slot.is_source() && is_filtered(slot);
        let shown = self.slots.iter().any(is_shown);
        let site = self.site(bus);
        for slot in self.slots.iter_mut() {
            if is_filtered(slot) || shown && slot.shows_source() {
                slot.halt(&site)?;
            }
        }
        Ok(())
    }
}
