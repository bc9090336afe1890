// SPDX-License-Identifier: GPL-2.0

//! Decides when the overflow interrupts of a package are too many.
//!
//! The interval of one event has a lower limit, but many events can have the shortest interval, and
//! another tool can set a counter. The CPU that takes the interrupts would do nothing else. So the
//! driver counts the interrupts of a package, and adds up the time in which it services them. After
//! too many interrupts in a window ([`COUNTED`]), or too much time in another one ([`TIMED`]), the
//! package stays frozen for [`THROTTLE_NS`], so that no counter overflows. Users lose time, not
//! counts.
//!
//! # Contexts
//!
//! Anywhere, NMI included: atomics only. Two CPUs at the same time may begin a window twice, which
//! allows a few more interrupts.

use crate::{
    linux::atomic::{
        AtomicU64,
        Ordering, //
    },
    uncore::request::interval::MOST_PER_SECOND, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Largest sum in a window of time.
struct Limit {
    window_ns: u64,
    most: u64,
}

/// Limit of the number of interrupts: as many as one event may cause.
const COUNTED: Limit = {
    let window_ns = 100_000_000;
    Limit {
        window_ns,
        most: MOST_PER_SECOND * window_ns / 1_000_000_000,
    }
};

/// Limit of the time in nanoseconds: half of the window.
const TIMED: Limit = Limit {
    window_ns: 1_000_000_000,
    most: 500_000_000,
};

/// Time that a throttled package stays frozen.
pub(crate) const THROTTLE_NS: u64 = 100_000_000;

/// Sum since the begin of a window.
struct Window {
    since: AtomicU64,
    sum: AtomicU64,
}

impl Window {
    const fn new() -> Self {
        Self {
            since: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    /// Adds `more`, and returns whether the sum exceeds the limit by that. True once in a window.
    fn add(&self, limit: &Limit, now: u64, more: u64) -> bool {
        let since = self.since.load(Ordering::Relaxed);
        if now.saturating_sub(since) >= limit.window_ns {
            self.since.store(now, Ordering::Relaxed);
            self.sum.store(0, Ordering::Relaxed);
        }
        let before = self.sum.fetch_add(more, Ordering::Relaxed);
        before <= limit.most && before.saturating_add(more) > limit.most
    }
}

/// Number and time of the interrupts of a package.
pub(crate) struct Throttle {
    counted: Window,
    timed: Window,
}

impl Throttle {
    /// Creates the throttle of a package without interrupts.
    pub(crate) const fn new() -> Self {
        Self {
            counted: Window::new(),
            timed: Window::new(),
        }
    }

    /// Counts an interrupt, and returns whether there are too many now.
    pub(crate) fn count(&self, now: u64) -> bool {
        self.counted.add(&COUNTED, now, 1)
    }

    /// Adds the time for which an interrupt has kept the package frozen, and returns whether the
    /// time is too long now.
    pub(crate) fn add_time(&self, now: u64, ns: u64) -> bool {
        self.timed.add(&TIMED, now, ns)
    }
}
