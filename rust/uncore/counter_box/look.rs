// SPDX-License-Identifier: GPL-2.0

//! Registers that somebody else has changed, and the events that end because of it.
//!
//! Other tools, firmware and whoever may write MSRs reach the same registers. A look reads back
//! what the events need that it is for: their control registers, the filter registers they use, the
//! box control register; and for an event that shows what another one selects, what that one needs.
//! [`Kept`](super::kept::Kept) says which bits are compared. Counters are not looked at: what they
//! hold is the hardware's.
//!
//! What an event has counted since the last look that found all well is not certain until the next
//! one. If that finds a change, it is dropped, unless somebody has read it meanwhile, and all
//! events that need the register have ended: their control registers are 0, they cannot be started
//! again. Registers that others may need as well are written anew. Each event that has ended is
//! noted with the register, for whoever has it named.
//!
//! There is a look when a timer reads the counters ([`CounterBox::poll`],
//! [`CounterBox::check_all`]), and before anything is written that would hide a change: when an
//! event stops, moves, or is switched, when a box is frozen, when a filter gets another value. None
//! when a user reads: that costs no more than reading the counter.

use super::{
    super::{
        assign::MAX_COUNTERS,
        bus::Bus, //
    },
    filters::{
        uses,
        Reach, //
    },
    site::MAX_FIXED,
    CounterBox,
    Slot, //
};
use kernel::prelude::*;

/// A register of a box, by its offset in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Register {
    /// The control register of a counter.
    Control(u16),
    /// A filter register.
    Filter(u16),
    /// The box control register.
    BoxControl(u16),
}

/// A register that is not as it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Change {
    /// Which one.
    pub(in super::super) register: Register,
    /// What was written.
    pub(in super::super) written: u32,
    /// What it holds.
    pub(in super::super) found: u32,
}

impl Change {
    /// Compares some bits of what was written and what is read.
    pub(super) fn between(register: Register, written: u32, found: u32, bits: u32) -> Option<Self> {
        ((written ^ found) & bits != 0).then_some(Self {
            register,
            written,
            found,
        })
    }
}

/// An event that has ended because of a change.
#[derive(Clone, Copy)]
pub(in super::super) struct Tampered {
    /// The user's `config`, without the interval.
    pub(in super::super) config: u64,
    /// The change.
    pub(in super::super) change: Change,
}

/// Events that have ended and are not yet named. There is room for all that a box can have at a
/// time; while it is full, no more are noted.
#[derive(Default)]
pub(super) struct Tamperings {
    events: [Option<Tampered>; MAX_COUNTERS + MAX_FIXED],
    any: bool,
}

impl Tamperings {
    fn note(&mut self, tampered: Tampered) {
        if let Some(free) = self.events.iter_mut().find(|place| place.is_none()) {
            *free = Some(tampered);
            self.any = true;
        }
    }

    fn take(&mut self) -> Option<Tampered> {
        let taken = self.events.iter_mut().find_map(Option::take);
        self.any = self.events.iter().any(Option::is_some);
        taken
    }
}

impl CounterBox {
    /// Whether events have ended because of a change and are not yet named.
    pub(in super::super) fn has_tampered(&self) -> bool {
        self.tamperings.any
    }

    /// The next event that has ended because of a change and is not yet named.
    pub(in super::super) fn take_tampered(&mut self) -> Option<Tampered> {
        self.tamperings.take()
    }

    /// Whether this event has ended because of a change.
    pub(in super::super) fn is_tampered(&mut self, owner: u64) -> bool {
        let slot = self.slots.of(owner);
        slot.is_some_and(|slot| slot.change.is_some())
    }

    /// Whether an event has that perf still has on the box.
    pub(in super::super) fn holds_tampered(&self) -> bool {
        let mut slots = self.slots.iter();
        slots.any(|slot| slot.owner.is_some() && slot.change.is_some())
    }

    /// Whether what others may show is selected by an event that has ended.
    pub(super) fn has_tampered_source(&self) -> bool {
        let mut slots = self.slots.iter();
        slots.any(|slot| slot.is_source() && slot.change.is_some())
    }

