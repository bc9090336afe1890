// SPDX-License-Identifier: GPL-2.0

//! An event on its counter.
//!
//! [`Slot`] knows the registers of one counter and what was read of it; [`Slots`] finds the slot
//! of an event or a counter. Whoever calls has frozen the box where that matters.
//!
//! A counter without a control register always runs. An event on it notes where the counter is when
//! it starts, and nothing is written.

use super::super::{
    assign::MAX_COUNTERS,
    box_type::{
        BoxType,
        Needs, //
    },
    bus::Bus,
    event::Request,
    group::{
        Place,
        Way, //
    },
};
use super::delta;
use kernel::prelude::*;

/// The most fixed counters a box can have; tables are checked for it.
const MAX_FIXED: usize = 4;

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
    /// The counter when it was last read.
    last: u64,
    /// What it counted up to then and nobody has asked for yet.
    pub(super) pending: u64,
}

/// The registers of a counter.
struct Registers {
    control: Option<u16>,
    /// What enables it, whatever it counts.
    enable: Option<u32>,
    counter: u16,
    width: u8,
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
            last: 0,
            pending: 0,
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
    pub(super) fn launch<B: Bus>(&mut self, bus: &B, kind: &BoxType) -> Result {
        self.run(bus, kind, self.request.starting(kind))
    }

    /// Has the counter stand still, and takes what it counted.
    pub(super) fn halt<B: Bus>(&mut self, bus: &B, kind: &BoxType) -> Result {
        let at = self.registers(kind)?;
        if let (Some(control), true) = (at.control, self.programmed) {
            bus.write(control, 0)?;
            self.programmed = false;
        }
        self.pause(bus, kind)
    }

    /// Takes what the counter counted, as the last of it.
    pub(super) fn pause<B: Bus>(&mut self, bus: &B, kind: &BoxType) -> Result {
        if self.running {
            self.collect(bus, kind)?;
            self.running = false;
        }
        Ok(())
    }

    /// Takes what the counter counted since it was last read.
    pub(super) fn collect<B: Bus>(&mut self, bus: &B, kind: &BoxType) -> Result {
        let at = self.registers(kind)?;
        let now = bus.read_counter(at.counter)?;
        let count = delta(self.last, now, at.width);
        self.pending = self.pending.wrapping_add(count);
        self.last = now;
        Ok(())
    }

    /// Goes on counting on another general counter.
    pub(super) fn relocate<B: Bus>(&mut self, bus: &B, kind: &BoxType, to: u8) -> Result {
        let running = self.running;
        self.halt(bus, kind)?;
        self.place = Place::General(to);
        if running {
            // The queue it looks at has been counted up to here, and is not to be cleared.
            self.run(bus, kind, self.request.enabled(kind))?;
        }
        Ok(())
    }

    /// Notes where the counter is, and has it count with this in a general control register.
    fn run<B: Bus>(&mut self, bus: &B, kind: &BoxType, word: u32) -> Result {
        let at = self.registers(kind)?;
        self.last = bus.read_counter(at.counter)?;
        if let Some(control) = at.control {
            bus.write(control, at.enable.unwrap_or(word))?;
            self.programmed = true;
        }
        self.running = true;
        Ok(())
    }

    fn registers(&self, kind: &BoxType) -> Result<Registers> {
        match self.place {
            Place::General(index) => {
                let at = kind.counters.get(usize::from(index)).ok_or(ENODEV)?;
                Ok(Registers {
                    control: Some(at.control),
                    enable: None,
                    counter: at.counter,
                    width: kind.width,
                })
            }
            Place::Fixed(index) => {
                let at = kind.fixed.get(usize::from(index)).ok_or(ENODEV)?;
                let control = at.control.as_ref();
                Ok(Registers {
                    control: control.map(|control| control.offset),
                    enable: control.map(|control| control.enable),
                    counter: at.counter,
                    width: at.width,
                })
            }
        }
    }
}

/// The events of a box: one per counter.
#[derive(Default)]
pub(super) struct Slots([Option<Slot>; MAX_COUNTERS + MAX_FIXED]);

impl Slots {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.0.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.0.iter_mut().flatten()
    }

    /// The slot of an event.
    pub(super) fn of(&mut self, owner: u64) -> Option<&mut Slot> {
        self.iter_mut().find(|slot| slot.owner == Some(owner))
    }

    /// The slot on a general counter.
    pub(super) fn on(&mut self, counter: u8) -> Option<&mut Slot> {
        self.iter_mut()
            .find(|slot| slot.place == Place::General(counter))
    }

    /// Adds an event; the plan has made sure that there is room.
    pub(super) fn insert(&mut self, slot: Slot) {
        if let Some(free) = self.0.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(slot);
        }
    }

    /// Takes out the first slot that is `wanted`.
    pub(super) fn take(&mut self, wanted: impl Fn(&Slot) -> bool) -> Option<Slot> {
        self.0
            .iter_mut()
            .find(|slot| slot.as_ref().is_some_and(&wanted))?
            .take()
    }

    /// Gives an event the slot of one that asked for the same, is gone and still shown.
    pub(super) fn adopt(&mut self, owner: u64, request: &Request) -> bool {
        let mut slots = self.iter_mut();
        match slots.find(|slot| slot.owner.is_none() && slot.request == *request) {
            Some(slot) => {
                slot.owner = Some(owner);
                true
            }
            None => false,
        }
    }
}
