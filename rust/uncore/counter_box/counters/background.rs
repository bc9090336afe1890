// SPDX-License-Identifier: GPL-2.0

//! All counters of one box, outside perf's callbacks: what timers, interrupts and the log need, and
//! what happens when the box or its filter registers come and go.

use super::{
    super::{
        bus::{
            Bus,
            FilterLocation,
            Unused, //
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
            reset_box,
            reset_counter,
            unreadable_fixed,
            FixedWidths, //
        },
        readback::{
            lacking_bits,
            ReadbackMask, //
        },
        slot::Slot,
        slots::{
            Events,
            SlotSet, //
        }, //
    },
    Availability,
    BoxCounters, //
};
use crate::uncore::{
    options::Tamper,
    overflow_mode::Interrupts,
    request::group::CounterIndex,
    table::{
        box_type::BoxType,
        field::{
            low_half,
            Words, //
        }, //
    }, //
};
use core::mem;
use kernel::prelude::*;

/// Number of polls of a box of which one verifies its registers.
pub(crate) const POLLS_PER_VERIFICATION: u8 = 4;

/// Part of a poll interval that a timer may be early, as it fires late the time before.
const EARLY: u64 = 16;

/// Findings about the registers of a box that the tables leave open.
pub(crate) struct Measured {
    unreadable: u8,
    widths: FixedWidths,
    lacking: Words,
    masks: ReadbackMask,
}

impl Measured {
    /// Finds it out. Nothing counts yet. Filter registers are tried if the box `has_filters` that can
    /// be used. With [`Tamper::Off`] no register need be verified.
    /// `before` is what it lacked, or had not tried.
    pub(crate) fn of<U: Unused>(
        registers: &U,
        kind: &'static BoxType,
        has_filters: bool,
        tamper: Tamper,
        before: &Words,
    ) -> Self {
        Self {
            unreadable: registers.access(|bus| unreadable_fixed(bus, kind)),
            widths: registers.access(|bus| fixed_widths(bus, kind)),
            lacking: registers.access(|bus| lacking_bits(bus, kind, has_filters.then_some(before))),
            masks: match tamper {
                Tamper::Off => ReadbackMask::default(),
                Tamper::End | Tamper::Warn => ReadbackMask::probe(registers, kind, has_filters),
            },
        }
    }
}

impl BoxCounters {
    /// Refuses new events from now on, as the box is being removed. Its events count on.
    pub(crate) fn close(&mut self) {
        if self.availability == Availability::Open {
            self.availability = Availability::Closing;
        }
    }

    /// Sets what was found out about the registers. Nothing counts yet.
    pub(crate) fn set_measured(&mut self, measured: Measured) {
        self.unreadable = measured.unreadable;
        self.setup.widths = measured.widths;
        self.setup.lacking = measured.lacking;
        self.verifier.set_masks(measured.masks);
    }

