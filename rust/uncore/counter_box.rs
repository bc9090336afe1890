// SPDX-License-Identifier: GPL-2.0

//! One box: which event counts where, and the register accesses that make it so.
//!
//! Changes come in batches, as perf makes them. The box is frozen before the first change of a
//! group's event in a batch and released when the batch ends, so that the events of a group start
//! and stop together. A frozen box misses traffic for all its events: an event that is in no group
//! is started and stopped by its control register alone, and others that count do not notice. A
//! box without a control register (only a global freeze would stop it) is never frozen.
//!
//! Order of accesses: filters before the control word that needs them; a control word is written
//! as a whole, whatever the register holds; what stops counting gets a control word of 0, so that
//! nothing of one event is left for the next. What was written is [looked](look) at before it is
//! given up, and from time to time, in case somebody else has changed it.
//!
//! Caller: holds the box's lock, on a CPU that reaches the registers. No allocation. The first
//! access that fails makes the box [failed](CounterBox::has_failed): it is not touched any more,
//! counts end with what was read before, and nothing can be added. Filters in a function of their
//! own can be [lost](CounterBox::lose_filters) while the box stays: the same then is true of the
//! events that need them.

use super::{
    assign::bit,
    box_type::{
        BoxType,
        Needs, //
    },
    bus::Bus,
    count::{
        delta,
        mask, //
    },
    event::{
        Counters,
        Request, //
    },
    group::{
        Place,
        Plan,
        Way, //
    },
};
use kernel::prelude::*;

mod filters;
mod kept;
mod look;
mod overflow;
mod site;
mod slot;
#[cfg(KUNIT_SUITES)]
mod tests;

use self::{
    filters::Bank,
    kept::Kept,
    look::Tamperings,
    site::Widths,
    slot::{
        Slot,
        Slots, //
    }, //
};
pub(super) use self::{
    filters::Reach,
    look::{
        Change,
        Register,
        Tampered, //
    },
    overflow::Attention,
    site::measure, //
};

/// What counts on a box.
pub(super) struct CounterBox {
    kind: &'static BoxType,
    plan: Plan,
    slots: Slots,
    filters: Bank,
    /// Between perf's disable and enable.
    batch: bool,
    frozen: bool,
    failed: bool,
    /// Whether it is about to go.
    closed: bool,
    /// Whether counters are to interrupt when they overflow.
    interrupts: bool,
    /// The fixed counters that cannot be read, as a bit mask.
    unreadable: u8,
    widths: Widths,
    kept: Kept,
    tamperings: Tamperings,
}

impl CounterBox {
    /// A box that was just reset, with filter registers there. Its counters do not interrupt.
    pub(super) fn new(kind: &'static BoxType, filters: Reach) -> impl Init<Self> {
        init!(Self {
            kind,
            plan: Plan::new(kind),
            slots: Slots::default(),
            filters: Bank::new(filters),
            batch: false,
            frozen: false,
            failed: false,
            closed: false,
            interrupts: false,
            unreadable: 0,
            widths: Widths::default(),
            kept: Kept::default(),
            tamperings: Tamperings::default(),
        })
    }

    /// A box that is not there: nothing can be added.
    pub(super) fn absent(kind: &'static BoxType) -> impl Init<Self> {
        Self::new(kind, Reach::Missing).chain(|this| {
            this.failed = true;
            Ok(())
        })
    }

    /// Whether an access has failed, or the box is not there.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Whether a fixed counter cannot be read.
    pub(super) fn lacks_fixed(&self, index: u8) -> bool {
        self.unreadable & bit(index) != 0
    }

    /// Lets nothing be added any more, as the box is about to go. What counts counts on.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// A batch of changes begins.
    pub(super) fn begin(&mut self) {
        self.batch = true;
    }

    /// The batch is over: the box runs again.
    pub(super) fn end<B: Bus>(&mut self, bus: &B) {
        self.batch = false;
        let _ = self.attempt(|this| this.thaw(bus));
    }

