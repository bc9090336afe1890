// SPDX-License-Identifier: GPL-2.0

//! Overflows of the counters of a box: interrupts, polling and intervals.
//!
//! A counter without an overflow enable bit is always polled. The other counters interrupt if the
//! package does; then only a watchdog reads them, far less often.

use super::{
    bus::Bus,
    count::wrap_ns,
    slot::{
        BoxIo,
        Slot,
        Slots, //
    }, //
};
use kernel::prelude::*;

/// Timers that a box needs so that no overflow is missed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct WatchNeeds {
    /// Tells whether counters must be polled.
    pub(crate) poll: bool,
    /// Shortest time, in nanoseconds, in which a counter that interrupts can overflow; `None` if no
    /// counter interrupts.
    pub(crate) wrap_ns: Option<u64>,
}

impl WatchNeeds {
    /// Combines two needs.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            poll: self.poll || other.poll,
            wrap_ns: match (self.wrap_ns, other.wrap_ns) {
                (Some(one), Some(another)) => Some(one.min(another)),
                (one, another) => one.or(another),
            },
        }
    }

    /// Returns the needs of all running events.
    pub(crate) fn of_all<B: Bus>(io: &BoxIo<'_, B>, slots: &Slots) -> Self {
        slots
            .iter()
            .filter(|slot| slot.running)
            .fold(Self::default(), |needs, slot| needs.and(Self::of(io, slot)))
    }

    /// Returns the needs of one event.
    fn of<B: Bus>(io: &BoxIo<'_, B>, slot: &Slot) -> Self {
        if !io.interrupts_on_overflow(&slot.binding) {
            return Self {
                poll: true,
                wrap_ns: None,
            };
        }
        let width = io.registers(&slot.binding).map_or(0, |at| at.width);
        let (clock_mhz, increment) = (io.kind.max_clock_mhz, slot.binding.request.increment);
        Self {
            poll: false,
            wrap_ns: Some(wrap_ns(slot.distance(width), clock_mhz, increment)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EventCount {
    /// Number of the event.
    pub(crate) event_id: u64,
    /// The user's `config`, without the interval.
    pub(crate) config: u64,
    /// Counts since the event was opened.
    pub(crate) count: u64,
}

/// Returns the overflow bits of the box status register that are set; 0 if the box has no such
/// register or does not interrupt.
///
/// # Errors
///
/// Errors of the access.
pub(crate) fn read_status<B: Bus>(io: &BoxIo<'_, B>) -> Result<u32> {
    match &io.kind.status {
        Some(status) if io.interrupts => Ok(io.bus.read(status.offset)? & status.overflow),
        _ => Ok(0),
    }
}

/// Clears these overflow bits of the box status register.
///
/// # Errors
///
/// Errors of the access.
pub(crate) fn clear_status<B: Bus>(io: &BoxIo<'_, B>, overflows: u32) -> Result {
    match &io.kind.status {
        Some(status) if overflows != 0 => io.bus.write(status.offset, overflows),
        _ => Ok(()),
    }
}

/// Enables or disables the interrupts of all counters, as the box is set. Old overflows are cleared
/// first: while their status bits are set, new overflows do not interrupt.
///
/// # Errors
///
/// Errors of the accesses.
pub(crate) fn switch_interrupts<B: Bus>(io: &BoxIo<'_, B>, slots: &mut Slots) -> Result {
    if io.interrupts {
        let all = io.kind.status.as_ref().map_or(0, |status| status.overflow);
        clear_status(io, all)?;
    }
    slots
        .iter_mut()
        .try_for_each(|slot| slot.switch_interrupts(io))
}

/// Presets the counters whose interval has ended for the next one.
///
/// # Errors
///
/// Errors of the accesses.
pub(crate) fn reload<B: Bus>(io: &BoxIo<'_, B>, slots: &mut Slots) -> Result {
    slots.iter_mut().try_for_each(|slot| slot.reload(io))
}

/// Returns whether an interval has ended that is not traced yet.
pub(crate) fn has_finished_interval(slots: &Slots) -> bool {
    slots
        .iter()
        .filter_map(|slot| slot.interval.as_ref())
        .any(|interval| interval.finished.is_some())
}

/// Returns the next event whose interval has ended and is not traced yet, with its count at that
/// time.
pub(crate) fn take_finished_interval(slots: &mut Slots) -> Option<EventCount> {
    slots.iter_mut().find_map(|slot| {
        let event_id = slot.binding.event_id?;
        let count = slot.interval.as_mut()?.finished.take()?;
        Some(EventCount {
            event_id,
            config: slot.binding.request.config,
            count,
        })
    })
}

/// Returns the running events with their counts at the last read.
pub(crate) fn counts(slots: &Slots) -> impl Iterator<Item = EventCount> + '_ {
    slots.iter().filter(|slot| slot.running).filter_map(|slot| {
        Some(EventCount {
            event_id: slot.binding.event_id?,
            config: slot.binding.request.config,
            count: slot.reading.total,
        })
    })
}