    /// Reads and stops the next event, as the box is going away. Its registers were verified. Returns
    /// whether there was one. If there was none, marks the box as failed.
    pub(crate) fn retire_next<B: Bus>(&mut self, bus: &B) -> bool {
        let stopped = self.change(bus, |this| {
            let io = this.setup.io(bus);
            let mut slots = this.slots.iter_mut();
            match slots.find(|slot| slot.is_running() || slot.is_programmed()) {
                Some(slot) => slot.stop(&io).map(|()| true),
                None => Ok(false),
            }
        });
        let stopped = stopped == Ok(true);
        if !stopped {
            self.fail();
        }
        stopped
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
        self.filters.closed = true;
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

    /// Verifies the registers of all running counters.
    pub(crate) fn verify_all<B: Bus>(&mut self, bus: &B) {
        let _ = self.attempt(|this| this.verify(bus, SlotSet::MAX));
    }

    /// Reads the running counters, so that none wraps twice between reads, if the last poll was so
    /// long before `now`, in nanoseconds. After one of [`POLLS_PER_VERIFICATION`] polls, and after one
    /// that finds that a counter has ceased to move, the next call verifies their registers instead.
    /// Returns whether it did one of the two.
    pub(crate) fn poll<B: Bus>(&mut self, bus: &B, now: u64) -> bool {
        let Some(interval_ns) = self.poll_ns() else {
            return false;
        };
        if mem::take(&mut self.verifies_next) {
            self.verify_all(bus);
            return true;
        }
        let elapsed = now.saturating_sub(self.polled_at);
        let is_due = elapsed >= interval_ns.saturating_sub(interval_ns / EARLY);
        if is_due {
            self.polled_at = now;
            self.read_all(bus);
            let read = self.slots.iter_mut().filter(|slot| slot.is_readable(bus));
            let stands = read.fold(false, |any, slot| any | slot.progress.stands_still());
            self.verifies_next = self.is_turn_to_verify() || stands;
        }
        is_due
    }

    /// Returns what runs.
    pub(crate) fn watched<B: Bus>(&self, bus: &B) -> Watched {
        Watched {
            poll_ns: self.poll_ns(),
            interrupts: self.interrupt(bus),
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
        let running = self.slots.iter().filter(|slot| slot.is_running());
        running
            .map(|slot| slot.binding.request().pace.poll_ns)
            .min()
    }

    /// Programs the registers of the events again, as all may have been lost since they were read.
    /// Events go on with the counts from before. [`tidy`](Self::tidy) resets the others.
    pub(crate) fn resume<B: Bus>(&mut self, bus: &B) {
        self.untidy = Some(0);
        self.verifier.forget_box_control();
        if self.slots.is_empty() {
            return;
        }
        let _ = self.attempt(|this| {
            if this.filters.is_usable() {
                this.filters.restore(&this.setup.io(bus), &mut this.slots)?;
            }
            let io = this.setup.io(bus);
            overflow::clear_old_status(&io)?;
            if let Some(control) = &this.setup.kind.box_control {
                bus.write(control.offset, control.freeze)?;
            }
            this.slots
                .iter_mut()
                .try_for_each(|slot| slot.restore(&io))?;
            this.setup.frozen = true;
            this.unfreeze(bus)?;
            this.setup.frozen = false;
            Ok(())
        });
    }

    /// Resets the next register that no event has, after [`resume`](Self::resume): they may hold
    /// anything. Returns whether there are more.
    pub(crate) fn tidy<B: Bus>(&mut self, bus: &B) -> bool {
        let Some(step) = self.untidy else {
            return false;
        };
        let kind = self.setup.kind;
        let counters = CounterIndex::all(kind).count();
        let filter = step.checked_sub(counters);
        self.untidy = filter
            .is_none_or(|filter| filter < kind.filters.len())
            .then_some(step.saturating_add(1));
        let _ = self.attempt(|this| {
            if let Some(counter) = CounterIndex::all(kind).nth(step) {
                let mut slots = this.slots.iter();
                return match slots.all(|slot| slot.binding.counter != counter) {
                    true => reset_counter(bus, kind, counter),
                    false => Ok(()),
                };
            }
            match filter {
                Some(filter) if filter < kind.filters.len() && this.filters.is_usable() => {
                    let io = this.setup.io(bus);
                    this.filters.clear_unused(&io, &this.slots, filter)
                }
                _ if this.slots.is_empty() => reset_box(bus, kind),
                _ => Ok(()),
            }
        });
        self.untidy.is_some()
    }

    /// Programs a counter again whose registers a sleep of the package has cleared: that of the next
    /// slot from `first` on. Its event goes on with the counts that were read before. Before the level
    /// is set that lets the counters run. Returns the slot to go on with, if there was one.
    pub(crate) fn restore_lost<B: Bus>(&mut self, bus: &B, first: usize) -> Option<usize> {
        self.setup.kind.lost_with?;
        let restored = self.attempt(|this| {
            let io = this.setup.io(bus);
            this.verifier
                .restore_next_cleared(&io, &mut this.slots, first)
        });
        restored.ok().flatten()
    }

    /// Programs all of them, if the box may lose its registers and the package has slept.
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
        let mut first = Some(0);
        while let Some(next) = first {
            let slots = &mut self.slots;
            first = self.verifier.restore_next_cleared(&io, slots, next)?;
        }
        Ok(())
    }

    /// Leaves out what the counters have counted in a sleep of this number of nanoseconds, if they may have
    /// wrapped twice, and reads the others. They were read before.
    pub(crate) fn wake<B: Bus>(&mut self, bus: &B, slept_ns: u64) {
        let wrapped = |slot: &&mut Slot| slept_ns >= slot.binding.request().pace.poll_ns;
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

    /// Takes the next step to make counters interrupt on overflow from now on, or not, and returns
    /// whether it accessed registers. If it did not, nothing is left to do. Each time the designated
    /// CPU changes, this is asked of all boxes of the package, and most have that setting already.
    #[inline]
    pub(crate) fn step_interrupts<B: Bus>(&mut self, bus: &B, interrupts: Interrupts) -> bool {
        if self.setup.interrupts == interrupts && self.unswitched == 0 {
            return false;
        }
        self.switch_interrupts(bus, interrupts)
    }

    /// Takes a step to switch the interrupts of the counters on or off: reads them, verifies their
    /// registers, switches one after the other.
    #[cold]
    fn switch_interrupts<B: Bus>(&mut self, bus: &B, interrupts: Interrupts) -> bool {
        let programmed = self.slots.set_of(Slot::is_programmed);
        let read = mem::take(&mut self.switches_next);
        if programmed == 0 || self.has_failed() {
            // An absent or failed box keeps the setting for its next start.
            self.setup.interrupts = interrupts;
            self.unswitched = 0;
            return false;
        }
        let done = self.attempt(|this| {
            if this.setup.interrupts == interrupts {
                let next = this.unswitched & this.unswitched.wrapping_neg();
                this.unswitched &= !next;
                let io = this.setup.io(bus);
                let mut slots = this.slots.of_set(next);
                slots.try_for_each(|slot| slot.switch_interrupts(&io))
            } else if read {
                // Counters that have overflowed up to here do not interrupt any more.
                this.verify(bus, SlotSet::MAX)?;
                this.setup.interrupts = interrupts;
                this.unswitched = programmed;
                overflow::clear_old_status(&this.setup.io(bus))
            } else {
                this.switches_next = true;
                this.collect(bus)
            }
        });
        done.is_ok()
    }

    /// Returns whether a running counter interrupts on overflow.
    pub(crate) fn interrupt<B: Bus>(&self, bus: &B) -> bool {
        overflow::interrupts(&self.setup.io(bus), &self.slots)
    }

    /// Handles overflows while the whole package is frozen: reads the counters if the box status
    /// shows an overflow, or in any case if `all` boxes must be read. Returns the overflows that the
    /// box status shows.
    pub(crate) fn service<B: Bus>(&mut self, bus: &B, all: bool) -> u32 {
        let mut overflows = 0;
        let _ = self.attempt(|this| {
            overflows = overflow::read_status(&this.setup.io(bus))?;
            match overflows == 0 && !all {
                true => Ok(()),
                false => this.collect(bus),
            }
        });
        overflows
    }

    /// Clears these overflows of the box status, and presets some counters whose interval has ended.
    /// Returns whether there are more of them.
    pub(crate) fn rearm<B: Bus>(&mut self, bus: &B, overflows: u32) -> bool {
        let more = self.attempt(|this| {
            let io = this.setup.io(bus);
            overflow::clear_status(&io, overflows)?;
            overflow::reload(&io, &mut this.slots)
        });
        more == Ok(true)
    }

    /// Returns whether an interval has ended that is not traced yet.
    pub(crate) fn has_finished_interval(&self) -> bool {
        let mut intervals = self.slots.iter().filter_map(|slot| slot.interval.as_ref());
        intervals.any(|interval| interval.finished.is_some())
    }

    /// Returns the next event whose interval has ended and is not traced yet, with its count at that
    /// time.
    pub(crate) fn take_finished_interval(&mut self) -> Option<EventCount> {
        self.slots.iter_mut().find_map(|slot| {
            let event = slot.binding.event()?;
            let count = slot.interval.as_mut()?.finished.take()?;
            Some(EventCount::new(event, count))
        })
    }

    /// Returns the running events with their counts at the last read.
    pub(crate) fn counts(&self) -> impl Iterator<Item = EventCount> + '_ {
        let running = self.slots.iter().filter(|slot| slot.is_running());
        running.filter_map(|slot| Some(EventCount::new(slot.binding.event()?, slot.progress.total)))
    }

    /// Returns whether an event with a modified register is to be logged.
    pub(crate) fn has_modified_event(&self) -> bool {
        self.verifier.modified.any()
    }

    /// Returns whether there is something to be logged.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        self.has_modified_event() || self.has_reached_limit()
    }

    /// Returns the next event with a modified register that is to be logged.
    pub(crate) fn take_modified_event(&mut self) -> Option<ModifiedEvent> {
        self.verifier.modified.pop()
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
