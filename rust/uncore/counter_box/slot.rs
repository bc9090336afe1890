// SPDX-License-Identifier: GPL-2.0

//! An event on its counter.
//!
//! [`Slot`] knows the registers of one counter and what was read of it; [`Slots`] finds the slot
//! of an event or a counter. Whoever calls has frozen the box where that matters.
//!
//! A counter without a control register always runs. An event on it notes where the counter is when
//! it starts, and nothing is written.
//!
//! No counter is written but that of an event with an interval, so that it overflows when the
//! interval ends: before it starts, and when it is [rearmed](Slot::rearm).

use super::super::{
    assign::MAX_COUNTERS,
    box_type::Needs,
    bus::Bus,
    event::Request,
    group::{
        Place,
        Way, //
    },
    overflow::Period,
};
use super::{
    delta,
    look::Change,
    mask,
    site::{
        Site,
        MAX_FIXED, //
    }, //
};
use kernel::prelude::*;

/// An event that has a counter.
pub(super) struct Slot {
    /// The event's number; `None` if it is gone and others still show it.
    pub(super) owner: Option<u64>,
    /// What it counts.
    pub(super) request: Request,
    /// Its counter.
    pub(super) place: Place,
    /// Whether it starts and stops with others.
    pub(super) grouped: bool,
    /// Whether it counts.
    pub(super) running: bool,
    /// Whether its control register is not 0.
    pub(super) programmed: bool,
    /// Where the counter is on which it runs, and all bits that that has.
    counter: u16,
    mask: u64,
    /// The counter when it was last read.
    last: u64,
    /// What it counted up to then and nobody has asked for yet.
    pending: u64,
    /// How much of that was counted since its registers were last found to be as written.
    unsure: u64,
    /// What it counted up to then, from the beginning.
    pub(super) total: u64,
    /// The register because of which it has ended, if it has.
    pub(super) change: Option<Change>,
    /// How far it is in its interval, if its user wants to hear of them.
    period: Option<Period>,
    /// Whether the counter was set so that it overflows when an interval ends.
    preset: bool,
    /// Whether an interval has ended since the counter was set.
    stale: bool,
    /// What it had counted when an interval was over that nobody has heard of yet.
    pub(super) ended: Option<u64>,
}

impl Slot {
    /// An event that found a place and does not count yet.
    pub(super) fn new(owner: u64, request: &Request, way: &Way, grouped: bool) -> Self {
        Self {
            owner: Some(owner),
            request: *request,
            place: way.place(),
            grouped,
            running: false,
            programmed: false,
            counter: 0,
            mask: 0,
            last: 0,
            pending: 0,
            unsure: 0,
            total: 0,
            change: None,
            period: Period::new(request.interval),
            preset: false,
            stale: false,
            ended: None,
        }
    }

    /// Gives it to another event.
    pub(super) fn begin(&mut self, owner: u64) {
        self.owner = Some(owner);
        self.total = 0;
        self.change = None;
        self.period = Period::new(self.request.interval);
        self.ended = None;
    }

    /// The least that it must count until the counter overflows, as far as is known without
    /// looking.
    pub(super) fn distance(&self, width: u8) -> u64 {
        match &self.period {
            Some(period) => period.left(),
            None => mask(width),
        }
    }

    /// Whether it counts what another one has selected.
    pub(super) fn shows_source(&self) -> bool {
        self.running && self.request.needs == Needs::SourceOnCounter0
    }

    /// Whether it counts what others may show.
    pub(super) fn is_source(&self) -> bool {
        self.request.needs == Needs::Source
    }

    /// Notes where the counter is, and has it count.
    pub(super) fn launch<B: Bus>(&mut self, site: &Site<'_, B>) -> Result {
        self.run(site, self.request.starting())
    }

    /// Has the counter stand still, and takes what it counted. A counter that was set is not left
    /// near its overflow, for the next event.
    pub(super) fn halt<B: Bus>(&mut self, site: &Site<'_, B>) -> Result {
        let at = site.registers(self)?;
        if let (Some(control), true) = (at.control, self.programmed) {
            site.bus.write(control, 0)?;
            self.programmed = false;
        }
        self.pause(site)?;
        if self.preset {
            site.bus.write_counter(at.counter, 0)?;
            self.preset = false;
        }
        Ok(())
    }

    /// Takes what the counter counted, as the last of it. Whoever calls has looked at its
    /// registers.
    pub(super) fn pause<B: Bus>(&mut self, site: &Site<'_, B>) -> Result {
        if self.running {
            self.collect(site.bus)?;
            self.vouch();
            self.running = false;
        }
        Ok(())
    }

    /// Notes a register because of which it ends, if it needs any.
    pub(super) fn note(&mut self, change: Option<Change>) {
        if self.programmed {
            self.change = self.change.or(change);
        }
    }

    /// Notes that its registers were as written when it was last read.
    pub(super) fn vouch(&mut self) {
        self.unsure = 0;
    }

    /// Has the counter stand still, and drops what it counted since its registers were as written.
    pub(super) fn drop_unsure<B: Bus>(&mut self, site: &Site<'_, B>) -> Result {
        self.pending = self.pending.wrapping_sub(self.unsure);
        self.total = self.total.wrapping_sub(self.unsure);
        self.unsure = 0;
        self.ended = None;
        self.running = false;
        self.halt(site)
    }