    /// Gives an event its counter and filters; it does not count yet. An event that is `grouped`
    /// is to start and stop with others.
    ///
    /// # Errors
    ///
    /// [`EAGAIN`] if counters or filters are taken by others for now, [`ENODEV`] if the box has
    /// failed or lacks filters or a counter that the event needs, or is about to.
    pub(super) fn add<B: Bus>(
        &mut self,
        bus: &B,
        owner: u64,
        request: &Request,
        grouped: bool,
    ) -> Result {
        if self.failed || self.closed || !self.can_filter(request) {
            return Err(ENODEV);
        }
        if let Counters::Fixed(index) = request.on {
            if self.lacks_fixed(index) {
                return Err(ENODEV);
            }
        }
        if let Some(slot) = self.slots.abandoned(request) {
            slot.begin(owner);
            return Ok(());
        }
        let way = self.plan.find(self.kind, request).map_err(|_| EAGAIN)?;
        self.change(bus, |this| this.make_way(bus, &way, grouped))
            .map_err(|_| ENODEV)?;
        self.plan.take(request, &way);
        self.slots.insert(Slot::new(owner, request, &way, grouped));
        Ok(())
    }

    /// Lets an event count from now on.
    ///
    /// # Errors
    ///
    /// [`ENODEV`] if it does not: the box has failed, filters that the event needs are lost, or it
    /// has ended because of a [change](look).
    pub(super) fn start<B: Bus>(&mut self, bus: &B, owner: u64) -> Result {
        self.change(bus, |this| {
            this.release_idle(bus, owner)?;
            this.freeze_for(bus, owner)?;
            this.program_filters(bus, owner)?;
            this.launch(bus, owner)
        })
        .map_err(|_| ENODEV)?;
        match self.slots.of(owner) {
            Some(slot) if slot.running => Ok(()),
            _ => Err(ENODEV),
        }
    }

    /// Stops an event; what it counted is kept for [`take_count`](Self::take_count).
    pub(super) fn stop<B: Bus>(&mut self, bus: &B, owner: u64) {
        let _ = self.change(bus, |this| this.halt(bus, owner));
    }

    /// Stops an event and takes it off the box, as [`free`](Self::free) does.
    pub(super) fn remove<B: Bus>(&mut self, bus: &B, owner: u64) -> u64 {
        self.stop(bus, owner);
        self.free(bus, owner)
    }

    /// Takes an event that is stopped off the box and gives what it counted since it was last
    /// asked.
    pub(super) fn free<B: Bus>(&mut self, bus: &B, owner: u64) -> u64 {
        let count = self.take_count(owner);
        if let Some(slot) = self.slots.of(owner) {
            slot.owner = None;
        }
        let _ = self.change(bus, |this| this.settle(bus));
        self.free_abandoned();
        count
    }

    /// What an event counted since it was last asked.
    #[inline(always)]
    pub(super) fn read<B: Bus>(&mut self, bus: &B, owner: u64) -> u64 {
        let Some(slot) = self.slots.of(owner) else {
            return 0;
        };
        // Of a failed box nothing runs.
        let failed = slot.running && slot.collect(bus).is_err();
        let count = slot.take();
        if failed {
            self.fail();
        }
        count
    }

    /// Stops everything, with counts up to now, and marks the box as failed: it is going away.
    pub(super) fn retire<B: Bus>(&mut self, bus: &B) {
        let _ = self.change(bus, |this| {
            this.look(bus, |_| true)?;
            let site = this.site(bus);
            let mut slots = this.slots.iter_mut();
            slots.try_for_each(|slot| slot.halt(&site))
        });
        self.fail();
    }

    /// Makes changes; without a batch they are one.
    fn change<B: Bus>(&mut self, bus: &B, f: impl FnOnce(&mut Self) -> Result) -> Result {
        self.attempt(|this| {
            f(this)?;
            if this.batch {
                return Ok(());
            }
            this.thaw(bus)
        })
    }

    /// Does something with the registers; a failure is the end of the box.
    fn attempt(&mut self, f: impl FnOnce(&mut Self) -> Result) -> Result {
        if self.failed {
            return Err(ENODEV);
        }
        let result = f(self);
        if result.is_err() {
            self.fail();
        }
        result
    }

    /// From now on the registers are left alone.
    #[cold]
    fn fail(&mut self) {
        self.failed = true;
        for slot in self.slots.iter_mut() {
            slot.running = false;
        }
    }

    /// Releases a box of which nothing counts that can be frozen, before this event does: somebody
    /// may have frozen it, and nobody has looked. For one in a group it is released in any case.
    fn release_idle<B: Bus>(&mut self, bus: &B, owner: u64) -> Result {
        let site = self.site(bus);
        let is_idle = !self.frozen && !self.slots.iter().any(|slot| slot.programmed);
        let freezes = self
            .slots
            .of(owner)
            .is_some_and(|slot| !slot.grouped && site.is_controlled(slot));
        match &self.kind.box_control {
            Some(control) if is_idle && freezes => bus.write(control.offset, control.unfreeze),
            _ => Ok(()),
        }
    }

