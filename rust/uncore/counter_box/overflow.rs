// SPDX-License-Identifier: GPL-2.0

//! Overflows of the counters of a box: interrupts, polling and intervals.
//!
//! All running counters are polled, each box at the pace of what runs on it. Counters with an
//! overflow enable bit can interrupt as well.

use super::{
    box_io::BoxIo,
    bus::Bus,
    open_event::OpenEvent,
    slots::Slots, //
};
use crate::uncore::overflow_mode::Interrupts;
use kernel::prelude::*;

/// The needs of the counters that run on a box.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Watched {
    /// Interval in nanoseconds in which the running counters must be read; `None` if none runs.
    pub(crate) poll_ns: Option<u64>,
    /// Tells whether a running counter interrupts on overflow.
    pub(crate) interrupts: bool,
}

impl Watched {
    /// Combines the results of two boxes.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            poll_ns: sooner(self.poll_ns, other.poll_ns),
            interrupts: self.interrupts || other.interrupts,
        }
    }
}

/// Returns the shorter one of two times, each of which may be missing.
pub(crate) fn sooner(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        _ => a.or(b),
    }
}

/// Returns whether a running counter interrupts on overflow.
pub(crate) fn interrupts<B: Bus>(io: &BoxIo<'_, B>, slots: &Slots) -> bool {
    io.setup.interrupts != Interrupts::Off
        && slots
            .iter()
            .any(|slot| slot.is_running() && io.interrupts_on_overflow(slot.binding.request()))
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

impl EventCount {
    /// Makes the count of an event.
    pub(crate) fn new(event: &OpenEvent, count: u64) -> Self {
        Self {
            event_id: event.id,
            config: event.request.config,
            count,
        }
    }
}

/// Returns the overflow bits of the box status register that are set; 0 if the box has no such
/// register or does not interrupt.
///
/// # Errors
///
/// Errors of the access.
pub(crate) fn read_status<B: Bus>(io: &BoxIo<'_, B>) -> Result<u32> {
    match &io.setup.kind.status {
        Some(status) if io.setup.interrupts != Interrupts::Off => {
            Ok(io.bus.read(status.offset)? & status.overflow)
        }
        _ => Ok(0),
    }
}

/// Clears these overflow bits of the box status register.
///
/// # Errors
///
/// Errors of the access.
pub(crate) fn clear_status<B: Bus>(io: &BoxIo<'_, B>, overflows: u32) -> Result {
    match &io.setup.kind.status {
        Some(status) if overflows != 0 => io.bus.write(status.offset, overflows),
        _ => Ok(()),
    }
}

/// Clears all overflow bits of the box status register. While one is set, new overflows do not
/// interrupt.
///
/// # Errors
///
/// Errors of the access.
pub(crate) fn clear_all_status<B: Bus>(io: &BoxIo<'_, B>) -> Result {
    let status = io.setup.kind.status.as_ref();
    clear_status(io, status.map_or(0, |status| status.overflow))
}

/// Clears old overflows, before the interrupts of the running counters are enabled.
///
/// # Errors
///
/// Errors of the access.
pub(crate) fn clear_old_status<B: Bus>(io: &BoxIo<'_, B>) -> Result {
    match io.setup.interrupts {
        Interrupts::Off => Ok(()),
        _ => clear_all_status(io),
    }
}

/// Presets a counter whose interval has ended for the next one. Returns whether there are more.
///
/// # Errors
///
/// Errors of the accesses.
pub(crate) fn reload<B: Bus>(io: &BoxIo<'_, B>, slots: &mut Slots) -> Result<bool> {
    let mut ended = slots.iter_mut().filter(|slot| slot.needs_reload());
    if let Some(slot) = ended.next() {
        slot.reload(io)?;
    }
    Ok(ended.next().is_some())
}