    /// What it counted and nobody has asked for yet.
    pub(super) fn take(&mut self) -> u64 {
        self.unsure = 0;
        core::mem::take(&mut self.pending)
    }

    /// Takes what the counter counted since it was last read.
    #[inline]
    pub(super) fn collect<B: Bus>(&mut self, bus: &B) -> Result {
        let now = bus.read_counter(self.counter)?;
        let count = delta(self.last, now, self.mask);
        self.last = now;
        self.add(count);
        Ok(())
    }

    /// Adds what was counted.
    #[inline]
    fn add(&mut self, count: u64) {
        self.pending = self.pending.wrapping_add(count);
        self.unsure = self.unsure.wrapping_add(count);
        self.total = self.total.wrapping_add(count);
        let period = self.period.as_mut();
        if period.is_some_and(|period| period.advance(count) > 0) {
            self.stale = true;
            self.ended = Some(self.total);
        }
    }

    /// Goes on counting on another general counter.
    pub(super) fn relocate<B: Bus>(&mut self, site: &Site<'_, B>, to: u8) -> Result {
        let running = self.running;
        self.halt(site)?;
        self.place = Place::General(to);
        if running {
            // The queue it looks at has been counted up to here, and is not to be cleared.
            self.run(site, 0)?;
        }
        Ok(())
    }

    /// Has the counter interrupt from now on, or not, as the site says.
    pub(super) fn switch<B: Bus>(&mut self, site: &Site<'_, B>) -> Result {
        let at = site.registers(self)?;
        let (Some(control), true) = (at.control, self.programmed) else {
            return Ok(());
        };
        if self.running && (self.preset || site.interrupts && self.period.is_some()) {
            // The counter is to be set, and so must not run.
            self.halt(site)?;
            return self.run(site, 0);
        }
        site.bus.write(control, at.counting(site.interrupts))
    }

    /// Sets a counter whose interval has ended so that it overflows at the end of the next. The
    /// counter stands still.
    pub(super) fn rearm<B: Bus>(&mut self, site: &Site<'_, B>) -> Result {
        match self.period {
            Some(period) if self.running && self.preset && self.stale => {
                self.last = site.registers(self)?.set(site.bus, &period)?;
                self.stale = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Notes where the counter is, and has it count. Its control register gets the bits of `once`
    /// with the first write.
    fn run<B: Bus>(&mut self, site: &Site<'_, B>, once: u32) -> Result {
        let at = site.registers(self)?;
        self.counter = at.counter;
        self.mask = mask(at.width);
        self.last = match self.period {
            Some(period) if site.interrupts && at.overflow_enable.is_some() => {
                self.preset = true;
                self.stale = false;
                at.set(site.bus, &period)?
            }
            _ => site.bus.read_counter(at.counter)?,
        };
        if let Some(control) = at.control {
            site.bus
                .write(control, at.counting(site.interrupts) | once)?;
            self.programmed = true;
        }
        self.running = true;
        Ok(())
    }
}

/// The events of a box: one per counter.
#[derive(Default)]
pub(super) struct Slots {
    places: [Option<Slot>; MAX_COUNTERS + MAX_FIXED],
    /// Places from here on are free, so that few are looked at where few events are.
    end: usize,
}

impl Slots {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot> {
        let used = self.places.get(..self.end).unwrap_or_default();
        used.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let used = self.places.get_mut(..self.end).unwrap_or_default();
        used.iter_mut().flatten()
    }

    /// The slot of an event.
    #[inline]
    pub(super) fn of(&mut self, owner: u64) -> Option<&mut Slot> {
        let mut slots = self.places.iter_mut().flatten();
        slots.find(|slot| slot.owner == Some(owner))
    }

    /// The slot on a general counter.
    pub(super) fn on(&mut self, counter: u8) -> Option<&mut Slot> {
        self.iter_mut()
            .find(|slot| slot.place == Place::General(counter))
    }

    /// Adds an event; the plan has made sure that there is room.
    pub(super) fn insert(&mut self, slot: Slot) {
        let mut places = (1..).zip(&mut self.places);
        if let Some((end, free)) = places.find(|(_, place)| place.is_none()) {
            *free = Some(slot);
            self.end = self.end.max(end);
        }
    }

    /// Takes out the first slot that is `wanted`.
    pub(super) fn take(&mut self, wanted: impl Fn(&Slot) -> bool) -> Option<Slot> {
        let used = self.places.get_mut(..self.end)?;
        let found = used
            .iter_mut()
            .find(|slot| slot.as_ref().is_some_and(&wanted))?
            .take();
        while let Some((None, before)) = self.places.get(..self.end)?.split_last() {
            self.end = before.len();
        }
        found
    }

    /// The slot of an event that asked for the same, is gone and still shown.
    pub(super) fn abandoned(&mut self, request: &Request) -> Option<&mut Slot> {
        let mut slots = self.iter_mut();
        slots.find(|slot| slot.owner.is_none() && slot.request == *request)
    }
}