    /// Freezes the box for a change of this event, if it is in a group.
    fn freeze_for<B: Bus>(&mut self, bus: &B, owner: u64) -> Result {
        match self.slots.of(owner) {
            Some(slot) if slot.grouped => self.freeze(bus),
            _ => Ok(()),
        }
    }

    /// Freezes the box, unless it is already.
    fn freeze<B: Bus>(&mut self, bus: &B) -> Result {
        if let (Some(control), false) = (&self.kind.box_control, self.frozen) {
            self.look_before_freeze(bus)?;
            bus.write(control.offset, control.freeze)?;
            self.frozen = true;
        }
        Ok(())
    }

    /// Releases the box if it is frozen.
    fn thaw<B: Bus>(&mut self, bus: &B) -> Result {
        if let (Some(control), true) = (&self.kind.box_control, self.frozen) {
            bus.write(control.offset, control.unfreeze)?;
            self.frozen = false;
        }
        Ok(())
    }

    /// Moves events to other counters, without losing what they count.
    fn make_way<B: Bus>(&mut self, bus: &B, way: &Way, grouped: bool) -> Result {
        let Way::General(path) = way else {
            return Ok(());
        };
        if path.is_free() {
            return Ok(());
        }
        let mut moves = path.moves();
        if moves.any(|(from, _)| grouped || self.slots.on(from).is_some_and(|slot| slot.grouped)) {
            self.freeze(bus)?;
        }
        let is_moved = |slot: &Slot| {
            let mut moves = path.moves();
            moves.any(|(from, _)| slot.place == Place::General(from))
        };
        self.look(bus, is_moved)?;
        for (from, to) in path.moves() {
            let site = self.site(bus);
            if let Some(slot) = self.slots.on(from) {
                slot.relocate(&site, to)?;
            }
        }
        Ok(())
    }

    /// Has an event count that does not, if it can have its filters and what it shows, and has not
    /// ended.
    fn launch<B: Bus>(&mut self, bus: &B, owner: u64) -> Result {
        if self.slots.of(owner).is_some_and(|slot| slot.programmed) {
            // Others have shown it all the time.
            self.look(bus, Slot::shows_source)?;
        }
        let filters = !self.lacks_filters();
        let source = !self.has_tampered_source();
        let site = self.site(bus);
        let can_have = |request: &Request| {
            (filters || request.filters.is_empty())
                && (source || request.needs != Needs::SourceOnCounter0)
        };
        match self.slots.of(owner) {
            Some(slot) if !slot.running && slot.change.is_none() && can_have(&slot.request) => {
                slot.launch(&site)
            }
            _ => Ok(()),
        }
    }

    /// Stops an event. What others show of it stays selected while they count.
    fn halt<B: Bus>(&mut self, bus: &B, owner: u64) -> Result {
        if !self.slots.of(owner).is_some_and(|slot| slot.running) {
            return Ok(());
        }
        self.freeze_for(bus, owner)?;
        self.look(bus, |slot| slot.owner == Some(owner))?;
        let shown = self.slots.iter().any(Slot::shows_source);
        let site = self.site(bus);
        match self.slots.of(owner) {
            Some(slot) if shown && slot.is_source() => slot.pause(&site)?,
            Some(slot) => slot.halt(&site)?,
            None => {}
        }
        self.settle(bus)
    }

    /// Clears the control words of sources that are stopped, once nobody shows them any more.
    fn settle<B: Bus>(&mut self, bus: &B) -> Result {
        if self.slots.iter().any(Slot::shows_source) {
            return Ok(());
        }
        let site = self.site(bus);
        let slots = self.slots.iter_mut();
        let mut lingering = slots.filter(|slot| slot.programmed && !slot.running);
        lingering.try_for_each(|slot| slot.halt(&site))
    }

    /// Gives back the places of events that are gone and no longer shown.
    fn free_abandoned(&mut self) {
        let failed = self.failed;
        let abandoned = |slot: &Slot| slot.owner.is_none() && (failed || !slot.programmed);
        while let Some(slot) = self.slots.take(abandoned) {
            self.plan.release(&slot.request, slot.place);
        }
    }

    /// What an event counted since it was last asked, of what was read.
    fn take_count(&mut self, owner: u64) -> u64 {
        self.slots.of(owner).map_or(0, Slot::take)
    }
}
