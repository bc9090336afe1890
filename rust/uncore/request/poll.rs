// SPDX-License-Identifier: GPL-2.0

//! Polling: how often the counter of an event must be read, so that it never wraps twice unseen, and
//! what it can count between two reads.
//!
//! Pure arithmetic; no registers, no allocation.

use crate::uncore::table::field::mask;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Number of polls in the shortest time in which a counter can wrap.
const MARGIN: u64 = 4;

/// Longest time between two polls, even if the counter wraps much later.
const LONGEST_NS: u64 = 60_000_000_000;

/// Most poll intervals between two reads: a timer may be a little early, and then reads the counter
/// when it fires for the second time.
const LATEST: u64 = 2;

/// Largest range of a counter that is read.
const WIDEST: u64 = (1 << 48) - 1;

/// The pace at which a counter is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    /// The poll interval in nanoseconds.
    pub(crate) poll_ns: u64,
    /// Most counts in a microsecond.
    per_us: u64,
    /// Range of the counter, as a mask.
    range: u64,
}

impl Pace {
    /// Returns the pace of a counter of `width` bits that adds at most `increment` in a clock.
    #[inline]
    pub(crate) fn new(width: u8, clock_mhz: u32, increment: u16) -> Self {
        let per_us = u64::from(clock_mhz).saturating_mul(increment.into());
        let range = mask(width);
        Self {
            poll_ns: (wrap_ns(range, per_us) / MARGIN).min(LONGEST_NS),
            per_us,
            range,
        }
    }

    /// Returns half of the counter's range, which is [`WIDEST`] at most.
    pub(crate) fn half(&self) -> u64 {
        self.range.min(WIDEST) >> 1
    }

    /// Returns the most counts between two reads, at most half of the counter's range.
    pub(crate) fn most(&self) -> u64 {
        let longest_ns = self.poll_ns.saturating_mul(LATEST);
        (longest_ns.saturating_mul(self.per_us) / 1000).min(self.half())
    }
}

/// Returns the shortest time in nanoseconds in which a counter can add `distance`, if it adds at most
/// `per_us` in a microsecond.
fn wrap_ns(distance: u64, per_us: u64) -> u64 {
    let ns = distance.saturating_mul(1000).checked_div(per_us);
    ns.unwrap_or(u64::MAX)
}
