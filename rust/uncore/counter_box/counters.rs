// SPDX-License-Identifier: GPL-2.0

//! All counters of one box: which event counts where, and in which order registers are accessed.
//!
//! Perf changes events in batches. The box is frozen before the first change of a grouped event in
//! a batch, and unfrozen when the batch ends, so that the events of a group start and stop
//! together. A frozen box misses traffic for all its events. So an event in no group starts and
//! stops by its control register alone, and the other events go on counting. A box that groups have
//! frozen for too long is not frozen for a while ([`FrozenTime`]), and one without a box control
//! register never is (only a global freeze could stop it).
//!
//! Order of accesses: filter registers before the control word that needs them. A control word is
//! always written as a whole, whatever the register holds. The control word of a stopped counter is
//! 0, so that nothing of one event is left for the next. Registers are [verified](super::verify)
//! before they are rewritten, and from time to time.
//!
//! The caller holds the lock of the box, on a CPU that reaches the registers. No function
//! allocates. The first access that fails makes the box [failed](BoxCounters::has_failed): its
//! registers are not accessed any more, its events keep the counts that were read before, and no
//! event can be added. Filter registers in a PCI function of their own can be
//! [lost](BoxCounters::lose_filters) while the box stays; then only the events that need them fail.

use super::{
    box_io::BoxSetup,
    bus::{
        Bus,
        FilterLocation, //
    },
    filters::{
        self,
        FilterBank, //
    },
    open_event::OpenEvent,
    overflow,
    readback::kept_by_filter,
    slot::Slot,
    slots::{
        slot_bit,
        SlotSet,
        Slots, //
    },
    verify::Verifier, //
};
use crate::uncore::{
    absence::MissingReason,
    frozen::{
        FrozenTime,
        NO_LIMIT, //
    },
    options::{
        Criteria,
        Tamper, //
    },
    request::{
        assign::{
            bit,
            Path, //
        },
        group::{
            Allocation,
            Assignment,
            CounterIndex, //
        },
        Counters,
        Request, //
    },
    table::{
        box_type::{
            BoxType,
            Needs, //
        },
        field::Words, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

pub(crate) mod background;
pub(crate) mod batch;
#[cfg(KUNIT_SUITES)]
mod tests;

/// Events and counters of a box.
pub(crate) struct BoxCounters {
    pub(crate) setup: BoxSetup,
    allocation: Allocation,
    /// Slots of the events.
    pub(crate) slots: Slots,
    filters: FilterBank,
    verifier: Verifier,
    availability: Availability,
    /// Tells whether perf is between `pmu_disable` and `pmu_enable`.
    batch: bool,
    /// Tells whether perf has added an event since a batch ended.
    has_added: bool,
    /// Tells whether perf moves the events to another CPU.
    moving: bool,
    /// Time of the last poll in nanoseconds.
    polled_at: u64,
    /// Number of polls until one verifies the registers.
    polls: u8,
    /// Tells whether the next poll verifies them.
    verifies_next: bool,
    /// Tells whether the counters were read, as their interrupts are about to be switched.
    switches_next: bool,
    /// Events whose interrupts are not switched yet.
    unswitched: SlotSet,
    /// The next register that [`tidy`](Self::tidy) resets after a sleep.
    untidy: Option<usize>,
    /// Tells whether the needed values of filter registers have changed since they were written.
    filters_changed: bool,
    /// Fixed counters that cannot be read, as a bit mask.
    unreadable: u8,
    /// Fixed counter that no event can have now.
    reserved: Option<u8>,
    /// Time for which groups have frozen the box.
    pub(crate) frozen: FrozenTime,
    /// Time in nanoseconds at which the box was frozen last.
    frozen_at: u64,
    /// Nanoseconds for which groups have frozen the box in this batch.
    frozen_ns: u64,
    /// Tells that this time is used up, until it is logged.
    limit: Limit,
}

/// Progress of telling that groups have frozen a box for too long.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    /// They have not.
    Kept,
    /// It is to be logged.
    Reached,
    /// It was logged, which is enough.
    Logged,
}

/// Operations that a box still allows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Availability {
    /// Events can be added.
    Open,
    /// The box is being removed: its events count on, and no event can be added.
    Closing,
    /// The box is absent, or an access has failed: its registers are not accessed.
    Failed,
}

