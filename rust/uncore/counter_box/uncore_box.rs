// SPDX-License-Identifier: GPL-2.0

//! One box of a package with its lock, whether the box is present or not.
//!
//! An [`UncoreBox`] exists from load to unload for each box that the tables allow in each package.
//! So events and timers can refer to it while the box appears and disappears. The PCI function with
//! the filter registers, if the box has one, can appear and disappear alone.
//!
//! ```text
//!                 attach                   an access fails
//!    +--------+ ----------> +---------+ --------------------> +--------+
//!    | Absent |             | Present |                       | Failed |
//!    +--------+ <---------- +---------+                       +--------+
//!        ^         detach                                         |
//!        +--------------------------------------------------------+
//!                                  detach
//! ```
//!
//! The lock is a raw spinlock. Perf's callbacks except for reads, timers, interrupts and the code that
//! attaches and detaches boxes take it. Inside, no other lock is taken and nothing is logged.
//!
//! Reads take no lock ([`reading`](super::reading)). They find the registers by the box's
//! [`Reach`].

use super::{
    bus::{
        BoxAccess,
        FilterLocation,
        Location,
        Registers,
        Unused, //
    },
    counters::{
        background::Measured,
        BoxCounters, //
    },
    open_event::OpenEvent,
    probe,
    reach::Reach,
    slots::Events, //
};
use crate::{
    linux::{
        atomic::{
            AtomicBool,
            AtomicU32,
            Ordering, //
        },
        clock,
        context::IrqsOff,
        init::reinit,
        lock::{
            new_raw_spinlock,
            RawSpinLock, //
        },
        pci,
        topology::Cpu, //
    },
    uncore::{
        absence::{
            MissingReason,
            Part, //
        },
        error_work::ErrorWork,
        options::Options,
        request::{
            name::BoxName,
            Request, //
        },
        table::box_type::{
            self,
            BoxType,
            Field,
            FilterFunction, //
        }, //
    }, //
};
use core::mem;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Number of no CPU.
const NO_CPU: u32 = u32::MAX;

/// A box of a package, present or not.
#[pin_data]
pub(crate) struct UncoreBox {
    pub(crate) name: BoxName,
    /// The counters, for readers without the lock.
    reach: Arc<Reach>,
    /// Handles errors of the box.
    errors: Arc<ErrorWork>,
    /// CPU on which something is to be done at the end of perf's batch of changes, as perf has deleted
    /// events, or the driver has frozen the box; [`NO_CPU`] if none.
    unfinished: AtomicU32,
    /// Tells whether an event that perf deletes and adds again may count on without a look at the box.
    steady: AtomicBool,
    /// Tells whether the box had events when the lock was released.
    busy: AtomicBool,
    /// Tells whether the box can count.
    present: AtomicBool,
    /// Tells whether the box has all bits of its registers.
    whole: AtomicBool,
    #[pin]
    state: RawSpinLock<State>,
}

/// Data behind the lock of a box.
struct State {
    presence: BoxState,
    /// Location of the filter registers, whether the box is present or not.
    filters: FilterLocation,
    /// Events of the box. When the box disappears they stay, stopped, until perf deletes them.
    counters: BoxCounters,
    /// The failed part that was reported last.
    reported: Option<Part>,
    /// Options of the user.
    options: Options,
}

/// Presence of a box.
enum BoxState {
    /// The box is absent.
    Absent(MissingReason),
    /// The box answers at these registers.
    Present(Registers),
    /// An access to these registers has failed. They are not accessed any more.
    Failed(Registers),
}

impl BoxState {
    /// Returns the location of the registers, unless the box is absent.
    #[inline]
    fn registers(&self) -> Option<&Registers> {
        match self {
            BoxState::Absent(_) => None,
            BoxState::Present(registers) | BoxState::Failed(registers) => Some(registers),
        }
    }

    /// Returns why the box cannot count, if it cannot.
    fn reason(&self) -> Option<MissingReason> {
        match self {
            BoxState::Absent(reason) => Some(*reason),
            BoxState::Present(_) => None,
            BoxState::Failed(_) => Some(MissingReason::Failed),
        }
    }

    /// Marks a present box as failed. No reference to a PCI function is dropped.
    fn fail(&mut self) {
        *self = match mem::replace(self, BoxState::Absent(MissingReason::Failed)) {
            BoxState::Present(registers) => BoxState::Failed(registers),
            unchanged => unchanged,
        };
    }
}

