// SPDX-License-Identifier: GPL-2.0

//! Batches of changes, and events that perf deletes in one and adds again.
//!
//! Perf changes events between `pmu_disable` and `pmu_enable`. When a user opens or enables an event,
//! and when events take turns, perf deletes all events of the PMU on that CPU and adds those again
//! that are to count. Most of them come back. So a deleted event counts on:
//!
//! - If perf adds it again in the batch, it has its counter still. No register is accessed, and the
//!   box is not frozen for it.
//! - If another event needs its counter, or another value of its filters, it stops then.
//! - If it has not come back when the batch ends, it stops then.
//!
//! No register is written of an event that comes back, so that nothing can hide a modified one, and
//! none is verified.
//!
//! # Counts and times
//!
//! Perf holds the lock of the context from before the batch until after it, and its clock for the
//! events stands still meanwhile. Then it goes on with the time of the batch in it, or without, by
//! the kernel's release. So an event that comes back has run in the batch by perf's times, or the
//! batch is too short to matter, and what it counts is its own.
//!
//! An event that does not come back is read for the last time as it stops, which is before perf lets
//! go of the lock: nobody has seen its count in between, and what it counts later is nobody's. By
//! perf's times it has run until the batch began, and another event that gets its counter has run
//! since then, though it starts only when the counter is free. So the one counts a part of the batch
//! too much at its end, as it has counted this part too little at its begin.
//!
//! # Moves
//!
//! Perf moves events to another CPU of the package with a batch for each that it deletes on the old
//! CPU, and a batch for each that it adds on the new one. The registers are those of the package. So
//! an event that is deleted alone, in a batch that adds none, is read and keeps its counter beyond
//! the batch. It goes on where it was when perf adds it on the new CPU: perf's times have stood still.
//! In all other batches meanwhile events stop as above, and events that have not come to the new CPU
//! until all have moved stop then. A counter that may belong to a core is stopped and started, as the
//! event continues on another one.

use super::{
    super::{
        bus::Bus,
        open_event::OpenEvent,
        slot::Slot,
        slots::{
            each,
            slot_bit,
            Events,
            SlotSet, //
        }, //
    },
    Availability,
    BoxCounters, //
};
use crate::uncore::request::{
    group::Assignment,
    Request, //
};
use core::mem;

impl BoxCounters {
    /// Begins a batch of changes.
    pub(crate) fn begin(&mut self) {
        self.batch = true;
    }

