// SPDX-License-Identifier: GPL-2.0

//! Counters of a box that overflow: with an interrupt, or read in time.
//!
//! A counter without a bit to have it interrupt is polled in any case. The others interrupt if the
//! package does ([`CounterBox::set_interrupts`]); then a watchdog reads them, far less often.

use super::{
    super::{
        bus::Bus,
        count::wrap_ns, //
    },
    kept::Kept,
    site::{
        measure,
        unreadable,
        Site, //
    },
    CounterBox,
    Slot, //
};
use kernel::prelude::*;

/// What must be done so that no overflow of a box is missed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in super::super) struct Attention {
    /// Counters must be polled.
    pub(in super::super) poll: bool,
    /// Counters interrupt: the shortest time, in nanoseconds, in which one can overflow.
    pub(in super::super) watch: Option<u64>,
}

impl Attention {
    /// What must be done for both.
    pub(in super::super) fn and(self, other: Self) -> Self {
        Self {
            poll: self.poll || other.poll,
            watch: match (self.watch, other.watch) {
                (Some(one), Some(another)) => Some(one.min(another)),
                (one, another) => one.or(another),
            },
        }
    }
}

/// An event of which an interval is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Ended {
    /// The event's number.
    pub(in super::super) owner: u64,
    /// The user's `config`, without the interval.
    pub(in super::super) config: u64,
    /// What it had counted.
    pub(in super::super) count: u64,
}

impl CounterBox {
    /// Finds out what is not certain of the registers. Nothing counts yet.
    pub(in super::super) fn measure<B: Bus>(&mut self, bus: &B) {
        self.unreadable = unreadable(bus, self.kind);
        self.widths = measure(bus, self.kind);
        self.kept = Kept::find(bus, self.kind, self.filters.reach);
    }

    /// Has counters interrupt from now on when they overflow, or not.
    pub(in super::super) fn set_interrupts<B: Bus>(&mut self, bus: &B, interrupts: bool) {
        if self.interrupts == interrupts {
            return;
        }
        // A box that is not there remembers it for later.
        let _ = self.attempt(|this| {
            // Of what has overflowed up to here nobody will be told, and while the status is set
            // nobody would be told of more.
            this.check(bus, |_| true)?;
            this.interrupts = interrupts;
            if let (Some(status), true) = (&this.kind.status, interrupts) {
                bus.write(status.offset, status.overflow)?;
            }
            let site = this.site(bus);
            let mut slots = this.slots.iter_mut();
            slots.try_for_each(|slot| slot.switch(&site))
        });
        self.interrupts = interrupts;
    }

    /// Whether counters interrupt when they overflow.
    pub(in super::super) fn interrupts(&self) -> bool {
        self.interrupts
    }

    /// Notes that an event had counted so much before it was added.
    pub(in super::super) fn credit(&mut self, owner: u64, count: u64) {
        if let Some(slot) = self.slots.of(owner) {
            slot.total = count;
        }
    }

    /// What must be done so that no overflow is missed.
    pub(in super::super) fn attention<B: Bus>(&self, bus: &B) -> Attention {
        let site = self.site(bus);
        let running = self.slots.iter().filter(|slot| slot.running);
        running.fold(Attention::default(), |attention, slot| {
            attention.and(attention_of(&site, slot))
        })
    }

    /// Reads the counters that count and do not interrupt, so that none can wrap twice unseen, and
    /// looks at their registers. Tells whether there are any.
    pub(in super::super) fn poll<B: Bus>(&mut self, bus: &B) -> bool {
        let site = self.site(bus);
        let is_polled = |slot: &Slot| slot.running && !site.is_told(slot);
        if !self.slots.iter().any(is_polled) {
            return false;
        }
        let _ = self.attempt(|this| this.check(bus, is_polled));
        true
    }

    /// Reads all counters that count.
    pub(in super::super) fn read_all<B: Bus>(&mut self, bus: &B) {
        let _ = self.attempt(|this| this.collect(bus, |_| true));
    }

    /// The same, and looks at their registers.
    pub(in super::super) fn check_all<B: Bus>(&mut self, bus: &B) {
        let _ = self.attempt(|this| this.check(bus, |_| true));
    }

    /// Sees to counters that have overflowed, while all of the package stand still: reads them,
    /// clears the box status, sets those anew whose interval has ended. If the box status tells of
    /// no overflow, only if `all` are said to have; tells whether it does.
    pub(in super::super) fn service<B: Bus>(&mut self, bus: &B, all: bool) -> bool {
        let mut told = false;
        let _ = self.attempt(|this| {
            let own = match (&this.kind.status, this.interrupts) {
                (Some(status), true) => bus.read(status.offset)? & status.overflow,
                _ => 0,
            };
            told = own != 0;
            if !told && !all {
                return Ok(());
            }
            this.collect(bus, |_| true)?;
            if let (Some(status), true) = (&this.kind.status, own != 0) {
                bus.write(status.offset, own)?;
            }
            let site = this.site(bus);
            let mut slots = this.slots.iter_mut();
            slots.try_for_each(|slot| slot.rearm(&site))
        });
        told
    }

    /// Whether an interval of some event is over and nobody has heard of it yet.
    pub(in super::super) fn has_ended(&self) -> bool {
        self.slots.iter().any(|slot| slot.ended.is_some())
    }

    /// The next event of which an interval is over, if nobody has heard of it yet.
    pub(in super::super) fn take_ended(&mut self) -> Option<Ended> {
        self.slots.iter_mut().find_map(|slot| {
            Some(Ended {
                owner: slot.owner?,
                config: slot.request.config,
                count: slot.ended.take()?,
            })
        })
    }

    /// The events that count, with their counts when they were last read.
    pub(in super::super) fn counts(&self) -> impl Iterator<Item = Ended> + '_ {
        let running = self.slots.iter().filter(|slot| slot.running);
        running.filter_map(|slot| {
            Some(Ended {
                owner: slot.owner?,
                config: slot.request.config,
                count: slot.total,
            })
        })
    }

    /// Takes what some of the counters that count have counted.
    fn collect<B: Bus>(&mut self, bus: &B, wanted: impl Fn(&Slot) -> bool) -> Result {
        let slots = self.slots.iter_mut();
        let mut wanted = slots.filter(|slot| slot.running && wanted(slot));
        wanted.try_for_each(|slot| slot.collect(bus))
    }

    /// The same, and looks at what these events need.
    fn check<B: Bus>(&mut self, bus: &B, wanted: impl Fn(&Slot) -> bool) -> Result {
        self.collect(bus, &wanted)?;
        self.look(bus, wanted)
    }

    /// The box for one operation.
    pub(super) fn site<'a, B: Bus>(&self, bus: &'a B) -> Site<'a, B> {
        Site {
            bus,
            kind: self.kind,
            interrupts: self.interrupts,
            widths: self.widths,
        }
    }
}

/// What must be done so that no overflow of a counter is missed.
fn attention_of<B: Bus>(site: &Site<'_, B>, slot: &Slot) -> Attention {
    if !site.is_told(slot) {
        return Attention {
            poll: true,
            watch: None,
        };
    }
    let width = site.registers(slot).map_or(0, |at| at.width);
    let (clock, increment) = (site.kind.max_clock_mhz, slot.request.increment);
    Attention {
        poll: false,
        watch: Some(wrap_ns(slot.distance(width), clock, increment)),
    }
}
