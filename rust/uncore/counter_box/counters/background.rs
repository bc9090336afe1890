// SPDX-License-Identifier: GPL-2.0

//! All counters of one box, outside perf's callbacks: what timers, interrupts and the log need, and
//! what happens when the box or its filter registers come and go.

use super::{
    super::{
        bus::{
            Bus,
            FilterLocation, //
        },
        filters::{
            self,
            FilterBank, //
        },
        modified::ModifiedEvent,
        open_event::OpenEvent,
        overflow::{
            self,
            EventCount,
            Watched, //
        },
        probe::{
            fixed_widths,
            reset,
            unreadable_fixed, //
        },
        readback::lacking_bits,
        slot::{
            Events,
            Slot,
            SlotSet, //
        }, //
    },
    Availability,
    BoxCounters, //
};
use crate::uncore::{
    overflow_mode::Interrupts,
    request::group::CounterIndex,
    table::field::low_half, //
};
use kernel::prelude::*;

/// Number of polls of a box of which one verifies its registers.
pub(crate) const POLLS_PER_VERIFICATION: u8 = 4;

/// Part of a poll interval that a timer may be early, as it fires late the time before.
const EARLY: u64 = 16;

impl BoxCounters {
    /// Refuses new events from now on, as the box is being removed. Its events count on.
    pub(crate) fn close(&mut self) {
        if self.availability == Availability::Open {
            self.availability = Availability::Closing;
        }
    }

    /// Finds out what the tables leave open about the registers. Nothing counts yet.
    pub(crate) fn measure<B: Bus>(&mut self, bus: &B) {
        let (kind, has_filters) = (self.setup.kind, self.filters.is_usable());
        self.unreadable = unreadable_fixed(bus, kind);
        self.setup.widths = fixed_widths(bus, kind);
        self.setup.lacking = lacking_bits(bus, kind, has_filters);
        self.verifier.probe(bus, kind, has_filters);
    }

    /// Stops and reads all events, and marks the box as failed, as it is going away.
    pub(crate) fn retire<B: Bus>(&mut self, bus: &B) {
        let _ = self.change(bus, |this| {
            this.verify(bus, SlotSet::MAX)?;
            let io = this.setup.io(bus);
            this.slots.iter_mut().try_for_each(|slot| slot.stop(&io))
        });
        self.fail();
    }

    /// Takes over filter registers that hold 0, as their PCI function has appeared.
    pub(crate) fn gain_filters(&mut self) {
        self.filters = FilterBank::new(FilterLocation::Function(()));
        self.filters_changed = true;
        self.verifier.add_filters(self.setup.kind);
    }

    /// Refuses new events with filters from now on, as the PCI function of the filter registers is
    /// being removed. Events with filters count on.
    pub(crate) fn close_filters(&mut self) {
        self.filters.close();
    }

    /// Returns whether an event uses filters.
    pub(crate) fn has_filtered(&self) -> bool {
        self.slots.iter().any(filters::is_filtered)
    }

    /// Gives up the filter registers, as their PCI function is going or gone. Events that need them
    /// are read and stop.
    pub(crate) fn lose_filters<B: Bus>(&mut self, bus: &B) {
        let _ = self.change(bus, |this| {
            this.verify(bus, this.slots.set_of(filters::is_filtered))?;
            this.filters.fail();
            filters::stop_filtered(&this.setup.io(bus), &mut this.slots)
        });
        self.filters.fail();
    }

    /// Returns whether the box has filter registers that cannot be used.
    #[inline]
    pub(crate) fn lacks_filters(&self) -> bool {
        !self.filters.is_usable()
    }

    /// Reads all running counters.
    pub(crate) fn read_all<B: Bus>(&mut self, bus: &B) {
        let _ = self.attempt(|this| this.collect(bus));
    }

