// SPDX-License-Identifier: GPL-2.0

//! Registers that another tool or firmware has modified, and the events that need them.
//!
//! Plain data: [`verify`](super::verify) fills it in. A reader who only wants to know how an event
//! counts can skip both files.

use super::bus::{
    write_control,
    Bus, //
};
use crate::uncore::{
    request::assign::MAX_EVENTS,
    table::{
        box_type::{
            Control,
            Place, //
        },
        field::low_half, //
    }, //
};
use kernel::prelude::*;

/// A register of a box, by its place in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Register {
    /// The control register of a counter.
    Control(u16),
    /// A filter register.
    Filter(Place),
    /// The box control register.
    BoxControl(u16),
    /// The register of a counter.
    Counter(u16),
}

/// A register that does not hold what the driver wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ModifiedRegister {
    pub(crate) register: Register,
    /// The value that the driver wrote, or read of a counter before.
    pub(crate) written: u64,
    /// The value that was read back.
    pub(crate) found: u64,
}

impl ModifiedRegister {
    /// Compares the bits of `mask`; returns `None` if they are equal.
    pub(crate) fn compare(register: Register, written: u64, found: u64, mask: u64) -> Option<Self> {
        ((written ^ found) & mask != 0).then_some(Self {
            register,
            written,
            found,
        })
    }

    /// Returns whether it is the register of a counter.
    pub(crate) fn is_counter(&self) -> bool {
        matches!(self.register, Register::Counter(_))
    }

    /// Writes a control register as the driver wrote it before. Registers of other kinds were
    /// restored when they were found modified.
    pub(crate) fn restore_control<B: Bus>(&self, bus: &B, layout: &Control) -> Result {
        match self.register {
            Register::Control(at) => write_control(bus, layout, at, low_half(self.written)),
            Register::Filter(_) | Register::BoxControl(_) | Register::Counter(_) => Ok(()),
        }
    }
}

/// Longest time in milliseconds after which a register is not verified before it is written. A
/// modified register can spoil so long a part of a count unseen.
pub(crate) const LONGEST_UNVERIFIED_MS: u64 = 100;

/// Verification state of one event.
#[derive(Default)]
pub(crate) struct Verification {
    /// Counts that timers and interrupts have read since the registers of the event were last
    /// verified.
    pub(crate) unverified: u64,
    /// Time in milliseconds at which the registers of the event were last written or verified.
    pub(crate) checked_at_ms: u64,
    /// The modified register that ended the event.
    pub(crate) modified: Option<ModifiedRegister>,
}

impl Verification {
    /// Returns the time in milliseconds since the registers of the event were last written or
    /// verified.
    pub(crate) fn unverified_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.checked_at_ms)
    }

    /// Adds counts that are not verified yet.
    #[inline]
    pub(crate) fn add(&mut self, count: u64) {
        self.unverified = self.unverified.wrapping_add(count);
    }

    /// Accepts the counts up to now.
    #[inline]
    pub(crate) fn accept(&mut self) {
        self.unverified = 0;
    }

    /// Records a modified register that ends the event, unless another one has ended it before.
    pub(crate) fn record(&mut self, register: Option<ModifiedRegister>) {
        self.modified = self.modified.or(register);
    }
}

/// An event that needs a modified register.
#[derive(Clone, Copy)]
pub(crate) struct ModifiedEvent {
    /// The user's `config`, without the interval.
    pub(crate) config: u64,
    pub(crate) register: ModifiedRegister,
    pub(crate) cause: Cause,
}

/// Cause of a modified register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Another tool or firmware, which may have `ended` the event.
    Tool { ended: bool },
    /// A sleep of the package, or another tool: both clear the register and the level that lets
    /// counters run. The event counts on.
    Sleep,
}

/// Events with a modified register that are not logged yet. There is room for all events that a box
/// can have at a time. While it is full, no more events are recorded.
#[derive(Default)]
pub(crate) struct ModifiedEvents {
    events: [Option<ModifiedEvent>; MAX_EVENTS],
    any: bool,
}

impl ModifiedEvents {
    /// Returns whether there is an event to log.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// Adds an event.
    pub(crate) fn record(&mut self, event: ModifiedEvent) {
        if let Some(free) = self.events.iter_mut().find(|entry| entry.is_none()) {
            *free = Some(event);
            self.any = true;
        }
    }

    /// Removes and returns an event.
    pub(crate) fn pop(&mut self) -> Option<ModifiedEvent> {
        let event = self.events.iter_mut().find_map(Option::take);
        self.any = self.events.iter().any(Option::is_some);
        event
    }
}