impl UncoreBox {
    /// Makes an absent box.
    ///
    /// # Errors
    ///
    /// [`ENOMEM`].
    pub(crate) fn new(
        name: BoxName,
        reason: MissingReason,
        options: Options,
        errors: &Arc<ErrorWork>,
    ) -> Result<impl PinInit<Self>> {
        let (reach, errors) = (Reach::absent(options.tamper)?, errors.clone());
        let state = init!(State {
            presence: BoxState::Absent(reason),
            filters: match filter_function(&name) {
                Some(_) => FilterLocation::Missing(MissingReason::Unseen),
                None => FilterLocation::Own,
            },
            counters <- BoxCounters::absent(name.kind),
            reported: None,
            options,
        });
        Ok(pin_init!(Self {
            name,
            reach,
            errors,
            unfinished: AtomicU32::new(NO_CPU),
            steady: AtomicBool::new(false),
            busy: AtomicBool::new(false),
            present: AtomicBool::new(false),
            whole: AtomicBool::new(false),
            state <- new_raw_spinlock!(state, c"uncore_box"),
        }))
    }

    /// Returns the type of the box: the reading of the tables that answers.
    pub(crate) fn kind(&self) -> &'static BoxType {
        self.state.with(|_, state| state.counters.kind())
    }

    /// Calls `f` with the counters, under the lock, and without the registers.
    pub(crate) fn look<R>(&self, f: impl FnOnce(&mut BoxCounters) -> R) -> R {
        self.state.with(|_, state| f(&mut state.counters))
    }

    /// Returns why the box cannot count; `None` if it can.
    pub(crate) fn absence(&self) -> Option<MissingReason> {
        if self.present.load(Ordering::Relaxed) {
            return None;
        }
        self.state.with(|_, state| state.presence.reason())
    }

    /// Returns why the filter registers cannot be used; `None` if they can, or the box has none.
    pub(crate) fn filter_absence(&self) -> Option<MissingReason> {
        self.state.with(|_, state| state.filters.reason())
    }

    /// Returns a field of an event that needs bits that the box lacks, and these bits of it.
    pub(crate) fn lacks_bits_of(&self, request: &Request) -> Option<(&'static Field, u64)> {
        if self.whole.load(Ordering::Relaxed) {
            return None;
        }
        self.state
            .with(|_, state| state.counters.setup.lacks_bits_of(request))
    }

    /// Calls `f` with the state, under the lock, and [notes](Self::note) what has changed.
    fn change<R>(&self, f: impl FnOnce(&IrqsOff, &mut State) -> R) -> R {
        self.state.with(|here, state| {
            let result = f(here, state);
            self.note(state);
            result
        })
    }

    /// Notes what the box can do, for code without the lock.
    #[cold]
    #[inline(never)]
    fn note(&self, state: &State) {
        let present = matches!(state.presence, BoxState::Present(_));
        self.present.store(present, Ordering::Relaxed);
        self.steady
            .store(state.counters.is_steady(), Ordering::Relaxed);
    }

    /// Notes what an operation has changed. Has an error handled in process context: a part of the
    /// box stopped answering, or an event depends on a modified register.
    #[inline(never)]
    fn finish(&self, state: &mut State) {
        self.finish_inlined(state);
    }

    /// Does the same inlined, for what perf does often.
    #[inline(always)]
    fn finish_inlined(&self, state: &mut State) {
        self.busy
            .store(state.counters.has_events(), Ordering::Relaxed);
        if state.needs_report() || state.counters.has_news() {
            self.have_news_handled(state);
        }
    }

    #[cold]
    #[inline(never)]
    fn have_news_handled(&self, state: &mut State) {
        self.note(state);
        self.reach.set_news();
        self.errors.schedule();
    }

    /// Returns the part of the box that has stopped answering since the last call.
    pub(crate) fn take_failed_part(&self) -> Option<Part> {
        self.change(|_, state| {
            if self.reach.take_failed() {
                state.counters.fail();
                state.note_failures();
            }
            let failed = state.unreported_failure();
            state.reported = failed.or(state.reported);
            failed
        })
    }

    /// Returns for how many thousandths of the last second groups have frozen the box, and whether they
    /// may do so now.
    pub(crate) fn frozen(&self) -> (u64, bool) {
        let now = clock::monotonic_ns();
        self.state.with(|_, state| {
            let frozen = &state.counters.frozen;
            (frozen.permille(now), frozen.has_left(now))
        })
    }

    /// Returns the location of the registers, unless the box is absent.
    pub(crate) fn location(&self) -> Option<Location> {
        self.state
            .with(|_, state| state.presence.registers().map(Registers::location))
    }

    /// Returns the location of the filter registers, with the address of their PCI function.
    pub(crate) fn filters(&self) -> FilterLocation<pci::Address> {
        self.state
            .with(|_, state| state.filters.map(pci::ConfigSpace::address))
    }

    /// Sets the reason why the box is absent, if it is.
    pub(crate) fn explain(&self, reason: MissingReason) {
        self.state.with(|_, state| state.explain(reason));
    }

    /// Calls `f` with the counters and registers, under the lock. For a CPU of the package.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut BoxCounters, &BoxAccess<'_>) -> R) -> R {
        self.state.with(|here, state| {
            let result = state.with(here, f);
            self.finish(state);
            result
        })
    }

    /// Does the same inlined, for what perf does often.
    #[inline(always)]
    fn with_inlined<R>(&self, f: impl FnOnce(&mut BoxCounters, &BoxAccess<'_>) -> R) -> R {
        self.state.with(|here, state| {
            let result = state.with(here, f);
            self.finish_inlined(state);
            result
        })
    }

    /// Calls `f` in a batch of changes by perf: [`BoxCounters::in_batch`].
    pub(crate) fn in_batch<R>(&self, f: impl FnOnce(&mut BoxCounters, &BoxAccess<'_>) -> R) -> R {
        self.with_inlined(|counters, bus| {
            let result = counters.in_batch(|counters| f(counters, bus));
            if counters.is_unfinished() {
                self.set_unfinished(bus.here());
            }
            result
        })
    }

    /// Returns whether the box may have events. It is certain on the CPU that adds them.
    pub(crate) fn may_have_events(&self) -> bool {
        self.busy.load(Ordering::Relaxed)
    }

    /// Notes that perf has deleted an event of the box on this CPU, in a batch of changes.
    pub(crate) fn note_deleted(&self, event: &OpenEvent, here: &IrqsOff) {
        event.leave();
        self.set_unfinished(here);
    }

    /// Notes that the end of the batch has something to do on this CPU.
    fn set_unfinished(&self, here: &IrqsOff) {
        self.unfinished
            .store(here.cpu().number(), Ordering::Relaxed);
    }

    /// Returns whether an event that perf adds counts on, as perf has deleted it in this batch, and
    /// nothing is to be looked at.
    pub(crate) fn takes_back(&self, event: &OpenEvent) -> bool {
        self.steady.load(Ordering::Relaxed) && event.reading.runs()
    }

    /// Returns whether the end of a batch of changes has something to do on this CPU, which is one of
    /// the box's package then.
    #[inline(always)]
    pub(crate) fn is_unfinished(&self, cpu: Cpu) -> bool {
        self.unfinished.load(Ordering::Relaxed) == cpu.number()
    }

    /// Ends perf's batch of changes: [`BoxCounters::end`]. For a CPU of the package.
    pub(crate) fn end_batch(&self, settle: impl Fn(&OpenEvent)) -> u64 {
        self.unfinished.store(NO_CPU, Ordering::Relaxed);
        self.with_inlined(|counters, bus| counters.end(bus, settle))
    }

    /// Lets the events stay that perf deletes to move them: [`BoxCounters::begin_move`].
    pub(crate) fn begin_move(&self) {
        self.change(|_, state| state.counters.begin_move());
    }

    /// Ends a move: [`BoxCounters::end_move`]. For a CPU of the package.
    pub(crate) fn end_move(&self) -> Option<Events> {
        self.change(|here, state| {
            let result = state.with(here, |counters, bus| counters.end_move(bus));
            self.finish(state);
            result
        })
    }

    /// Returns the counters for readers without the lock.
    pub(crate) fn reach(&self) -> &Arc<Reach> {
        &self.reach
    }

    /// Attaches a box that answers at these registers, after a reset. In process context on a CPU of
    /// the package, of which the caller may know that it counts.
    ///
    /// # Errors
    ///
    /// The reason why the box is absent after all.
    pub(crate) fn attach(
        &self,
        registers: Registers,
        package_counts: bool,
    ) -> Result<(), MissingReason> {
        let tamper = self.state.with(|_, state| {
            state.filters.recover();
            state.options.tamper
        });
        let unused = self.unused(Some(&registers));
        let found = self
            .reset(&unused, package_counts)
            .inspect_err(|&reason| self.explain(reason))?;
        let has_filters = self.filter_absence().is_none();
        let lacking = self.look(|counters| counters.setup.lacking);
        let measured = Measured::of(&unused, found.kind, has_filters, tamper, &lacking);
        // The closure swaps the old and the new one, so that no reference to a PCI function is
        // dropped under the lock.
        let mut presence = BoxState::Present(registers);
        let before = self.change(|_, state| {
            let (interrupts, turn) = (state.counters.setup.interrupts, state.counters.turn());
            let filters = state.filters.map(|_| ());
            reinit(&mut state.counters, BoxCounters::new(found.kind, filters));
            state.counters.setup.presets = found.presets;
            state.counters.set_tamper(state.options.tamper);
            state.counters.set_criteria(state.options.filters);
            state.counters.set_frozen_limit(state.options.frozen_limit);
            state.counters.take_turn(turn);
            state.counters.set_measured(measured);
            state.counters.setup.interrupts = interrupts;
            self.whole
                .store(state.counters.has_all_bits(), Ordering::Relaxed);
            mem::swap(&mut state.presence, &mut presence);
            state.reported = None;
            state.note_failures();
            self.reach.take_failed();
            self.reach.replace(state.presence.registers())
        });
        drop(before);
        Ok(())
    }

    /// Resets a box that answers, and has its clock if the package counts. Returns what the probe has
    /// found.
    ///
    /// # Errors
    ///
    /// The reason why the box cannot be used.
    fn reset(
        &self,
        registers: &UnusedBox<'_>,
        package_counts: bool,
    ) -> Result<probe::Probed, MissingReason> {
        let found = probe::probe(registers, self.name.kind)?;
        let kind = found.kind;
        let lacking = self.look(|counters| counters.setup.lacking);
        let cleared = match self.filter_absence() {
            None => registers.access(|bus| probe::clear_filters(bus, kind, &lacking)),
            Some(_) => Ok(()),
        };
        let reset = registers.access(|bus| probe::reset(bus, kind));
        if package_counts && probe::lacks_clock(registers, kind) == Ok(true) {
            return Err(MissingReason::Clockless);
        }
        let is_separate = self.state.with(|_, state| state.filters.is_separate());
        match (is_separate, reset, cleared) {
            (_, Ok(()), Ok(())) => Ok(found),
            (true, Ok(()), Err(_)) => {
                self.state.with(|_, state| state.filters.fail());
                Ok(found)
            }
            _ => Err(MissingReason::Unreachable),
        }
    }

    /// Returns the registers while no event uses them: these ones, or those of the box as it is.
    fn unused<'a>(&'a self, registers: Option<&'a Registers>) -> UnusedBox<'a> {
        UnusedBox {
            uncore_box: self,
            registers,
        }
    }

    /// Refuses new events that need a part of the box, as the part is being removed. Returns
    /// whether an event may need it. Events count on until perf deletes them.
    pub(crate) fn close(&self, part: Part) -> bool {
        self.change(|_, state| match part {
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

    /// Detaches the box: its events are read and stop, and its registers are reset if they answer. In
    /// process context on a CPU of the package.
    pub(crate) fn detach(&self, reason: MissingReason) {
        let is_there = self.state.with(|here, state| {
            state.with(here, |counters, bus| {
                counters.close();
                counters.verify_all(bus);
            });
            // Between here and the end the counters are like those of a box that has failed.
            state.reported = Some(Part::Box);
            state.presence.registers().is_some()
        });
        if !is_there {
            return;
        }
        let retire_next = |here: &IrqsOff, state: &mut State| {
            state.with(here, |counters, bus| counters.retire_next(bus))
        };
        while self.state.with(retire_next) {}
        // A box that does not answer need not be reset.
        let (unused, kind) = (self.unused(None), self.kind());
        let _ = unused.access(|bus| probe::reset_counters(bus, kind));
        let before = self.change(|here, state| {
            let bus = BoxAccess::new(state.presence.registers(), &state.filters, here);
            let _ = probe::reset_box(&bus, kind);
            let _ = probe::clear_filters(&bus, kind, &state.counters.setup.lacking);
            state.filters.recover();
            let readable = self.reach.replace(None);
            let presence = mem::replace(&mut state.presence, BoxState::Absent(reason));
            (readable, presence)
        });
        // This waits for readers. The last reference to a PCI function must not be dropped under the
        // lock.
        drop(before);
    }

    /// Attaches the PCI function with the filter registers.
    ///
    /// # Errors
    ///
    /// The reason why the function cannot be used.
    pub(crate) fn attach_filters(&self, function: pci::ConfigSpace) -> Result<(), MissingReason> {
        let mut filters = FilterLocation::Function(function);
        let probed = self.state.with(|here, _| {
            let bus = BoxAccess::new(None, &filters, here);
            probe::probe_filters(&bus, self.name.kind)
        });
        if let Err(reason) = probed {
            filters = FilterLocation::Missing(reason);
        }
        let before = self.change(|_, state| {
            if probed.is_ok() {
                state.counters.gain_filters();
                state.reported = None;
            }
            mem::replace(&mut state.filters, filters)
        });
        // A reference to a PCI function must not be dropped under the lock.
        drop(before);
        probed
    }

    /// Detaches the PCI function with the filter registers: events that need them are read and
    /// stop, and the registers are set to 0 if they answer. For a CPU of the package.
    pub(crate) fn detach_filters(&self, reason: MissingReason) {
        let before = self.change(|here, state| {
            let bus = BoxAccess::new(state.presence.registers(), &state.filters, here);
            state.counters.lose_filters(&bus);
            let _ = probe::clear_filters(&bus, self.name.kind, &state.counters.setup.lacking);
            let before = mem::replace(&mut state.filters, FilterLocation::Missing(reason));
            state.note_failures();
            before
        });
        // A reference to a PCI function must not be dropped under the lock.
        drop(before);
    }
}

/// Returns the table's row of the PCI function that holds the filter registers of a box, if they
/// are not among the other registers.
fn filter_function(name: &BoxName) -> Option<FilterFunction> {
    match &name.kind.access {
        // The tables list the functions by index.
        box_type::Access::Pci(functions) => functions.get(usize::from(name.index))?.filters,
        box_type::Access::Msr { .. } | box_type::Access::Memory(_) => None,
    }
}

/// Registers of a box that no event uses, in process context on a CPU of the package, which the caller
/// does not leave.
struct UnusedBox<'a> {
    uncore_box: &'a UncoreBox,
    /// The registers; `None` for those of the box as it is.
    registers: Option<&'a Registers>,
}

impl Unused for UnusedBox<'_> {
    type Bus<'a> = BoxAccess<'a>;

    fn access<R>(&self, f: impl for<'a> FnOnce(&BoxAccess<'a>) -> R) -> R {
        self.uncore_box.state.with(|here, state| {
            let registers = self.registers.or_else(|| state.presence.registers());
            f(&BoxAccess::new(registers, &state.filters, here))
        })
    }
}

impl State {
    /// Sets the reason why the box is absent, if it is.
    fn explain(&mut self, reason: MissingReason) {
        if let BoxState::Absent(current) = &mut self.presence {
            *current = reason;
        }
    }

    /// Calls `f` with the counters and registers.
    fn with<R>(
        &mut self,
        here: &IrqsOff,
        f: impl FnOnce(&mut BoxCounters, &BoxAccess<'_>) -> R,
    ) -> R {
        let bus = BoxAccess::new(self.presence.registers(), &self.filters, here);
        f(&mut self.counters, &bus)
    }

    /// Notes which parts of a present box have failed in the last operation.
    fn note_failures(&mut self) {
        if let BoxState::Absent(_) = self.presence {
            return;
        }
        if self.counters.has_failed() {
            self.presence.fail();
        }
        if self.counters.lacks_filters() {
            self.filters.fail();
        }
    }

    /// Returns whether a failed part is to be reported. Every operation asks this, and nearly always
    /// no part has failed.
    #[inline]
    fn needs_report(&mut self) -> bool {
        self.may_have_failed() && self.has_new_failure()
    }

    /// Returns whether a part of the box cannot be used: it has failed, or it is absent.
    #[inline]
    fn may_have_failed(&self) -> bool {
        self.counters.has_failed() || self.counters.lacks_filters()
    }

    /// Notes failed parts, and returns whether one is to be reported.
    #[cold]
    fn has_new_failure(&mut self) -> bool {
        self.note_failures();
        self.unreported_failure().is_some()
    }

    /// Returns the failed part, unless it was reported last.
    fn unreported_failure(&self) -> Option<Part> {
        let failed = match (&self.presence, &self.filters) {
            (BoxState::Failed(_), _) => Part::Box,
            (BoxState::Present(_), FilterLocation::Failed(_)) => Part::Filters,
            _ => return None,
        };
        (self.reported != Some(failed)).then_some(failed)
    }
}
