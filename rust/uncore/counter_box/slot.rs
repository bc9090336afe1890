// SPDX-License-Identifier: GPL-2.0

//! One event on one counter.
//!
//! [`Slot`] programs one counter and reads it ([`reading`](super::reading)). [`BoxIo`] gives it the
//! registers of the box. The caller freezes the box where the events of a group must change together.
//!
//! A counter without a control register always runs, and several events can have it at a time. To
//! start an event on it, the driver notes the value of the counter and writes nothing. Such a counter
//! may belong to a core: what other cores read under its number is another counter. Perf calls on the
//! core on which the event started; timers and interrupts may run on others, and leave the counter
//! out then.
//!
//! The driver writes a counter only for an event with an interval, so that the counter overflows
//! when the interval ends: before the event starts, and in [`Slot::reload`]. The exception is a
//! stopped counter of which a defect leaves open what it holds (`misread` of the box type): it is
//! written when an event starts.

use super::{
    box_io::{
        BoxIo,
        ControlWrite,
        CounterRegisters, //
    },
    bus::Bus,
    modified::{
        ModifiedRegister,
        Register,
        Verification, //
    },
    open_event::OpenEvent,
    progress::{
        IntervalProgress,
        Progress, //
    },
    reading::{
        Found,
        Missed, //
    }, //
};
use crate::uncore::{
    request::{
        group::{
            Assignment,
            CounterIndex, //
        },
        Request, //
    },
    table::box_type::Needs, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// An event that has a counter.
///
/// Documentation/development/architecture.rst draws the states.
///
/// A *selected* slot is that of a source event that perf has stopped or deleted while a dependent
/// event still counts what its control word selects. [`relocate`](Self::relocate) and
/// [`switch_interrupts`](Self::switch_interrupts) pass through *stopped* and come back.
/// [`discard_unverified`](Self::discard_unverified) ends in *stopped*, and the event never starts
/// again. When the box fails, a running slot is stopped or selected, and no register is written.
pub(crate) struct Slot {
    /// The event and its counter.
    pub(crate) binding: Binding,
    state: SlotState,
    /// Tells whether perf has deleted the event to add it on another CPU. It counts on.
    pub(super) kept: bool,
    /// The core whose counter it may be; `None` if it belongs to the package.
    core: Option<u32>,
    /// Counts of the event, as timers and interrupts have seen them.
    pub(crate) progress: Progress,
    /// The interval, if the event has `interval=`.
    pub(crate) interval: Option<IntervalProgress>,
    /// Verification of the event's registers.
    pub(crate) verification: Verification,
}

/// The states of a slot, as [`Slot`] draws them.
enum SlotState {
    Stopped,
    /// The control register with what it holds, if there is one.
    Running(Option<ControlWrite>),
    Selected(ControlWrite),
}

/// The event of a slot, and the counter that it has.
pub(crate) struct Binding {
    owner: Owner,
    /// The counter of the event.
    pub(crate) counter: CounterIndex,
}

impl Binding {
    /// Returns the request of the event: control word, filters and possible counters.
    #[inline]
    pub(crate) fn request(&self) -> &Request {
        match &self.owner {
            Owner::Event(event) => &event.request,
            Owner::Deleted(request) => request,
        }
    }

    /// Returns the event, unless perf has deleted it.
    #[inline]
    pub(crate) fn event(&self) -> Option<&OpenEvent> {
        match &self.owner {
            Owner::Event(event) => Some(event),
            Owner::Deleted(_) => None,
        }
    }

    /// Returns another reference to the event, unless perf has deleted it.
    pub(super) fn share(&self) -> Option<Arc<OpenEvent>> {
        match &self.owner {
            Owner::Event(event) => Some(event.clone()),
            Owner::Deleted(_) => None,
        }
    }

    /// Returns the registers of the counter.
    fn registers<B>(&self, io: &BoxIo<'_, B>) -> Result<CounterRegisters> {
        io.registers(self.request(), self.counter)
    }

    /// Returns whether perf has deleted the event.
    pub(crate) fn is_deleted(&self) -> bool {
        matches!(self.owner, Owner::Deleted(_))
    }
}

/// Owner of a slot.
enum Owner {
    /// An event that perf has added.
    Event(Arc<OpenEvent>),
    /// The request of an event that perf has deleted, while a dependent event still uses its
    /// selection.
    Deleted(Request),
}

impl Slot {
    /// Makes a stopped slot for an event that was assigned a counter.
    pub(crate) fn new(event: Arc<OpenEvent>, assignment: &Assignment) -> Self {
        Self {
            interval: IntervalProgress::new(event.request.interval),
            binding: Binding {
                counter: assignment.counter(),
                owner: Owner::Event(event),
            },
            state: SlotState::Stopped,
            kept: false,
            core: None,
            progress: Progress::default(),
            verification: Verification::default(),
        }
    }

    /// Keeps the stopped slot of an event that perf deletes, for what its control word selects.
    pub(super) fn abandon(&mut self) {
        self.binding.owner = Owner::Deleted(*self.binding.request());
    }

    /// Gives the slot of a deleted event to a new event with an equal request.
    pub(super) fn rebind(&mut self, event: Arc<OpenEvent>) {
        self.progress.total = 0;
        self.verification.modified = None;
        if let Some(interval) = &mut self.interval {
            interval.restart(event.request.interval);
        }
        self.binding.owner = Owner::Event(event);
    }

    /// Returns whether the slot is that of this event.
    #[inline]
    pub(crate) fn is_of(&self, event: &OpenEvent) -> bool {
        self.binding
            .event()
            .is_some_and(|owner| core::ptr::eq(owner, event))
    }

    /// Returns whether the event counts.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.state, SlotState::Running(_))
    }

    /// Returns the control register with what it holds; `None` if it holds 0.
    #[inline]
    pub(crate) fn programmed(&self) -> Option<ControlWrite> {
        match self.state {
            SlotState::Stopped => None,
            SlotState::Running(control) => control,
            SlotState::Selected(control) => Some(control),
        }
    }

    /// Returns whether the control register is not 0.
    #[inline]
    pub(crate) fn is_programmed(&self) -> bool {
        self.programmed().is_some()
    }

    /// Notes what the control register holds.
    #[inline]
    fn set_programmed(&mut self, control: Option<ControlWrite>) {
        self.state = match (&self.state, control) {
            (SlotState::Running(_), control) => SlotState::Running(control),
            (_, Some(control)) => SlotState::Selected(control),
            (_, None) => SlotState::Stopped,
        };
    }

    /// Notes that the event does not count any more. The control register keeps what it holds.
    #[inline]
    fn end_running(&mut self) {
        self.state = self
            .programmed()
            .map_or(SlotState::Stopped, SlotState::Selected);
    }

    /// Returns whether the event is a dependent one that counts what a source event selects.
    pub(crate) fn uses_source(&self) -> bool {
        self.is_running() && self.binding.request().needs == Needs::SourceOnCounter0
    }

    /// Returns whether the event is a source for dependent events.
    pub(crate) fn is_source(&self) -> bool {
        self.binding.request().needs == Needs::Source
    }

    /// Returns whether the event starts and stops together with others.
    pub(crate) fn is_grouped(&self) -> bool {
        self.binding.event().is_some_and(OpenEvent::is_grouped)
    }

    /// Returns whether perf has deleted the event in a batch that has not ended.
    pub(super) fn has_left(&self) -> bool {
        self.binding.event().is_some_and(OpenEvent::has_left)
    }

    /// Returns whether perf has deleted the event, which counts on, as perf may add it again.
    pub(super) fn may_go(&self) -> bool {
        self.kept || self.has_left()
    }

    /// Returns whether the event runs and its counter can be read from this core.
    #[inline(always)]
    pub(crate) fn is_readable<B: Bus>(&self, bus: &B) -> bool {
        self.is_running() && self.core.is_none_or(|core| core == bus.core())
    }

    /// Returns whether the event runs, and all CPUs of the package find its counter.
    pub(super) fn runs_everywhere(&self) -> bool {
        self.is_running() && self.core.is_none()
    }

    /// Returns whether the event neither counts nor was ended by a modified register.
    pub(crate) fn can_start(&self) -> bool {
        !self.is_running() && self.verification.modified.is_none()
    }

    /// Starts to count. A queue that the event needs empty is cleared.
    pub(crate) fn start<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        self.program(io, self.binding.request().starting())
    }

    /// Stops the counter and reads it. A preset counter is cleared, so that the next event does not
    /// begin near an overflow.
    pub(crate) fn stop<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        if let Some(control) = self.programmed() {
            io.write_control(control.register, 0)?;
        }
        self.read_last(io)?;
        self.state = SlotState::Stopped;
        if let Some(interval) = &mut self.interval {
            if interval.preset {
                let at = self.binding.registers(io)?;
                io.bus.write_counter(at.counter, at.bits(), 0)?;
                interval.preset = false;
                interval.interrupts = false;
            }
        }
        Ok(())
    }

    /// Reads the counter for the last time. The control word stays. The caller has verified the
    /// registers.
    pub(crate) fn stop_reading<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        self.read_last(io)?;
        self.end_running();
        Ok(())
    }

    /// Reads the counter, if it runs, before the event stops.
    #[inline(always)]
    fn read_last<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        if self.is_running() {
            if let Some(event) = self.binding.event() {
                match event.finish(io.bus) {
                    Ok(found) => self.account(&found),
                    Err(missed) => {
                        self.miss(io.bus, missed)?;
                        self.halt();
                    }
                }
            }
            self.verification.accept();
        }
        Ok(())
    }

    /// Records a modified register that ends the event, if its control register is in use.
    pub(crate) fn record_modified(&mut self, register: Option<ModifiedRegister>) {
        if self.is_programmed() {
            self.verification.record(register);
        }
    }

    /// Notes that the registers were as written at the last read.
    pub(crate) fn mark_verified(&mut self, now_ms: u64) {
        self.verification.accept();
        self.verification.checked_at_ms = now_ms;
    }

    /// Stops the counter and discards the counts since the registers were last verified.
    pub(crate) fn discard_unverified<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        self.halt();
        if let Some(event) = self.binding.event() {
            let discarded = event.reading.discard(self.verification.unverified);
            self.progress.total = self.progress.total.wrapping_sub(discarded);
        }
        self.verification.accept();
        if let Some(interval) = &mut self.interval {
            interval.finished = None;
        }
        self.stop(io)
    }

    /// Reads the counter, and returns whether it was modified. The counts are kept for perf.
    #[inline(always)]
    pub(crate) fn collect<B: Bus>(&mut self, bus: &B) -> Result<bool> {
        if let Some(event) = self.binding.event() {
            match event.collect(bus) {
                Ok(found) => self.account(&found),
                Err(missed) => {
                    self.miss(bus, missed)?;
                    return Ok(self.verification.modified.is_some());
                }
            }
        }
        Ok(false)
    }

    /// Accounts for a read of the counter that found no counts. A counter that cannot have counted up
    /// to its value goes on from there, and is a modified register.
    #[cold]
    #[inline(never)]
    fn miss<B: Bus>(&mut self, bus: &B, missed: Missed) -> Result {
        let Some(event) = self.binding.event() else {
            return Ok(());
        };
        let reading = &event.reading;
        let last = reading.value();
        match missed {
            Missed::Refused(error) => Err(error),
            Missed::Lost | Missed::Overtaken => {
                self.account(&Found {
                    count: 0,
                    value: last,
                });
                Ok(())
            }
            Missed::Behind => {
                let register = Register::Counter(reading.register());
                let found = event.skip(bus)?;
                self.progress.seen = found;
                self.verification.record(Some(ModifiedRegister {
                    register,
                    written: last,
                    found,
                }));
                Ok(())
            }
        }
    }

    /// Accounts for a read of the counter.
    #[inline(always)]
    fn account(&mut self, found: &Found) {
        self.verification.add(found.count);
        let count = self.progress.advance(found.value);
        if let Some(interval) = &mut self.interval {
            interval.add(count, self.progress.total);
        }
    }

    /// Leaves out what the counter has counted since it was read.
    pub(crate) fn skip<B: Bus>(&mut self, bus: &B) -> Result {
        if let Some(event) = self.binding.event() {
            self.progress.seen = event.skip(bus)?;
        }
        Ok(())
    }

    /// Ends the event without a read, as its registers do not answer or its counts are wrong.
    pub(crate) fn halt(&mut self) {
        self.end_running();
        if let Some(event) = self.binding.event() {
            event.reading.halt();
        }
    }

    /// Programs the counter again, as its registers were lost.
    pub(crate) fn restore<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        let running = self.is_running();
        if running || self.is_programmed() {
            self.program(io, self.binding.request().starting())?;
            if !running {
                self.halt();
            }
        }
        Ok(())
    }

    /// Moves the event to another general counter.
    pub(crate) fn relocate<B: Bus>(&mut self, io: &BoxIo<'_, B>, to: u8) -> Result {
        let was_running = self.is_running();
        self.stop(io)?;
        self.binding.counter = CounterIndex::General(to);
        if was_running {
            // The event has counted its queue up to here: the queue must not be cleared.
            self.program(io, 0)?;
        }
        Ok(())
    }

    /// Enables or disables the interrupt of the counter, as the box is set.
    pub(crate) fn switch_interrupts<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        if !self.is_programmed() {
            return Ok(());
        }
        let at = self.binding.registers(io)?;
        let restarts = self.is_running() && at.interrupts && self.interval.is_some();
        if let Some(interval) = &mut self.interval {
            interval.interrupts = false;
            // It is preset anew below, or counts on.
            interval.preset &= !restarts;
        }
        if restarts {
            // The counter must not run while it is preset.
            self.stop(io)?;
            return self.program(io, 0);
        }
        self.write_word(io, at.control, 0)
    }

    /// Returns whether an interval has ended, and the counter is to be preset for the next one.
    pub(crate) fn needs_reload(&self) -> bool {
        let interval = self.interval.as_ref();
        self.is_running() && interval.is_some_and(|of| of.interrupts && of.needs_reload)
    }

    /// Presets the stopped counter for the next interval, as one has ended.
    pub(crate) fn reload<B: Bus>(&mut self, io: &BoxIo<'_, B>) -> Result {
        let (Some(interval), Some(event)) = (&mut self.interval, self.binding.event()) else {
            return Ok(());
        };
        interval.needs_reload = false;
        let at = self.binding.registers(io)?;
        event.reading.halt();
        let value = at.preset(io.bus, &interval.period)?;
        event.reading.publish(io.bus, at.counter, at.bits(), value);
        self.progress.begin(at.bits(), value);
        Ok(())
    }

    /// Notes the value of the counter, or presets it, and enables it. The bits of `once` are added
    /// to the control word in this write only.
    fn program<B: Bus>(&mut self, io: &BoxIo<'_, B>, once: u32) -> Result {
        let at = self.binding.registers(io)?;
        let is_of_package = self.binding.request().is_of_package(io.setup.kind);
        self.core = (!is_of_package).then(|| io.bus.core());
        if let Some(event) = self.binding.event() {
            event.reading.halt();
        }
        let value = match &mut self.interval {
            Some(interval) if at.interrupts => {
                interval.preset = true;
                interval.interrupts = true;
                interval.needs_reload = false;
                at.preset(io.bus, &interval.period)?
            }
            _ => at.settle(io.bus, io.setup.presets)?,
        };
        self.write_word(io, at.control, once)?;
        if let Some(event) = self.binding.event() {
            event.reading.publish(io.bus, at.counter, at.bits(), value);
        }
        self.progress.begin(at.bits(), value);
        self.state = SlotState::Running(at.control);
        self.verification.checked_at_ms = io.bus.now_ms();
        Ok(())
    }

    /// Writes the control register, if there is one. The bits of `once` are added in this write only.
    #[inline(always)]
    fn write_word<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        control: Option<ControlWrite>,
        once: u32,
    ) -> Result {
        if let Some(ControlWrite { register, word }) = control {
            io.write_control(register, word | once)?;
            self.set_programmed(control);
        }
        Ok(())
    }
}
