// SPDX-License-Identifier: GPL-2.0

//! The place of a box in a package, whether the box is there or not.
//!
//! Seats exist from load to unload, one per box that the tables allow in each package, so that
//! events and timers can refer to them while boxes come and go, and so that the function with the
//! filters of a box, if it has one, can come and go by itself.
//!
//! The box's lock is here: a raw spinlock, taken by perf's callbacks, the poll timer and whoever
//! makes a box come or go. No other lock is taken inside it, and nothing is logged.

use super::{
    absence::Absence,
    box_type::{
        self,
        BoxType,
        FilterFunction, //
    },
    bus::{
        Access,
        FilterRegisters,
        Registers, //
    },
    counter_box::{
        CounterBox,
        Reach,
        Tampered, //
    },
    name::BoxName,
    probe, //
};
use crate::linux::{
    context::IrqsOff,
    init::renew,
    lock::{
        new_raw_spinlock,
        RawSpinLock, //
    },
    pci, //
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
    /// Where its filter registers are, whether it is there or not.
    filters: FilterRegisters,
    /// Its events. When it goes they stay, stopped, until perf takes them.
    counters: CounterBox,
    /// What was last said to have stopped answering.
    told: Option<Part>,
}

/// A part of a box that comes and goes by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The box, without what is in another function.
    Box,
    /// The function with its filter registers.
    Filters,
}

/// What came of using a box.
pub(super) struct Used<R> {
    /// The result.
    pub(super) result: R,
    /// Whether a part of the box has stopped answering, or an event has ended because a register
    /// was changed, and nobody has said so yet.
    pub(super) alarming: bool,
}

impl Seat {
    /// An empty seat.
    pub(super) fn new(name: BoxName, absence: Absence) -> impl PinInit<Self> {
        let state = init!(State {
            registers: None,
            absence,
            filters: match filter_function(&name) {
                Some(_) => FilterRegisters::Missing(Absence::Unseen),
                None => FilterRegisters::Own,
            },
            counters <- CounterBox::absent(name.kind),
            told: None,
        });
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

    /// Why the filter registers of the box cannot be used; `None` if they can, or if it has none.
    pub(super) fn filter_absence(&self) -> Option<Absence> {
        self.state.with(|_, state| match state.filters {
            FilterRegisters::Missing(absence) => Some(absence),
            FilterRegisters::Pci(_) if state.has_lost_filters() => Some(Absence::Failed),
            FilterRegisters::Pci(_) | FilterRegisters::Own => None,
        })
    }

    /// Whether a fixed counter of the box cannot be read.
    pub(super) fn lacks_fixed(&self, index: u8) -> bool {
        self.state
            .with(|_, state| state.counters.lacks_fixed(index))
    }

    /// The part of the box that has stopped answering since this was last asked.
    pub(super) fn take_broken(&self) -> Option<Part> {
        self.state.with(|_, state| {
            let broken = state.broken();
            state.told = broken.or(state.told);
            broken
        })
    }

    /// The next event that has ended because a register was changed and that nobody has heard of
    /// yet.
    pub(super) fn take_tampered(&self) -> Option<Tampered> {
        self.state.with(|_, state| state.counters.take_tampered())
    }

    /// Whether there is such an event that perf still has on the box.
    pub(super) fn holds_tampered(&self) -> bool {
        self.state.with(|_, state| state.counters.holds_tampered())
    }

    /// Where the registers are, if the box is there.
    pub(super) fn registers(&self) -> Option<Registers> {
        self.state.with(|_, state| state.registers.clone())
    }

    /// Where the filter registers are.
    pub(super) fn filters(&self) -> FilterRegisters {
        self.state.with(|_, state| state.filters.clone())
    }

    /// Notes why the box is not there, if it is not.
    pub(super) fn explain(&self, absence: Absence) {
        self.state.with(|_, state| state.absence = absence);
    }

    /// Does something with the events and registers. For a CPU of the package.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut CounterBox, &Access<'_>) -> R) -> Used<R> {
        self.state.with(|here, state| state.used(here, f))
    }

    /// What an event counted since it was last asked. `None` from within perf's reads that
    /// interrupt a holder of the lock on its CPU.
    #[inline(always)]
    pub(super) fn read(&self, here: &IrqsOff, owner: u64) -> Option<Used<u64>> {
        self.state.with_unless_held(here, |state| {
            let bus = Access::new(state.registers.as_ref(), &state.filters, here);
            let result = state.counters.read(&bus, owner);
            Used {
                result,
                // A read finds out nothing else.
                alarming: state.counters.has_failed() && state.broken().is_some(),
            }
        })
    }

    /// Puts a box on the seat that answers at these registers, after a reset. For a CPU of the
    /// package.
    ///
    /// # Errors
    ///
    /// Why the box is not there after all.
    pub(super) fn occupy(&self, registers: Registers) -> Result<(), Absence> {
        let kind = self.name.kind;
        // Borrowed by the closure, so that no reference to a function is dropped in it, not even
        // one that was there before.
        let mut registers = Some(registers);
        self.state.with(|here, state| {
            let bus = Access::new(registers.as_ref(), &state.filters, here);
            let answers = answer(&bus, kind, state.reach());
            match answers {
                Ok(reach) => {
                    let interrupts = state.counters.interrupts();
                    renew(&mut state.counters, CounterBox::new(kind, reach));
                    state.counters.measure(&bus);
                    state.counters.set_interrupts(&bus, interrupts);
                    core::mem::swap(&mut state.registers, &mut registers);
                    state.told = None;
                }
                Err(absence) => state.absence = absence,
            }
            answers.map(|_| ())
        })
    }

