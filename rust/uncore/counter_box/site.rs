// SPDX-License-Identifier: GPL-2.0

//! A box as its counters need to know it: where their registers are, and how wide they are.

use super::{
    super::{
        assign::bit,
        box_type::BoxType,
        bus::Bus,
        count::mask,
        group::Place,
        overflow::Period, //
    },
    slot::Slot, //
};
use kernel::prelude::*;

/// The most fixed counters a box can have; tables are checked for it.
pub(super) const MAX_FIXED: usize = 4;

/// How many bits the fixed counters have, where they were found to have more than is certain.
pub(in super::super) type Widths = [Option<u8>; MAX_FIXED];

/// A box, for one operation.
pub(super) struct Site<'a, B> {
    /// Its registers.
    pub(super) bus: &'a B,
    /// Its type.
    pub(super) kind: &'static BoxType,
    /// Whether counters are to interrupt.
    pub(super) interrupts: bool,
    pub(super) widths: Widths,
}

/// The registers of a counter.
pub(super) struct Registers {
    pub(super) control: Option<u16>,
    /// What the control register holds while it counts.
    word: u32,
    /// What it holds besides if the counter is to interrupt, and can.
    pub(super) overflow_enable: Option<u32>,
    pub(super) counter: u16,
    pub(super) width: u8,
}

impl<B> Site<'_, B> {
    /// The registers of an event's counter.
    pub(super) fn registers(&self, slot: &Slot) -> Result<Registers> {
        let kind = self.kind;
        match slot.place {
            Place::General(index) => {
                let at = kind.counters.get(usize::from(index)).ok_or(ENODEV)?;
                Ok(Registers {
                    control: Some(at.control),
                    word: slot.request.enabled(kind),
                    overflow_enable: kind.control.overflow_enable,
                    counter: at.counter,
                    width: kind.width,
                })
            }
            Place::Fixed(index) => {
                let at = kind.fixed.get(usize::from(index)).ok_or(ENODEV)?;
                let control = at.control.as_ref();
                let found = self.widths.get(usize::from(index)).copied().flatten();
                Ok(Registers {
                    control: control.map(|control| control.offset),
                    word: control.map_or(0, |control| control.enable),
                    overflow_enable: at.overflow_enable(),
                    counter: at.counter,
                    width: found.unwrap_or(at.width),
                })
            }
        }
    }

    /// Whether the counter of an event has a control register.
    pub(super) fn is_controlled(&self, slot: &Slot) -> bool {
        self.registers(slot).is_ok_and(|at| at.control.is_some())
    }

    /// Whether the counter of an event interrupts when it overflows.
    pub(super) fn is_told(&self, slot: &Slot) -> bool {
        let can = |at: Registers| at.overflow_enable.is_some();
        self.interrupts && self.registers(slot).is_ok_and(can)
    }
}

impl Registers {
    /// What the control register holds while it counts.
    pub(super) fn counting(&self, interrupts: bool) -> u32 {
        match self.overflow_enable {
            Some(bit) if interrupts => self.word | bit,
            _ => self.word,
        }
    }

    /// Sets the counter so that it overflows when the interval ends, and gives what it then holds.
    pub(super) fn set<B: Bus>(&self, bus: &B, period: &Period) -> Result<u64> {
        bus.write_counter(self.counter, period.start(self.width))?;
        bus.read_counter(self.counter)
    }
}

/// The fixed counters that always run and cannot be read, as a bit mask. Such a one may be anywhere,
/// and is not there on every machine; the others are among the registers of the box.
pub(super) fn unreadable<B: Bus>(bus: &B, kind: &BoxType) -> u8 {
    let free = (0..).zip(kind.fixed).filter(|(_, at)| at.control.is_none());
    let silent = free.filter(|(_, at)| bus.read_counter(at.counter).is_err());
    silent.fold(0, |silent, (index, _)| silent | bit(index))
}

/// Finds out how many bits the fixed counters have, where that is not certain. They stand still,
/// and are left at 0.
pub(in super::super) fn measure<B: Bus>(bus: &B, kind: &BoxType) -> Widths {
    let mut widths = Widths::default();
    for (fixed, width) in kind.fixed.iter().zip(&mut widths) {
        if fixed.max_width == fixed.width {
            continue;
        }
        let more = mask(fixed.max_width) & !mask(fixed.width);
        let written = bus.write_counter(fixed.counter, mask(fixed.max_width));
        let read = written.and_then(|()| bus.read_counter(fixed.counter));
        // One that refuses bits, or does not keep them, does not have them.
        if read.is_ok_and(|read| read & more == more) {
            *width = Some(fixed.max_width);
        }
        let _ = bus.write_counter(fixed.counter, 0);
    }
    widths
}
