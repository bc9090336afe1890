// SPDX-License-Identifier: GPL-2.0

//! Limits of the time for which counters are frozen: those of a package by overflow interrupts, whose
//! number is limited too, and those of a box while a group starts or stops.
//!
//! While they are frozen, the events of all users count nothing. So the time is limited to a
//! share of any second, 5 percent unless the user has chosen another. Beyond it no counter
//! interrupts, and groups start and stop one event after the other.
//!
//! The driver sees only a part of the time. It sees the NMI, not the overflow before it, and adds
//! the time between the two that the self-test has found. If no NMI comes, the time begins when the
//! package is last known to have counted. So the driver uses up a third of the limit: a half of
//! that at once, which is given back at the rate of the other half. Then no counter interrupts,
//! until half of it has been given back.
//!
//! # Contexts
//!
//! Anywhere, NMI included: atomics only. Two CPUs at once may begin a window twice, which
//! allows a few more interrupts.

use crate::linux::atomic::{
    AtomicU64,
    Ordering, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

const SECOND: u64 = 1_000_000_000;

/// The share, in percent, that is no limit.
pub(crate) const NO_LIMIT: u8 = 100;

/// Longest pause after an overflow of the self-test.
const LONGEST_REST_NS: u64 = SECOND;

/// Time for which a package may be frozen at once, for each percent of the limit.
const AT_ONCE_NS: u64 = 1_600_000;

/// Time in which that time is given back.
const GIVEN_BACK_IN_NS: u64 = SECOND;

/// Longest time between two looks at the status while counters interrupt. An overflow that two of
/// them find has lost its interrupt.
pub(crate) const LONGEST_LOOK_NS: u64 = 16_000_000;

/// Shortest such time. With less time left no counter may interrupt.
const SHORTEST_LOOK_NS: u64 = 500_000;

/// Largest number of interrupts a second that one event may cause when it counts at its fastest.
pub(crate) const MOST_PER_SECOND: u64 = 20_000;

/// Window in which interrupts are counted.
const WINDOW_NS: u64 = 100_000_000;

/// Largest number of interrupts in a window: as many as one event may cause.
const MOST_NMIS: u64 = MOST_PER_SECOND * WINDOW_NS / SECOND;

/// Time for which interrupts have frozen a package, and their number, or for which groups have frozen
/// a box.
pub(crate) struct FrozenTime {
    /// Time that was used and not given back, as of `at`.
    used: AtomicU64,
    at: AtomicU64,
    nmis: Window,
    second: Window,
    /// Longest time that may be used; `None` without a limit.
    most_ns: Option<u64>,
}

/// Sum since the begin of a window, and that of the window before.
#[derive(Default)]
struct Window {
    since: AtomicU64,
    sum: AtomicU64,
    before: AtomicU64,
}

impl Window {
    /// Adds `more`, and returns the sum before that.
    fn add(&self, window_ns: u64, now: u64, more: u64) -> u64 {
        let elapsed = now.saturating_sub(self.since.load(Ordering::Relaxed));
        if elapsed >= window_ns {
            let sum = self.sum.swap(0, Ordering::Relaxed);
            let is_next = elapsed < window_ns.saturating_mul(2);
            self.before
                .store(if is_next { sum } else { 0 }, Ordering::Relaxed);
            self.since.store(now, Ordering::Relaxed);
        }
        self.sum.fetch_add(more, Ordering::Relaxed)
    }

    /// Returns the sum of the last whole window.
    fn last(&self, window_ns: u64, now: u64) -> u64 {
        let elapsed = now.saturating_sub(self.since.load(Ordering::Relaxed));
        if elapsed < window_ns {
            self.before.load(Ordering::Relaxed)
        } else if elapsed < window_ns.saturating_mul(2) {
            self.sum.load(Ordering::Relaxed)
        } else {
            0
        }
    }
}

impl FrozenTime {
    /// Creates the time of a package or box that was not frozen yet. It may be frozen for `limit`
    /// percent of any second.
    pub(crate) fn new(limit: u8) -> Self {
        Self {
            most_ns: (limit < NO_LIMIT).then_some(AT_ONCE_NS.saturating_mul(limit.into())),
            used: AtomicU64::new(0),
            at: AtomicU64::new(0),
            nmis: Window::default(),
            second: Window::default(),
        }
    }

    /// Counts an interrupt, and returns whether there are too many now. True once in a window.
    pub(crate) fn count_nmi(&self, now: u64) -> bool {
        self.nmis.add(WINDOW_NS, now, 1) == MOST_NMIS
    }

    /// Adds time for which the package or box was frozen.
    pub(crate) fn add(&self, now: u64, ns: u64) {
        self.second.add(SECOND, now, ns);
        let used = self.used(now, self.most_ns.unwrap_or(0)).saturating_add(ns);
        self.used.store(used, Ordering::Relaxed);
        self.at.store(now, Ordering::Relaxed);
    }

    /// Returns whether time is left.
    pub(crate) fn has_left(&self, now: u64) -> bool {
        self.most_ns
            .is_none_or(|most_ns| self.used(now, most_ns) < most_ns)
    }

    /// Returns the time that is used and not given back, of `most_ns`.
    #[inline(never)]
    fn used(&self, now: u64, most_ns: u64) -> u64 {
        let elapsed = now.saturating_sub(self.at.load(Ordering::Relaxed));
        let given_back = elapsed.saturating_mul(most_ns) / GIVEN_BACK_IN_NS;
        self.used.load(Ordering::Relaxed).saturating_sub(given_back)
    }

    /// Returns the time after which the status must be looked at, so that a lost interrupt does not
    /// freeze the package beyond the limit; `None` if no counter may interrupt.
    pub(crate) fn look_after(&self, now: u64) -> Option<u64> {
        let Some(most_ns) = self.most_ns else {
            return Some(LONGEST_LOOK_NS);
        };
        // An overflow is looked at twice.
        let look_after = most_ns.saturating_sub(self.used(now, most_ns)) / 2;
        (look_after >= SHORTEST_LOOK_NS).then_some(look_after.min(LONGEST_LOOK_NS))
    }

    /// Returns the time after which half of the frozen time is given back, at least as long as
    /// interrupts are counted.
    pub(crate) fn pause_ns(&self, now: u64) -> u64 {
        let pause_ns = self.most_ns.map_or(0, |most_ns| {
            let excess = self.used(now, most_ns).saturating_sub(most_ns / 2);
            excess
                .saturating_mul(GIVEN_BACK_IN_NS)
                .checked_div(most_ns)
                .unwrap_or(GIVEN_BACK_IN_NS)
        });
        pause_ns.max(WINDOW_NS)
    }

    /// Returns the time to wait after an overflow of the self-test that froze the package for `ns`:
    /// twice as long as keeps a row of such overflows within the limit.
    pub(crate) fn rest_ns(&self, ns: u64) -> u64 {
        self.most_ns.map_or(0, |most_ns| {
            let second = AT_ONCE_NS.saturating_mul(NO_LIMIT.into());
            let rest = ns.saturating_mul(2).saturating_mul(second);
            let rest = rest.checked_div(most_ns).unwrap_or(LONGEST_REST_NS);
            rest.min(LONGEST_REST_NS)
        })
    }

    /// Returns for how many thousandths of the last second the package or box was frozen.
    pub(crate) fn permille(&self, now: u64) -> u64 {
        self.second.last(SECOND, now) / (SECOND / 1000)
    }
}
