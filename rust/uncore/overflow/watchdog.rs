// SPDX-License-Identifier: GPL-2.0

//! The watchdog of a package: a timer that looks for overflows without an interrupt.
//!
//! A lost interrupt leaves all counters of the package frozen. If the global status is lost as
//! well, the counter goes on, and must be read before it wraps again. So the watchdog reads the
//! counters that interrupt, in half the shortest time in which a running one could wrap: not more
//! often than every [`SHORTEST_NS`], and at least every [`LONGEST_NS`], since the package may be
//! frozen.
//!
//! The watchdog is armed when such a counter starts, and fires on the designated CPU as long as one
//! counts. It also unfreezes a throttled package. If a counter starts on a CPU that is no longer
//! the designated one, its events are about to move: the first that starts on the new CPU arms the
//! timer there.

use super::service::Service;
use crate::{
    linux::{
        atomic::{
            AtomicU64,
            Ordering, //
        },
        clock,
        context::IrqsOff,
        hrtimer::{
            Again,
            Expire,
            Timer, //
        }, //
    },
    uncore::cpu_cell::CpuCell, //
};
use core::num::NonZeroU64;
use kernel::sync::Arc;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Time that never comes.
const NEVER: u64 = u64::MAX;

/// Shortest interval of the watchdog.
const SHORTEST_NS: u64 = 100_000_000;

/// Longest interval of the watchdog.
const LONGEST_NS: u64 = 60_000_000_000;

/// Interval of the watchdog while a running counter can wrap in `wrap_ns`.
fn interval_ns(wrap_ns: u64) -> u64 {
    (wrap_ns / 2).clamp(SHORTEST_NS, LONGEST_NS)
}

/// State of the watchdog.
pub(crate) struct Watchdog {
    service: Arc<Service>,
    /// Interval in which counters are read if they do not interrupt.
    poll_ns: u64,
    /// Time at which the timer fires next; [`NEVER`] if it is stopped.
    due: AtomicU64,
    /// CPU on which the timer is armed.
    armed: CpuCell,
    /// Time at which the package is unfrozen; [`NEVER`] unless it is throttled.
    throttled_until: AtomicU64,
}

impl Watchdog {
    /// Creates the watchdog of a package. It reads the counters every `poll_ns` if they do not
    /// interrupt.
    pub(crate) fn new(service: &Arc<Service>, poll_ns: u64) -> Self {
        Self {
            service: service.clone(),
            poll_ns,
            due: AtomicU64::new(NEVER),
            armed: CpuCell::new(),
            throttled_until: AtomicU64::new(NEVER),
        }
    }

    /// Reads all counters, and returns the time until the timer must fire again.
    fn next(&self, now: u64) -> Option<u64> {
        let watch_needs = self.service.check_all();
        let unthrottle = match self.throttled_until.load(Ordering::Relaxed) {
            NEVER => None,
            until => Some(until.saturating_sub(now)),
        };
        let watch = watch_needs.wrap_ns.map(interval_ns);
        let interrupts = self.service.pmi.interrupts();
        let poll = (watch_needs.poll && !interrupts).then_some(self.poll_ns);
        [unthrottle, watch, poll].into_iter().flatten().min()
    }
}

impl Expire for Watchdog {
    /// Looks for overflows, or unfreezes a throttled package. A timer whose CPU went offline can
    /// fire on a CPU of another package, where the registers are those of that package.
    fn expire(&self, here: &IrqsOff) -> Again {
        self.due.store(NEVER, Ordering::Relaxed);
        if here.cpu().logical_package() != Some(self.service.pmi.package) {
            return Again::Never;
        }
        let now = clock::monotonic_ns();
        if self.throttled_until.load(Ordering::Relaxed) <= now {
            self.throttled_until.store(NEVER, Ordering::Relaxed);
            // An overflow from here on sends its own NMI.
            self.service.unthrottle();
        } else {
            self.service.catch_missed(here);
        }
        let Some(delay) = self.next(now).and_then(NonZeroU64::new) else {
            return Again::Never;
        };
        self.due
            .store(now.saturating_add(delay.get()), Ordering::Relaxed);
        Again::After(delay)
    }
}

impl Timer<Watchdog> {
    /// Arms the watchdog for a counter that can overflow after `wrap_ns`. Returns whether it was
    /// stopped before.
    pub(crate) fn arm(&self, here: &IrqsOff, wrap_ns: u64) -> bool {
        self.fire_within(here, interval_ns(wrap_ns))
    }

    /// Unfreezes the throttled package after `delay_ns`.
    pub(crate) fn unthrottle_after(&self, here: &IrqsOff, delay_ns: u64) {
        let until = clock::monotonic_ns().saturating_add(delay_ns);
        self.throttled_until.store(until, Ordering::Relaxed);
        self.fire_within(here, delay_ns);
    }

    /// Stops the watchdog, and ends a throttling.
    pub(crate) fn stop(&self) {
        self.cancel();
        self.due.store(NEVER, Ordering::Relaxed);
        self.throttled_until.store(NEVER, Ordering::Relaxed);
    }

    /// Makes the timer fire on this CPU within `delay_ns`. Returns whether it was stopped before.
    fn fire_within(&self, here: &IrqsOff, delay_ns: u64) -> bool {
        let now = clock::monotonic_ns();
        let before = self.due.load(Ordering::Relaxed);
        let due = now.saturating_add(delay_ns);
        if due < before {
            self.due.store(due, Ordering::Relaxed);
            self.start_here(here, delay_ns);
        } else if !self.armed.is(here.cpu()) {
            self.start_here(here, before.saturating_sub(now));
        }
        before == NEVER
    }

    /// Starts the timer on this CPU.
    fn start_here(&self, here: &IrqsOff, delay_ns: u64) {
        self.armed.set(Some(here.cpu()));
        self.start(here, delay_ns);
    }
}
