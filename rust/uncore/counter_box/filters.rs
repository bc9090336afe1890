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
        event::Request,
        filter::Filters, //
    },
    CounterBox,
    Slot, //
};
use kernel::prelude::*;

/// The most filter registers a box can have; tables are checked for it.
const MAX_FILTERS: usize = 4;

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
    /// What they hold.
    written: [u32; MAX_FILTERS],
}

impl Bank {
    /// Registers that hold 0.
    pub(super) fn new(reach: Reach) -> Self {
        Self {
            reach,
            written: [0; MAX_FILTERS],
        }
    }

    /// Has the registers hold what the events want.
    ///
    /// # Errors
    ///
    /// Those of the accesses; [`EIO`] if a function of their own did not take what was written.
    pub(super) fn program<B: Bus>(&mut self, bus: &B, kind: &BoxType, wanted: &Filters) -> Result {
        for (register, written) in kind.filters.iter().zip(&mut self.written) {
            let value = register.value(|word| wanted.word(kind, word));
            if *written != value {
                bus.write_filter(register.offset, value)?;
                if self.reach == Reach::Apart {
                    check(bus, register, value)?;
                }
                *written = value;
            }
        }
        Ok(())
    }
}

/// Whether a register took what was written.
fn check<B: Bus>(bus: &B, register: &FilterRegister, value: u32) -> Result {
    match bus.read_filter(register.offset)? & register.writable {
        read if read == value => Ok(()),
        _ => Err(EIO),
    }
}

impl CounterBox {
    /// The function with the filter registers is there, and they hold 0.
    pub(in super::super) fn gain_filters(&mut self) {
        self.filters = Bank::new(Reach::Apart);
    }

    /// The function with the filter registers is going, or gone: the events that need them stop,
    /// with what they counted.
    pub(in super::super) fn lose_filters<B: Bus>(&mut self, bus: &B) {
        self.filters.reach = Reach::Missing;
        let _ = self.change(bus, |this| this.halt_filtered(bus));
    }

    /// Whether there are filter registers that cannot be reached.
    pub(in super::super) fn lacks_filters(&self) -> bool {
        self.filters.reach == Reach::Missing
    }

    /// Whether the filters that an event wants can be had.
    pub(super) fn can_filter(&self, request: &Request) -> bool {
        !self.lacks_filters() || request.filters.is_empty()
    }

    /// Has the filter registers hold what the events want. If a function of their own does not
    /// take that, they are lost.
    pub(super) fn program_filters<B: Bus>(&mut self, bus: &B) -> Result {
        if self.lacks_filters() {
            return Ok(());
        }
        let result = self.filters.program(bus, self.kind, &self.plan.filters);
        if self.filters.reach == Reach::Own || result.is_ok() {
            return result;
        }
        self.filters.reach = Reach::Missing;
        self.halt_filtered(bus)
    }

    /// Stops the events that use filters, and those that show what such an event selects.
    fn halt_filtered<B: Bus>(&mut self, bus: &B) -> Result {
        let is_filtered = |slot: &Slot| !slot.request.filters.is_empty();
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
