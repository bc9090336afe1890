// SPDX-License-Identifier: GPL-2.0

//! How many interrupts of a package are too many.
//!
//! Each event's intervals have a lower limit, but many events can have the shortest, and a counter
//! can be set by somebody else. The cost is borne by a CPU that does nothing else any more. So
//! interrupts are counted by windows of [`WINDOW_NS`], and after more than [`MOST`] in one the
//! package stays frozen for [`REST_NS`]: nothing overflows then. Users lose time, not counts: what
//! the hardware has counted is all there.
//!
//! # Contexts
//!
//! [`Throttle::count`] in NMI: atomics only. Two CPUs that count at once may begin a window twice,
//! which lets a few more pass.

use super::period::MOST_PER_SECOND;
use core::sync::atomic::{
    AtomicU64,
    Ordering, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// How long interrupts are counted together.
const WINDOW_NS: u64 = 100_000_000;

/// How many there may be in that time: what one event may cause.
const MOST: u64 = MOST_PER_SECOND * WINDOW_NS / 1_000_000_000;

/// How long it is quiet after a storm.
pub(super) const REST_NS: u64 = 100_000_000;

/// Counts the interrupts of a package.
pub(super) struct Throttle {
    /// When the window began.
    since: AtomicU64,
    /// How many there were in it.
    count: AtomicU64,
}

impl Throttle {
    /// Nothing was counted.
    pub(super) const fn new() -> Self {
        Self {
            since: AtomicU64::new(0),
            count: AtomicU64::new(0),
        }
    }

    /// Counts an interrupt, and tells whether it is one too many. Said once in a window.
    pub(super) fn count(&self, now: u64) -> bool {
        let since = self.since.load(Ordering::Relaxed);
        if now.saturating_sub(since) >= WINDOW_NS {
            self.since.store(now, Ordering::Relaxed);
            self.count.store(0, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed) == MOST
    }
}
