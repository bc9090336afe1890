// SPDX-License-Identifier: GPL-2.0

//! Events of a box that move to another CPU of the package.
//!
//! Perf deletes an event on the old CPU and adds it on the new one. The registers are those of the
//! package, so that nothing in them need change. An event that perf deletes meanwhile is read, and
//! keeps its counter, which counts on. It goes on where it was when perf adds it again. No register
//! is written, so that nothing can hide a modified one, and none is verified.
//!
//! Events that perf has not added until all have moved are stopped then. A counter that may belong to
//! a core is stopped and started, as the event continues on another one.

use super::{
    super::{
        bus::Bus,
        open_event::OpenEvent,
        slot::Events, //
    },
    BoxCounters, //
};

impl BoxCounters {
    /// Lets the events that perf deletes count on, until the end of the move.
    pub(crate) fn begin_move(&mut self) {
        self.moving = true;
    }

    /// Stops the events that perf has deleted and not added again. The caller drops them once the
    /// lock is released, as it may have the last reference.
    pub(crate) fn end_move<B: Bus>(&mut self, bus: &B) -> Option<Events> {
        self.moving = false;
        let left = self.slots.events(|slot| slot.kept)?;
        for event in left.iter().flatten() {
            self.remove(bus, event);
            // Perf did not count the time since it has deleted the event.
            event.reading.take();
        }
        Some(left)
    }

    /// Takes a deleted event off its counter. While the events move it is read, and stays.
    pub(crate) fn delete<B: Bus>(&mut self, bus: &B, event: &OpenEvent) {
        if !self.moving || !self.keep(bus, event) {
            self.remove(bus, event);
        }
    }

    /// Reads a deleted event that stays on its counter, and returns whether it does.
    fn keep<B: Bus>(&mut self, bus: &B, event: &OpenEvent) -> bool {
        let slot = self.slots.of(event).filter(|slot| slot.runs_everywhere());
        let Some(slot) = slot else {
            return false;
        };
        slot.kept = true;
        let read = slot.collect(bus);
        self.attempt(|_| read).is_ok()
    }

    /// Goes on with an event that has stayed on its counter, and returns whether it has.
    pub(crate) fn take_back<B: Bus>(&mut self, bus: &B, event: &OpenEvent) -> bool {
        if !self.moving {
            return false;
        }
        let Some(slot) = self.slots.of(event).filter(|slot| slot.kept) else {
            return false;
        };
        slot.kept = false;
        slot.binding.grouped = event.is_grouped();
        if !slot.running {
            // It was stopped meanwhile, as its registers were going.
            self.remove(bus, event);
            return false;
        }
        true
    }

    /// Returns whether an event runs that perf is about to start, as it has stayed on its counter.
    pub(super) fn has_stayed(&mut self, event: &OpenEvent) -> bool {
        self.moving && self.slots.of(event).is_some_and(|slot| slot.running)
    }
}