    /// Reads the running counters, so that none wraps twice between reads, if the last poll was so
    /// long before `now`, in nanoseconds. One of [`POLLS_PER_VERIFICATION`] polls verifies their
    /// registers, and so does one that finds that a counter has ceased to move.
    pub(crate) fn poll<B: Bus>(&mut self, bus: &B, now: u64) -> Watched {
        let Some(interval_ns) = self.poll_ns() else {
            return Watched::default();
        };
        let elapsed = now.saturating_sub(self.polled_at);
        let is_due = elapsed >= interval_ns.saturating_sub(interval_ns / EARLY);
        if is_due {
            self.polled_at = now;
            let _ = self.attempt(|this| {
                this.collect(bus)?;
                let running = this.slots.iter_mut().filter(|slot| slot.running);
                let stands = running.fold(false, |any, slot| any | slot.progress.stands_still());
                if this.is_turn_to_verify() || stands {
                    this.verify(bus, SlotSet::MAX)?;
                }
                Ok(())
            });
        }
        Watched {
            poll_ns: Some(interval_ns),
            interrupts: self.interrupt(bus),
            was_read: is_due,
        }
    }

    /// Sets the number of polls until the registers are verified for the first time, so that boxes
    /// can take turns.
    pub(crate) fn take_turn(&mut self, turn: u8) {
        self.polls = turn % POLLS_PER_VERIFICATION;
    }

    /// Returns the number of polls until the registers are verified.
    pub(crate) fn turn(&self) -> u8 {
        self.polls
    }

    /// Counts a poll, and returns whether it verifies the registers.
    fn is_turn_to_verify(&mut self) -> bool {
        let is_turn = self.polls == 0;
        let before = self.polls.checked_sub(1);
        self.polls = before.unwrap_or(POLLS_PER_VERIFICATION - 1);
        is_turn
    }

    /// Returns the interval in nanoseconds in which the running counters must be read; `None` if
    /// none runs.
    pub(crate) fn poll_ns(&self) -> Option<u64> {
        let running = self.slots.iter().filter(|slot| slot.running);
        running.map(|slot| slot.binding.request().poll_ns).min()
    }

    /// Reads the running counters and verifies their registers: for the last time before these may be
    /// lost, or because a read without the lock has found what only they can explain.
    pub(crate) fn look<B: Bus>(&mut self, bus: &B) {
        let _ = self.attempt(|this| this.collect_and_verify(bus));
    }

    /// Programs all registers again, as they may have been lost since [`Self::look`]. Events go
    /// on with the counts from before.
    pub(crate) fn resume<B: Bus>(&mut self, bus: &B) {
        let _ = self.attempt(|this| {
            reset(bus, this.setup.kind)?;
            if this.filters.is_usable() {
                this.filters.restore(&this.setup.io(bus), &mut this.slots)?;
            }
            this.setup.frozen = false;
            this.freeze(bus)?;
            let io = this.setup.io(bus);
            this.slots
                .iter_mut()
                .try_for_each(|slot| slot.restore(&io))?;
            this.unfreeze(bus)
        });
    }

    /// Programs the counters again whose registers a sleep of the package has cleared. Events go on
    /// with the counts that were read before. Before the level is set that lets the counters run.
    pub(crate) fn restore_lost<B: Bus>(&mut self, bus: &B) {
        let _ = self.attempt(|this| this.restore_after_sleep(bus));
    }

    /// Does so, if the box may lose its registers and the package has slept.
    pub(super) fn restore_after_sleep<B: Bus>(&mut self, bus: &B) -> Result {
        let Some(global) = self.setup.kind.lost_with else {
            return Ok(());
        };
        let Some(event) = self.slots.iter().find_map(|slot| slot.binding.event()) else {
            return Ok(());
        };
        let now = low_half(bus.read_msr(global.control)?);
        if !event.reach.lacks_level(global, now) {
            return Ok(());
        }
        let io = self.setup.io(bus);
        self.verifier.restore_cleared(&io, &mut self.slots)
    }

    /// Leaves out what the counters have counted in a sleep of so many nanoseconds, if they may have
    /// wrapped twice, and reads the others. They were read before.
    pub(crate) fn wake<B: Bus>(&mut self, bus: &B, slept_ns: u64) {
        let wrapped = |slot: &&mut Slot| slept_ns >= slot.binding.request().poll_ns;
        let _ = self.attempt(|this| {
            this.slots
                .iter_mut()
                .filter(|slot| slot.is_readable(bus))
                .filter(wrapped)
                .try_for_each(|slot| slot.skip(bus))?;
            this.collect(bus)
        });
    }

