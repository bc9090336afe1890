// SPDX-License-Identifier: GPL-2.0

//! The counters of a box, with events that the suites number.

use crate::uncore::{
    counter_box::{
        bus::{
            Bus,
            FilterLocation, //
        },
        counters::BoxCounters,
        open_event::OpenEvent,
        reach::Reach, //
    },
    options::Tamper,
    request::Request,
    table::box_type::BoxType,
};
use core::ops::{
    Deref,
    DerefMut, //
};
use kernel::{
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

/// The counters of a box. They are too large for the stack.
pub(crate) struct Numbered {
    counters: KBox<BoxCounters>,
    /// The box that readers without the lock find: none, as the suites read by the fake registers.
    reach: Arc<Reach>,
    /// The last event with each number.
    events: KVec<Arc<OpenEvent>>,
}

impl Numbered {
    /// Makes the counters of a box that was just reset.
    pub(crate) fn new(kind: &'static BoxType, filters: FilterLocation<()>) -> Result<Self> {
        Ok(Self {
            counters: KBox::init(BoxCounters::new(kind, filters), GFP_KERNEL)?,
            reach: Reach::absent(Tamper::End)?,
            events: KVec::new(),
        })
    }

    /// Returns the last event with this number.
    pub(crate) fn event(&self, id: u64) -> Option<&Arc<OpenEvent>> {
        self.events.iter().rev().find(|event| event.id == id)
    }

    /// Opens and adds an event.
    pub(crate) fn add<B: Bus>(
        &mut self,
        bus: &B,
        id: u64,
        request: &Request,
        grouped: bool,
    ) -> Result {
        let reach = self.reach.clone();
        let event = OpenEvent::new(id, *request, 0, self.kind(), reach);
        if grouped {
            event.set_grouped();
        }
        let event: Arc<OpenEvent> = UniqueArc::new(event, GFP_KERNEL)?.into();
        self.counters.add(bus, event.clone(), |_| ())?;
        Ok(self.events.push(event, GFP_KERNEL)?)
    }

    /// Adds an event that was removed.
    pub(crate) fn add_again<B: Bus>(&mut self, bus: &B, id: u64) -> Result {
        let event = self.event(id).ok_or(ENODEV)?.clone();
        self.counters.add(bus, event, |_| ())
    }

    /// Ends a batch of changes.
    pub(crate) fn end<B: Bus>(&mut self, bus: &B) {
        let _ = self.counters.end(bus, |_| ());
    }

    /// Starts an event.
    pub(crate) fn start<B: Bus>(&mut self, bus: &B, id: u64) -> Result {
        let event = self.event(id).ok_or(ENODEV)?.clone();
        self.counters.start(bus, &event)
    }

    /// Stops an event.
    pub(crate) fn stop<B: Bus>(&mut self, bus: &B, id: u64) {
        if let Some(event) = self.event(id).cloned() {
            self.counters.stop(bus, &event);
        }
    }

    /// Removes an event, and returns its counts since the last read.
    pub(crate) fn remove<B: Bus>(&mut self, bus: &B, id: u64) -> u64 {
        let event = self.event(id).cloned();
        event.map_or(0, |event| {
            self.counters.remove(bus, &event);
            event.reading.take()
        })
    }

    /// Returns the counts of an event since the last read.
    pub(crate) fn read<B: Bus>(&mut self, bus: &B, id: u64) -> u64 {
        let event = self.event(id).cloned();
        event.map_or(0, |event| {
            event.read_with(bus).unwrap_or_else(|error| {
                if error != EAGAIN {
                    self.counters.fail();
                }
                event.reading.take()
            })
        })
    }

    /// Notes the count that an event had before it was added.
    pub(crate) fn credit(&mut self, id: u64, count: u64) {
        if let Some(event) = self.event(id).cloned() {
            self.counters.credit(&event, count);
        }
    }

    /// Returns whether a modified register has ended an event.
    pub(crate) fn is_modified(&self, id: u64) -> bool {
        self.event(id).is_some_and(|event| event.is_modified())
    }

    /// Returns whether a register of an event was found modified, and the event counts on.
    pub(crate) fn is_warned(&self, id: u64) -> bool {
        self.event(id).is_some_and(|event| event.is_warned())
    }
}

impl Deref for Numbered {
    type Target = BoxCounters;

    fn deref(&self) -> &BoxCounters {
        &self.counters
    }
}

impl DerefMut for Numbered {
    fn deref_mut(&mut self) -> &mut BoxCounters {
        &mut self.counters
    }
}