impl BoxCounters {
    /// Makes the counters of a box that was just reset. They do not interrupt.
    pub(crate) fn new(kind: &'static BoxType, filters: FilterLocation<()>) -> impl Init<Self> {
        init!(Self {
            setup: BoxSetup::new(kind),
            allocation: Allocation::new(kind),
            slots: Slots::default(),
            filters: FilterBank::new(filters),
            verifier: Verifier::default(),
            availability: Availability::Open,
            batch: false,
            has_added: false,
            moving: false,
            polled_at: 0,
            polls: 0,
            verifies_next: false,
            switches_next: false,
            unswitched: 0,
            untidy: None,
            filters_changed: false,
            unreadable: 0,
            reserved: None,
            frozen: FrozenTime::new(NO_LIMIT),
            frozen_at: 0,
            frozen_ns: 0,
            limit: Limit::Kept,
        })
    }

    /// Makes the counters of an absent box: no event can be added.
    pub(crate) fn absent(kind: &'static BoxType) -> impl Init<Self> {
        let filters = FilterLocation::Missing(MissingReason::Unseen);
        Self::new(kind, filters).chain(|this| {
            this.availability = Availability::Failed;
            Ok(())
        })
    }

    /// Type of the box: the reading of the tables that answers.
    pub(crate) fn kind(&self) -> &'static BoxType {
        self.setup.kind
    }

    /// Sets the treatment of events whose registers another tool modified. Nothing counts yet.
    pub(crate) fn set_tamper(&mut self, tamper: Tamper) {
        self.verifier.set_tamper(tamper);
    }

    /// Sets how many filters may be in use at a time, where that is uncertain. Nothing counts yet.
    pub(crate) fn set_criteria(&mut self, criteria: Criteria) {
        self.allocation.set_criteria(self.setup.kind, criteria);
    }

    /// Lets groups freeze the box for this share of any second, in percent.
    pub(crate) fn set_frozen_limit(&mut self, percent: u8) {
        self.frozen = FrozenTime::new(percent);
    }

    /// Returns whether it is to be logged that groups have frozen the box for too long.
    #[inline]
    pub(crate) fn has_reached_limit(&self) -> bool {
        self.limit == Limit::Reached
    }

    /// Returns it once.
    pub(crate) fn take_reached_limit(&mut self) -> bool {
        let is_new = self.has_reached_limit();
        if is_new {
            self.limit = Limit::Logged;
        }
        is_new
    }

    /// Returns whether an access has failed, or the box is absent.
    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.availability == Availability::Failed
    }

    /// Returns whether a fixed counter cannot be read.
    pub(crate) fn lacks_fixed(&self, index: u8) -> bool {
        self.unreadable & bit(index) != 0
    }

    /// Returns whether the box has all bits of its control and filter registers.
    pub(crate) fn has_all_bits(&self) -> bool {
        self.setup.lacking == Words::default()
    }

    /// Tries the bits of filter registers that an event needs and that are tried on request. Other
    /// events keep their filters.
    pub(crate) fn try_bits_of<B: Bus>(&mut self, bus: &B, request: &Request) {
        let kind = self.setup.kind;
        let mut wanted = Allocation::new(kind).filters;
        wanted.take(&request.filters);
        let _ = self.change(bus, |this| {
            for (index, at) in kind.filters.iter().enumerate() {
                let bits = wanted.register(kind, at) & !at.tried(&this.setup.lacking);
                if bits != 0 && this.has_filtered() {
                    this.freeze(bus)?;
                }
                let kept = kept_by_filter(bus, at, bits, this.filters.written_to(index));
                this.setup.lacking.clear(at.word, at.in_word(kept));
            }
            Ok(())
        });
    }

    /// Returns whether an event has a counter.
    pub(crate) fn has_events(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Gives an event its counter and filters; it does not count yet. Deleted events that have the
    /// counter, or other values of the filters, go: `settle` is called with each.
    ///
    /// # Errors
    ///
    /// [`EAGAIN`] if other events have the counters or filters now, or the counter is reserved.
    /// [`ENODEV`] if the box, or a filter or counter the event needs, is missing, failed or being
    /// removed.
    pub(crate) fn add<B: Bus>(
        &mut self,
        bus: &B,
        event: Arc<OpenEvent>,
        settle: impl Fn(&OpenEvent),
    ) -> Result {
        self.has_added = true;
        let request = &event.request;
        if !self.accepts(request) {
            return Err(ENODEV);
        }
        if let Counters::Fixed(index) = request.on {
            if self.lacks_fixed(index) {
                return Err(ENODEV);
            }
            if self.reserved == Some(index) {
                return Err(EAGAIN);
            }
        }
        if self.allocation.has_sources() && self.slots.take_over(&event) {
            return Ok(());
        }
        let assignment = match self.allocation.find(self.setup.kind, request) {
            Ok(assignment) => assignment,
            Err(_) => self.make_room(bus, request, settle).ok_or(EAGAIN)?,
        };
        if let Assignment::General(path) = &assignment {
            if !path.is_free() {
                self.change(bus, |this| {
                    this.relocate_others(bus, path, event.is_grouped())
                })
                .map_err(|_| ENODEV)?;
            }
        }
        self.allocation.take(request, &assignment);
        self.filters_changed |= !request.filters.is_empty();
        self.slots.insert(event, &assignment);
        Ok(())
    }

    /// Returns whether an event can be added at all, to the box and with its filters.
    fn accepts(&self, request: &Request) -> bool {
        self.availability == Availability::Open && self.filters.accepts(request)
    }

    /// Notes the count that an event had before it was added.
    pub(crate) fn credit(&mut self, event: &OpenEvent, count: u64) {
        if let Some(slot) = self.slots.of(event) {
            slot.progress.total = count;
        }
    }

    /// Starts an event.
    ///
    /// # Errors
    ///
    /// [`ENODEV`] if the event does not count: the box has failed, filters that the event needs are
    /// lost, or a modified register has ended it.
    pub(crate) fn start<B: Bus>(&mut self, bus: &B, event: &OpenEvent) -> Result {
        let index = self.slots.index_of(event).ok_or(ENODEV)?;
        let counts = self.change(bus, |this| {
            this.unfreeze_idle_box(bus, event, index)?;
            if event.is_grouped() {
                this.freeze(bus)?;
            }
            this.program_filters(bus, event)?;
            this.start_slot(bus, event, index)
        });
        match counts {
            Ok(true) => Ok(()),
            _ => Err(ENODEV),
        }
    }

    /// Stops an event. Its counts are kept for perf.
    pub(crate) fn stop<B: Bus>(&mut self, bus: &B, event: &OpenEvent) {
        if let Some(index) = self.slots.index_of(event) {
            let _ = self.change(bus, |this| this.stop_slot(bus, index));
        }
    }

    /// Stops an event and frees its counter. Its counts are kept for perf.
    pub(crate) fn remove<B: Bus>(&mut self, bus: &B, event: &OpenEvent) {
        if let Some(index) = self.slots.index_of(event) {
            self.remove_at(bus, index, |_| ());
        }
    }

    /// Stops the event of a slot, calls `settle` with the event, and frees its counter.
    fn remove_at<B: Bus>(&mut self, bus: &B, index: usize, settle: impl FnOnce(&OpenEvent)) {
        let _ = self.change(bus, |this| this.stop_slot(bus, index));
        if self.allocation.has_sources() {
            let _ = self.change(bus, |this| this.stop_idle_sources(bus));
            if let Some(event) = self.slots.event(index) {
                settle(event);
            }
            return self.free_unused(index);
        }
        let (allocation, filters_changed) = (&mut self.allocation, &mut self.filters_changed);
        self.slots.remove(index, |slot| {
            free_counter(slot, allocation, filters_changed);
            if let Some(event) = slot.binding.event() {
                settle(event);
            }
        });
    }

    /// Makes changes. Outside a batch they are a batch of their own.
    fn change<B: Bus, R>(&mut self, bus: &B, f: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        self.attempt(|this| {
            let result = f(this)?;
            if !this.batch {
                this.unfreeze(bus)?;
            }
            Ok(result)
        })
    }

    /// Accesses registers. An error makes the box failed.
    fn attempt<R>(&mut self, f: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        if self.has_failed() {
            return Err(ENODEV);
        }
        let result = f(self);
        if result.is_err() {
            self.fail();
        }
        result
    }

    /// Marks the box as failed. Its registers are not accessed any more.
    #[cold]
    pub(crate) fn fail(&mut self) {
        self.availability = Availability::Failed;
        self.slots.iter_mut().for_each(Slot::halt);
    }

    /// Reads the running counters, but for those of another core, and treats those that were modified.
    #[inline(never)]
    fn collect<B: Bus>(&mut self, bus: &B) -> Result {
        let mut any_modified = false;
        for slot in self.slots.iter_mut().filter(|slot| slot.is_readable(bus)) {
            any_modified |= slot.collect(bus)?;
        }
        if any_modified {
            self.treat_counters(bus)?;
        }
        Ok(())
    }

    /// Treats the events whose counters were modified, as reads have found.
    #[inline(never)]
    fn treat_counters<B: Bus>(&mut self, bus: &B) -> Result {
        let io = self.setup.io(bus);
        self.verifier.treat_counters(&io, &mut self.slots)
    }

    /// Verifies the registers that the running `wanted` events depend on.
    #[inline(never)]
    fn verify<B: Bus>(&mut self, bus: &B, wanted: SlotSet) -> Result {
        self.restore_after_sleep(bus)?;
        let io = self.setup.io(bus);
        self.verifier
            .verify(&io, &mut self.slots, &mut self.filters, wanted)
    }

    /// Unfreezes an idle box before its first event starts: another tool may have left it frozen,
    /// and idle boxes are not verified. If the box is frozen for a group, it is unfrozen in any case.
    /// A box whose box control was written or verified just before is left as it is.
    fn unfreeze_idle_box<B: Bus>(&mut self, bus: &B, event: &OpenEvent, index: usize) -> Result {
        let kind = self.setup.kind;
        let Some(control) = &kind.box_control else {
            return Ok(());
        };
        let now_ms = bus.now_ms();
        if self.setup.frozen || !self.verifier.may_be_frozen(now_ms) {
            return Ok(());
        }
        let is_idle = !self.slots.iter().any(Slot::is_programmed);
        let can_be_frozen = |slot: &mut Slot| slot.binding.counter.has_control(kind);
        if is_idle
            && !(event.is_grouped() && self.may_freeze(bus))
            && self.slots.at(index).is_some_and(can_be_frozen)
        {
            bus.write(control.offset, control.unfreeze)?;
            self.verifier.note_box_control(now_ms);
        }
        Ok(())
    }

    /// Returns whether groups have not frozen the box for too long.
    fn may_freeze<B: Bus>(&self, bus: &B) -> bool {
        self.frozen.has_left(bus.now_ns())
    }

    /// Freezes the box, unless it is frozen already, or was so for too long.
    fn freeze<B: Bus>(&mut self, bus: &B) -> Result {
        match &self.setup.kind.box_control {
            Some(control) if !self.setup.frozen => {
                if !self.may_freeze(bus) {
                    if self.limit == Limit::Kept {
                        self.limit = Limit::Reached;
                    }
                    return Ok(());
                }
                if self.verifier.may_be_frozen(bus.now_ms()) {
                    let io = self.setup.io(bus);
                    self.verifier.verify_before_freeze(&io, &mut self.slots)?;
                }
                self.frozen_at = bus.now_ns();
                bus.write(control.offset, control.freeze)?;
                self.setup.frozen = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Unfreezes the box, if it is frozen.
    fn unfreeze<B: Bus>(&mut self, bus: &B) -> Result {
        match &self.setup.kind.box_control {
            Some(control) if self.setup.frozen => {
                bus.write(control.offset, control.unfreeze)?;
                self.setup.frozen = false;
                let now = bus.now_ns();
                self.frozen_ns = now.saturating_sub(self.frozen_at);
                self.frozen.add(now, self.frozen_ns);
                self.verifier.note_box_control(bus.now_ms());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Moves other events to free the counter for a new event. They lose no counts.
    #[inline(never)]
    fn relocate_others<B: Bus>(&mut self, bus: &B, path: &Path, grouped: bool) -> Result {
        let is_moved = |slot: &Slot| {
            path.moves()
                .any(|(from, _)| slot.binding.counter == CounterIndex::General(from))
        };
        let moved = self.slots.set_of(is_moved);
        if grouped || moved & self.slots.set_of(Slot::is_grouped) != 0 {
            self.freeze(bus)?;
        }
        self.verify(bus, moved)?;
        let io = self.setup.io(bus);
        for (from, to) in path.moves() {
            if let Some(slot) = self.slots.on(from) {
                slot.relocate(&io, to)?;
            }
        }
        Ok(())
    }

    /// Writes the filter registers that the events need, before this event starts.
    fn program_filters<B: Bus>(&mut self, bus: &B, event: &OpenEvent) -> Result {
        let is_filtered = !event.request.filters.is_empty();
        if !(is_filtered || self.filters_changed) || !self.filters.is_usable() {
            return Ok(());
        }
        let kind = self.setup.kind;
        let outdated = self.filters.outdated(kind, &self.allocation.filters);
        if outdated != 0 {
            let users = |slot: &Slot| filters::uses_any(kind, slot, outdated);
            self.verify(bus, self.slots.set_of(users))?;
        }
        let io = self.setup.io(bus);
        self.filters
            .program(&io, &mut self.slots, event, &self.allocation.filters)?;
        self.filters_changed = false;
        Ok(())
    }

    /// Starts the counter of an event, unless it runs, was ended by a modified register, or lacks
    /// its filters or its source event. Returns whether it runs.
    fn start_slot<B: Bus>(&mut self, bus: &B, event: &OpenEvent, index: usize) -> Result<bool> {
        if self.allocation.has_sources()
            && self.slots.at(index).is_some_and(|of| of.is_programmed())
        {
            // Dependent events have used the selection all the time.
            self.verify(bus, self.slots.set_of(Slot::uses_source))?;
        }
        let request = &event.request;
        let has_source = request.needs != Needs::SourceOnCounter0 || !self.source_was_modified();
        let needs_met = has_source && (self.filters.is_usable() || request.filters.is_empty());
        let io = self.setup.io(bus);
        let interrupts_first =
            io.interrupts_on_overflow(request) && !overflow::interrupts(&io, &self.slots);
        let Some(slot) = self.slots.at(index) else {
            return Ok(false);
        };
        if slot.can_start() && needs_met {
            if interrupts_first {
                overflow::clear_all_status(&io)?;
            }
            slot.start(&io)?;
        }
        Ok(slot.is_running())
    }

    /// Stops the counter of an event. The control word of a source event stays while dependent
    /// events count.
    #[inline(always)]
    fn stop_slot<B: Bus>(&mut self, bus: &B, index: usize) -> Result {
        let io = self.setup.io(bus);
        let Some(slot) = self.slots.at(index).filter(|slot| slot.is_running()) else {
            return Ok(());
        };
        let unverified_ms = slot.verification.unverified_ms(bus.now_ms());
        let is_due = self.verifier.is_due_at_stop(unverified_ms);
        if is_due || slot.is_grouped() || self.allocation.has_sources() {
            return self.stop_among_others(bus, index, is_due);
        }
        slot.stop(&io)?;
        if slot.verification.modified.is_some() {
            self.treat_counters(bus)?;
        }
        Ok(())
    }

    /// Stops the counter of an event that is verified before if it `is_due`, has a group, or may be
    /// the source of others.
    #[inline(never)]
    fn stop_among_others<B: Bus>(&mut self, bus: &B, index: usize, is_due: bool) -> Result {
        let grouped = self.slots.at(index).is_some_and(|slot| slot.is_grouped());
        if grouped {
            self.freeze(bus)?;
        }
        if is_due {
            // The events of a group stop together, so that they are verified together.
            let together = |slot: &Slot| grouped && slot.is_grouped();
            self.verify(bus, slot_bit(index) | self.slots.set_of(together))?;
        }
        let source_is_used = self.slots.iter().any(Slot::uses_source);
        let io = self.setup.io(bus);
        if let Some(slot) = self.slots.at(index) {
            if source_is_used && slot.is_source() {
                slot.stop_reading(&io)?;
            } else {
                slot.stop(&io)?;
            }
            if slot.verification.modified.is_some() {
                self.treat_counters(bus)?;
            }
        }
        if self.allocation.has_sources() {
            self.stop_idle_sources(bus)?;
        }
        Ok(())
    }

    /// Clears the control words of stopped source events, once no dependent event counts.
    fn stop_idle_sources<B: Bus>(&mut self, bus: &B) -> Result {
        if self.slots.iter().any(Slot::uses_source) {
            return Ok(());
        }
        let io = self.setup.io(bus);
        self.slots
            .iter_mut()
            .filter(|slot| slot.is_programmed() && !slot.is_running())
            .try_for_each(|slot| slot.stop(&io))
    }

    /// Frees the counters of an event that perf deletes, and of deleted events, unless a dependent
    /// event uses their selection. Without sources no event is kept.
    #[inline(never)]
    fn free_unused(&mut self, index: usize) {
        self.slots.abandon(index);
        let failed = self.has_failed();
        let is_kept = |slot: &Slot| !slot.binding.is_deleted() || slot.is_programmed() && !failed;
        let (allocation, filters_changed) = (&mut self.allocation, &mut self.filters_changed);
        self.slots.retain(is_kept, |slot| {
            free_counter(slot, allocation, filters_changed);
        });
    }

    /// Returns whether a modified register has ended a source event.
    fn source_was_modified(&self) -> bool {
        self.slots
            .iter()
            .any(|slot| slot.is_source() && slot.verification.modified.is_some())
    }
}

/// Frees the counter and the filters of a slot that goes.
fn free_counter(slot: &Slot, allocation: &mut Allocation, filters_changed: &mut bool) {
    let request = slot.binding.request();
    allocation.release(request, slot.binding.counter);
    *filters_changed |= !request.filters.is_empty();
}
