// SPDX-License-Identifier: GPL-2.0

//! The watchdog of a package: a timer that reads counters that are to interrupt, far less often
//! than they would be polled, in case an interrupt does not come.
//!
//! It is armed when such a counter starts and fires on the CPU that counts for the package, as long
//! as one counts ([`watch`]). It also ends the rest after a storm.

use super::{
    service::Service,
    watch, //
};
use crate::linux::{
    clock,
    context::IrqsOff,
    hrtimer::{
        Again,
        Expire,
        Timer, //
    },
};
use core::{
    num::NonZeroU64,
    sync::atomic::{
        AtomicU64,
        Ordering, //
    },
};
use kernel::sync::Arc;

/// Not armed.
const NEVER: u64 = u64::MAX;

/// What the timer does.
pub(in super::super) struct Watchdog {
    service: Arc<Service>,
    /// How often counters are polled that do not interrupt.
    poll_ns: u64,
    /// When it fires next.
    due: AtomicU64,
    /// When the package has rested; [`NEVER`] while it does not.
    rested: AtomicU64,
}

impl Watchdog {
    /// For a package whose counters, if none interrupts, are to be polled that often.
    pub(super) fn new(service: &Arc<Service>, poll_ns: u64) -> Self {
        Self {
            service: service.clone(),
            poll_ns,
            due: AtomicU64::new(NEVER),
            rested: AtomicU64::new(NEVER),
        }
    }

    /// How long until it is to fire again.
    fn next(&self, now: u64) -> Option<u64> {
        let attention = self.service.check_all();
        let rest = match self.rested.load(Ordering::Relaxed) {
            NEVER => None,
            rested => Some(rested.saturating_sub(now)),
        };
        let watch = attention.watch.map(watch::interval_ns);
        let interrupts = self.service.line.interrupts();
        let poll = (attention.poll && !interrupts).then_some(self.poll_ns);
        [rest, watch, poll].into_iter().flatten().min()
    }
}

impl Expire for Watchdog {
    /// A timer whose CPU went offline can fire elsewhere, where these registers are another
    /// package's.
    fn expire(&self, here: &IrqsOff) -> Again {
        self.due.store(NEVER, Ordering::Relaxed);
        if here.cpu().logical_package() != Some(self.service.line.package) {
            return Again::Never;
        }
        let now = clock::monotonic_ns();
        if self.rested.load(Ordering::Relaxed) <= now {
            self.rested.store(NEVER, Ordering::Relaxed);
            // What overflows from here on has its NMI on the way.
            self.service.rested();
        } else {
            self.service.look(here);
        }
        let next = self.next(now).and_then(NonZeroU64::new);
        let Some(delay) = next else {
            return Again::Never;
        };
        self.due
            .store(now.saturating_add(delay.get()), Ordering::Relaxed);
        Again::After(delay)
    }
}

impl Timer<Watchdog> {
    /// Has it fire in time for a counter that can overflow after so many nanoseconds. Tells
    /// whether nothing was watched before.
    pub(super) fn attend(&self, here: &IrqsOff, wrap_ns: u64) -> bool {
        self.fire_within(here, watch::interval_ns(wrap_ns))
    }

    /// Has the package rest for so many nanoseconds.
    pub(super) fn rest(&self, here: &IrqsOff, rest_ns: u64) {
        let rested = clock::monotonic_ns().saturating_add(rest_ns);
        self.rested.store(rested, Ordering::Relaxed);
        self.fire_within(here, rest_ns);
    }

    /// Has it not fire any more.
    pub(super) fn stop(&self) {
        self.cancel();
        self.due.store(NEVER, Ordering::Relaxed);
        self.rested.store(NEVER, Ordering::Relaxed);
    }

    fn fire_within(&self, here: &IrqsOff, delay: u64) -> bool {
        let due = clock::monotonic_ns().saturating_add(delay);
        let before = self.due.load(Ordering::Relaxed);
        if due < before {
            self.due.store(due, Ordering::Relaxed);
            self.start(here, delay);
        }
        before == NEVER
    }
}