    /// Makes changes of a batch. It goes on while the box is frozen.
    pub(crate) fn in_batch<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.begin();
        let result = f(self);
        self.batch = self.setup.frozen;
        result
    }

    /// Ends the batch: stops the events that perf has deleted and not added again, and unfreezes the
    /// box. Calls `settle` with each of these events; their counts are pending. Returns for how many
    /// nanoseconds groups have frozen the box.
    pub(crate) fn end<B: Bus>(&mut self, bus: &B, settle: impl Fn(&OpenEvent)) -> u64 {
        self.begin();
        let has_added = mem::take(&mut self.has_added);
        let moves = self.moving && !has_added;
        let mut found = self.slots.find(0, Slot::has_left);
        while let Some(index) = found {
            let kept = moves && self.keep(bus, index);
            let gone = |event: &OpenEvent| {
                event.go();
                settle(event);
            };
            if !kept {
                self.remove_at(bus, index, gone);
            } else if let Some(event) = self.slots.event(index) {
                gone(event);
            }
            found = self.slots.find(index.saturating_add(1), Slot::has_left);
        }
        self.batch = false;
        if self.setup.frozen {
            let _ = self.attempt(|this| this.unfreeze(bus));
        }
        mem::take(&mut self.frozen_ns)
    }

    /// Lets the events that perf deletes alone count on, until the end of the move.
    pub(crate) fn begin_move(&mut self) {
        self.moving = true;
        self.has_added = false;
    }

    /// Returns whether [`end`](Self::end) has something to do, even if perf has deleted no event.
    #[inline]
    pub(crate) fn is_unfinished(&self) -> bool {
        self.setup.frozen || self.moving && self.has_added
    }

    /// Stops the events that perf has deleted and not added again. The caller drops them once the
    /// lock is released, as it may have the last reference.
    pub(crate) fn end_move<B: Bus>(&mut self, bus: &B) -> Option<Events> {
        self.moving = false;
        let left = self.slots.events(|slot| slot.kept)?;
        left.iter()
            .flatten()
            .for_each(|event| self.abandon(bus, event));
        Some(left)
    }

    /// Returns whether perf moves the events to another CPU.
    #[inline]
    pub(crate) fn is_moving(&self) -> bool {
        self.moving
    }

    /// Returns whether an event that comes back may count on without a look at the box.
    pub(crate) fn is_steady(&self) -> bool {
        self.availability == Availability::Open && !self.filters.closed && !self.moving
    }

    /// Goes on with an event that perf has deleted and adds again, and returns whether it counts on.
    /// If it has not `left` in this batch, it goes on if perf has `moved` it.
    #[inline(never)]
    pub(crate) fn take_back<B: Bus>(
        &mut self,
        bus: &B,
        event: &OpenEvent,
        left: bool,
        moved: impl FnOnce() -> bool,
        settle: impl Fn(&OpenEvent),
    ) -> bool {
        self.has_added = true;
        let Some(slot) = self.slots.of(event) else {
            return false;
        };
        let (running, kept) = (slot.is_running(), mem::take(&mut slot.kept));
        if running && (left || kept && moved()) && self.accepts(&event.request) {
            return true;
        }
        if kept {
            self.abandon(bus, event);
        } else {
            self.remove(bus, event);
            settle(event);
        }
        false
    }

    /// Reads a deleted event that stays on its counter, and returns whether it does.
    fn keep<B: Bus>(&mut self, bus: &B, index: usize) -> bool {
        let slot = self.slots.at(index).filter(|slot| slot.runs_everywhere());
        let Some(slot) = slot else {
            return false;
        };
        slot.kept = true;
        let read = slot.collect(bus);
        self.attempt(|_| read).is_ok()
    }

    /// Stops an event that was kept. Perf did not count the time since it has deleted the event.
    fn abandon<B: Bus>(&mut self, bus: &B, event: &OpenEvent) {
        self.remove(bus, event);
        event.reading.take();
    }

    /// Stops deleted events, as few as leave room for another event, and returns its counter. If there
    /// is no room without all of them, none is stopped.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room<B: Bus>(
        &mut self,
        bus: &B,
        request: &Request,
        settle: impl Fn(&OpenEvent),
    ) -> Option<Assignment> {
        let mut going = self.slots.set_of(Slot::may_go);
        let moves = self.moves_without(going, request)?;
        for index in each(going) {
            let fewer = going & !slot_bit(index);
            // No other event moves if that can be avoided.
            let more = self.moves_without(fewer, request);
            if more.is_some_and(|more| more <= moves) {
                going = fewer;
            }
        }
        for index in each(going) {
            self.remove_at(bus, index, |event| match event.come_back() {
                true => settle(event),
                false => drop(event.reading.take()),
            });
        }
        self.allocation.find(self.setup.kind, request).ok()
    }

    /// Returns how many other events move if an event is added once the `going` ones are gone; `None`
    /// if it cannot be added then.
    fn moves_without(&mut self, going: SlotSet, request: &Request) -> Option<usize> {
        let mut rest = self.allocation;
        for slot in self.slots.of_set(going) {
            rest.release(slot.binding.request(), slot.binding.counter);
        }
        match rest.find(self.setup.kind, request).ok()? {
            Assignment::General(path) => Some(path.moves().count()),
            Assignment::Fixed(_) => Some(0),
        }
    }
}