    /// Looks at what the wanted events need of those that count, which were just read.
    pub(super) fn look<B: Bus>(&mut self, bus: &B, wanted: impl Fn(&Slot) -> bool) -> Result {
        let wanted = |slot: &Slot| slot.running && wanted(slot);
        let shown = self
            .slots
            .iter()
            .any(|slot| wanted(slot) && slot.shows_source());
        let needed = |slot: &Slot| slot.programmed && (wanted(slot) || shown && slot.is_source());
        self.look_at_controls(bus, needed)?;
        self.look_at_filters(bus, needed)?;
        self.look_at_box(bus, needed)?;
        self.end_tampered(bus)?;
        let slots = self.slots.iter_mut();
        slots.filter(|slot| wanted(slot)).for_each(Slot::vouch);
        Ok(())
    }

    /// The same for what all events need of the box control register, before it is written.
    pub(super) fn look_before_freeze<B: Bus>(&mut self, bus: &B) -> Result {
        self.look_at_box(bus, |slot| slot.programmed)?;
        self.end_tampered(bus)
    }

    fn look_at_controls<B: Bus>(&mut self, bus: &B, needed: impl Fn(&Slot) -> bool) -> Result {
        let site = self.site(bus);
        for slot in self.slots.iter_mut().filter(|slot| needed(slot)) {
            let bits = self.kept.of_control(slot);
            let at = site.registers(slot)?;
            if let (Some(control), true) = (at.control, bits != 0) {
                let (written, found) = (at.counting(site.interrupts), bus.read(control)?);
                slot.change = Change::between(Register::Control(control), written, found, bits);
            }
        }
        Ok(())
    }

    fn look_at_filters<B: Bus>(&mut self, bus: &B, needed: impl Fn(&Slot) -> bool) -> Result {
        let kind = self.kind;
        for (at, &bits) in kind.filters.iter().zip(&self.kept.filters) {
            let is_user = |slot: &Slot| uses(kind, &slot.request, at);
            let is_needed = |slot: &Slot| needed(slot) && is_user(slot);
            if bits == 0 || !self.slots.iter().any(is_needed) {
                continue;
            }
            match self.filters.look(bus, kind, at, bits) {
                Ok(None) => {}
                Ok(change) => {
                    let users = self.slots.iter_mut().filter(|slot| is_user(slot));
                    users.for_each(|slot| slot.note(change));
                }
                Err(_) if self.filters.reach == Reach::Apart => {
                    self.filters.reach = Reach::Missing;
                    return self.halt_filtered(bus);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// A box that is frozen by its batch was looked at when that froze it.
    fn look_at_box<B: Bus>(&mut self, bus: &B, needed: impl Fn(&Slot) -> bool) -> Result {
        let Some(at) = &self.kind.box_control else {
            return Ok(());
        };
        let bits = self.kept.box_control;
        if self.frozen || bits == 0 || !self.slots.iter().any(needed) {
            return Ok(());
        }
        let (written, found) = (self.kept.released, bus.read(at.offset)? & bits);
        let change = Change::between(Register::BoxControl(at.offset), written, found, bits);
        if change.is_some() {
            bus.write(at.offset, at.unfreeze)?;
            self.slots.iter_mut().for_each(|slot| slot.note(change));
        }
        Ok(())
    }

    /// Ends the events that need what was changed, and those that show what such an event selects.
    fn end_tampered<B: Bus>(&mut self, bus: &B) -> Result {
        let site = self.site(bus);
        let of_source = self.slots.iter().find_map(|slot| {
            let change = slot.change.filter(|_| slot.programmed);
            change.filter(|_| slot.is_source())
        });
        for slot in self.slots.iter_mut().filter(|slot| slot.programmed) {
            if slot.shows_source() {
                slot.note(of_source);
            }
            let Some(change) = slot.change else {
                continue;
            };
            if slot.owner.is_some() {
                let config = slot.request.config;
                self.tamperings.note(Tampered { config, change });
            }
            slot.drop_unsure(&site)?;
        }
        Ok(())
    }
}
