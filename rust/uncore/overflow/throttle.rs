// SPDX-License-Identifier: GPL-2.0

//! How many interrupts of a package are too many.
//!
//! Each event's intervals have a lower limit, but many events can have the shortest, and a counter
//! can be set by somebody else. The cost is borne by a CPU that does nothing else any more. So
//! interrupts are counted, and the time that seeing to them takes is added up. After too many in a
//! [`COUNTED`] window, or too long in a [`TIMED`] one, the package stays frozen for [`REST_NS`]:
//! nothing overflows then. Users lose time, not counts: what the hardware has counted is all there.
//!
//! # Contexts
//!
//! Anywhere, NMI included: atomics only. Two CPUs at once may begin a window twice, which lets a
//! few more pass.

use super::period::MOST_PER_SECOND;
use core::sync::atomic::{
    AtomicU64,
    Ordering, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// How much there may be in so many nanoseconds.
struct Limit {
    window_ns: u64,
    most: u64,
}

/// Interrupts: what one event may cause.
const COUNTED: Limit = {
    let window_ns = 100_000_000;
    Limit {
        window_ns,
        most: MOST_PER_SECOND * window_ns / 1_000_000_000,
    }
};

/// Nanoseconds: half of the time.
const TIMED: Limit = Limit {
    window_ns: 1_000_000_000,
    most: 500_000_000,
};

/// How long it is quiet after a storm.
pub(super) const REST_NS: u64 = 100_000_000;

/// What there was since a window began.
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

    /// Adds so much, and tells whether that has made it too much. Said once in a window.
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

/// Counts and times the interrupts of a package.
pub(super) struct Throttle {
    counted: Window,
    timed: Window,
}

impl Throttle {
    /// There was nothing.
    pub(super) const fn new() -> Self {
        Self {
            counted: Window::new(),
            timed: Window::new(),
        }
    }

    /// Counts an interrupt, and tells whether it is one too many.
    pub(super) fn count(&self, now: u64) -> bool {
        self.counted.add(&COUNTED, now, 1)
    }

    /// Adds nanoseconds for which an interrupt has had the package stand still, and tells whether
    /// that is too long.
    pub(super) fn spend(&self, now: u64, ns: u64) -> bool {
        self.timed.add(&TIMED, now, ns)
    }
}