    /// Reserves a fixed counter that no event has, and returns whether it did. Until
    /// [`release_fixed`](Self::release_fixed) no event can have it.
    pub(crate) fn reserve_fixed(&mut self, index: u8) -> bool {
        let is_free = !self.has_failed()
            && self.reserved.is_none()
            && !self
                .slots
                .iter()
                .any(|slot| slot.binding.counter == CounterIndex::Fixed(index));
        if is_free {
            self.reserved = Some(index);
        }
        is_free
    }

    /// Ends the reservation of a fixed counter.
    pub(crate) fn release_fixed(&mut self) {
        self.reserved = None;
    }

    /// Makes counters interrupt on overflow from now on, or not. Each time the designated CPU
    /// changes, this is asked of all boxes of the package, and most have that setting already.
    #[inline]
    pub(crate) fn set_interrupts<B: Bus>(&mut self, bus: &B, interrupts: Interrupts) {
        if self.setup.interrupts != interrupts {
            self.switch_interrupts(bus, interrupts);
        }
    }

    /// Switches the interrupts of the counters on or off.
    #[cold]
    fn switch_interrupts<B: Bus>(&mut self, bus: &B, interrupts: Interrupts) {
        let _ = self.attempt(|this| {
            // Counters that have overflowed up to here do not interrupt any more.
            this.collect_and_verify(bus)?;
            this.setup.interrupts = interrupts;
            overflow::switch_interrupts(&this.setup.io(bus), &mut this.slots)
        });
        // An absent or failed box keeps the setting for its next start.
        self.setup.interrupts = interrupts;
    }

    /// Returns whether a running counter interrupts on overflow.
    pub(crate) fn interrupt<B: Bus>(&self, bus: &B) -> bool {
        overflow::interrupts(&self.setup.io(bus), &self.slots)
    }

    /// Returns the counters that interrupt on overflow.
    pub(crate) fn interrupts(&self) -> Interrupts {
        self.setup.interrupts
    }

    /// Handles overflows while the whole package is frozen: reads the counters, clears the box
    /// status, and presets counters whose interval has ended. If the box status shows no overflow,
    /// does so only if `all` boxes must be read. Returns whether the box status shows an overflow.
    pub(crate) fn service<B: Bus>(&mut self, bus: &B, all: bool) -> bool {
        let mut overflows = 0;
        let _ = self.attempt(|this| {
            overflows = overflow::read_status(&this.setup.io(bus))?;
            if overflows == 0 && !all {
                return Ok(());
            }
            this.collect(bus)?;
            let io = this.setup.io(bus);
            overflow::clear_status(&io, overflows)?;
            overflow::reload(&io, &mut this.slots)
        });
        overflows != 0
    }

    /// Returns whether an interval has ended that is not traced yet.
    pub(crate) fn has_finished_interval(&self) -> bool {
        overflow::has_finished_interval(&self.slots)
    }

    /// Returns the next event whose interval has ended and is not traced yet.
    pub(crate) fn take_finished_interval(&mut self) -> Option<EventCount> {
        overflow::take_finished_interval(&mut self.slots)
    }

    /// Returns the running events with their counts at the last read.
    pub(crate) fn counts(&self) -> impl Iterator<Item = EventCount> + '_ {
        overflow::counts(&self.slots)
    }

    /// Returns whether an event with a modified register is to be logged.
    pub(crate) fn has_modified_event(&self) -> bool {
        self.verifier.has_modified_event()
    }

    /// Returns the next event with a modified register that is to be logged.
    pub(crate) fn take_modified_event(&mut self) -> Option<ModifiedEvent> {
        self.verifier.pop_modified_event()
    }

    /// Returns whether a modified register has ended an event that perf still has on the box.
    pub(crate) fn holds_modified_event(&self) -> bool {
        self.slots
            .iter()
            .any(|slot| !slot.binding.is_deleted() && slot.verification.modified.is_some())
    }

    /// Returns the events that cannot stay, if there are any: their registers are going or gone, or a
    /// modified register has ended them.
    pub(crate) fn leaving(&self) -> Option<Events> {
        self.slots.events(|slot| {
            let is_modified = slot.binding.event().is_some_and(OpenEvent::is_modified);
            !self.accepts(slot.binding.request()) || is_modified
        })
    }
}
