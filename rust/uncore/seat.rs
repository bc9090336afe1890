// SPDX-License-Identifier: GPL-2.0

//! The place of a box in a package, whether the box is there or not.
//!
//! Seats exist from load to unload, one per box that the tables allow in each package, so that
//! events and timers can refer to them while boxes come and go. The box's lock is here: a raw
//! spinlock, taken by perf's callbacks, the poll timer and whoever makes a box come or go. No other
//! lock is taken inside it, and nothing is logged.

use super::{
    absence::Absence,
    box_type::BoxType,
    bus::{
        Access,
        Registers, //
    },
    counter_box::CounterBox,
    name::BoxName,
    probe, //
};
use crate::linux::{
    context::IrqsOff,
    lock::{
        new_raw_spinlock,
        RawSpinLock, //
    },
};
use kernel::prelude::*;

/// A place for a box.
#[pin_data]
pub(super) struct Seat {
    /// Which box it is for.
    pub(super) name: BoxName,
    #[pin]
    state: RawSpinLock<State>,
}

/// What is on the seat.
struct State {
    /// Where the box's registers are, while it is there.
    registers: Option<Registers>,
    /// Why it is not, otherwise.
    absence: Absence,
    /// Its events. When it goes they stay, stopped, until perf takes them.
    counters: CounterBox,
    /// Whether it was said of the box that it has stopped answering.
    told: bool,
}

/// What came of using a box.
pub(super) struct Used<R> {
    /// The result.
    pub(super) result: R,
    /// Whether the box has stopped answering and nobody has said so yet.
    pub(super) broken: bool,
}

impl Seat {
    /// An empty seat.
    pub(super) fn new(name: BoxName, absence: Absence) -> impl PinInit<Self> {
        let state = State {
            registers: None,
            absence,
            counters: CounterBox::absent(name.kind),
            told: false,
        };
        pin_init!(Self {
            name,
            state <- new_raw_spinlock!(state, c"uncore_box"),
        })
    }

    /// Why there is no box that can be counted on; `None` if there is one.
    pub(super) fn absence(&self) -> Option<Absence> {
        self.state.with(|_, state| match &state.registers {
            Some(_) if state.counters.has_failed() => Some(Absence::Failed),
            Some(_) => None,
            None => Some(state.absence),
        })
    }

    /// Whether the box has stopped answering since this was last asked.
    pub(super) fn has_broken(&self) -> bool {
        self.state.with(|_, state| {
            let broken = state.is_broken();
            state.told |= broken;
            broken
        })
    }

    /// Where the registers are, if the box is there.
    pub(super) fn registers(&self) -> Option<Registers> {
        self.state.with(|_, state| state.registers.clone())
    }

    /// Notes why the box is not there, if it is not.
    pub(super) fn explain(&self, absence: Absence) {
        self.state.with(|_, state| state.absence = absence);
    }

    /// Does something with the events and registers. For a CPU of the package.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut CounterBox, &Access<'_>) -> R) -> Used<R> {
        self.state.with(|here, state| state.used(here, f))
    }

    /// The same from within perf's reads, which can interrupt a holder of the lock on its CPU.
    pub(super) fn with_unless_held<R>(
        &self,
        here: &IrqsOff,
        f: impl FnOnce(&mut CounterBox, &Access<'_>) -> R,
    ) -> Option<Used<R>> {
        self.state
            .with_unless_held(here, |state| state.used(here, f))
    }

    /// Puts a box on the seat that answers at these registers, after a reset. For a CPU of the
    /// package.
    ///
    /// # Errors
    ///
    /// Why the box is not there after all.
    pub(super) fn occupy(&self, registers: Registers) -> Result<(), Absence> {
        let kind = self.name.kind;
        // Borrowed by the closure, so that a reference to a function is not dropped in it.
        let mut registers = Some(registers);
        self.state.with(|here, state| {
            let answers = match &registers {
                Some(registers) => answer(&registers.on(here), kind),
                None => Err(Absence::Unseen),
            };
            match answers {
                Ok(()) => {
                    state.counters = CounterBox::new(kind);
                    state.registers = registers.take();
                    state.told = false;
                }
                Err(absence) => state.absence = absence,
            }
            answers
        })
    }

    /// Takes the box off the seat: events stop with what they have counted, and the registers are
    /// brought to their reset state if they answer. For a CPU of the package.
    pub(super) fn vacate(&self, absence: Absence) {
        let registers = self.state.with(|here, state| {
            let registers = state.registers.take()?;
            let bus = registers.on(here);
            state.counters.retire(&bus);
            // A box that does not answer has nothing to be put back.
            let _ = probe::reset(&bus, self.name.kind);
            state.absence = absence;
            Some(registers)
        });
        // The reference to a PCI function is not to be dropped under the lock.
        drop(registers);
    }
}

/// Whether a box answers; if so it is reset.
fn answer(bus: &Access<'_>, kind: &'static BoxType) -> Result<(), Absence> {
    probe::probe(bus, kind)?;
    probe::reset(bus, kind).map_err(|_| Absence::Unreachable)
}

impl State {
    /// Whether the box has stopped answering and nobody has said so yet.
    fn is_broken(&self) -> bool {
        self.registers.is_some() && self.counters.has_failed() && !self.told
    }

    /// Does something under the lock.
    fn used<R>(
        &mut self,
        here: &IrqsOff,
        f: impl FnOnce(&mut CounterBox, &Access<'_>) -> R,
    ) -> Used<R> {
        let bus = match &self.registers {
            Some(registers) => registers.on(here),
            None => Access::Absent,
        };
        let result = f(&mut self.counters, &bus);
        Used {
            result,
            broken: self.is_broken(),
        }
    }
}