    /// Lets nothing be added that needs a part that is about to go, and tells whether something
    /// needs it. What counts counts on, until perf has taken it off.
    pub(super) fn close(&self, part: Part) -> bool {
        self.state.with(|_, state| match part {
            Part::Box => {
                state.counters.close();
                true
            }
            Part::Filters => {
                state.counters.close_filters();
                state.counters.has_filtered()
            }
        })
    }

    /// Takes the box off the seat: events stop with what they have counted, and the registers are
    /// brought to their reset state if they answer. For a CPU of the package.
    pub(super) fn vacate(&self, absence: Absence) {
        let registers = self.state.with(|here, state| {
            let registers = state.registers.take()?;
            let bus = Access::new(Some(&registers), &state.filters, here);
            state.counters.retire(&bus);
            // A box that does not answer has nothing to be put back.
            let _ = probe::reset(&bus, self.name.kind);
            let _ = probe::clear_filters(&bus, self.name.kind);
            state.absence = absence;
            Some(registers)
        });
        // The reference to a PCI function is not to be dropped under the lock.
        drop(registers);
    }

    /// Gives the box the function with its filter registers.
    ///
    /// # Errors
    ///
    /// Why the function cannot be used.
    pub(super) fn attach_filters(&self, function: pci::ConfigSpace) -> Result<(), Absence> {
        let mut filters = FilterRegisters::Pci(function);
        let answers = self.state.with(|here, _| {
            let bus = Access::new(None, &filters, here);
            probe::probe_filters(&bus, self.name.kind)
        });
        if let Err(absence) = answers {
            filters = FilterRegisters::Missing(absence);
        }
        let before = self.state.with(|_, state| {
            if answers.is_ok() {
                state.counters.gain_filters();
                state.told = None;
            }
            core::mem::replace(&mut state.filters, filters)
        });
        drop(before);
        answers
    }

    /// Takes the function with the filter registers away: events that need them stop with what
    /// they have counted, and the registers are set to 0 if they answer. For a CPU of the package.
    pub(super) fn detach_filters(&self, absence: Absence) {
        let filters = self.state.with(|here, state| {
            let bus = Access::new(state.registers.as_ref(), &state.filters, here);
            state.counters.lose_filters(&bus);
            let _ = probe::clear_filters(&bus, self.name.kind);
            core::mem::replace(&mut state.filters, FilterRegisters::Missing(absence))
        });
        // The reference to a PCI function is not to be dropped under the lock.
        drop(filters);
    }
}

/// Whether a box answers; if so it is reset, and this tells whether its filters can be used.
fn answer(bus: &Access<'_>, kind: &'static BoxType, filters: Reach) -> Result<Reach, Absence> {
    probe::probe(bus, kind)?;
    let cleared = match filters {
        Reach::Own | Reach::Apart => probe::clear_filters(bus, kind),
        Reach::Missing => Ok(()),
    };
    let reset = probe::reset(bus, kind);
    match (filters, reset, cleared) {
        (_, Ok(()), Ok(())) => Ok(filters),
        (Reach::Apart, Ok(()), Err(_)) => Ok(Reach::Missing),
        _ => Err(Absence::Unreachable),
    }
}

/// The table's row of the function with the filter registers of a box, if they are not its own.
fn filter_function(name: &BoxName) -> Option<FilterFunction> {
    match &name.kind.access {
        box_type::Access::Pci { functions } => {
            let mut functions = functions.iter();
            functions.find(|row| row.index == name.index)?.filters
        }
        box_type::Access::Msr { .. } => None,
    }
}

impl State {
    /// Where the filter registers are, as far as counting goes.
    fn reach(&self) -> Reach {
        match self.filters {
            FilterRegisters::Own => Reach::Own,
            FilterRegisters::Pci(_) => Reach::Apart,
            FilterRegisters::Missing(_) => Reach::Missing,
        }
    }

    /// Whether the function with the filter registers does not take what is written.
    fn has_lost_filters(&self) -> bool {
        let there = self.registers.is_some() && self.reach() == Reach::Apart;
        there && self.counters.lacks_filters()
    }

    /// What has stopped answering, if nobody has said so yet.
    fn broken(&self) -> Option<Part> {
        let failed = self.registers.is_some() && self.counters.has_failed();
        let broken = match (failed, self.has_lost_filters()) {
            (true, _) => Some(Part::Box),
            (false, true) => Some(Part::Filters),
            (false, false) => None,
        };
        broken.filter(|_| broken != self.told)
    }

    /// Does something under the lock.
    fn used<R>(
        &mut self,
        here: &IrqsOff,
        f: impl FnOnce(&mut CounterBox, &Access<'_>) -> R,
    ) -> Used<R> {
        let bus = Access::new(self.registers.as_ref(), &self.filters, here);
        let result = f(&mut self.counters, &bus);
        Used {
            result,
            alarming: self.broken().is_some() || self.counters.has_tampered(),
        }
    }
}
