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

/// Bits of a counter that are read at most.
const WIDEST: u8 = 48;

/// The pace at which a counter is read.
pub(crate) struct Pace {
    /// The poll interval in nanoseconds.
    pub(crate) poll_ns: u64,
    /// Most counts between two reads, at most half of the counter's range.
    pub(crate) most: u64,
    /// Half of the counter's range, of [`WIDEST`] bits at most.
    pub(crate) half: u64,
}

impl Pace {
    /// Returns the pace of a counter of `width` bits that adds at most `increment` in a clock.
    pub(crate) fn new(width: u8, clock_mhz: u32, increment: u16) -> Self {
        let poll_ns = (wrap_ns(mask(width), clock_mhz, increment) / MARGIN).min(LONGEST_NS);
        let per_us = per_us(clock_mhz, increment);
        let most = poll_ns.saturating_mul(LATEST).saturating_mul(per_us) / 1000;
        let half = mask(width.min(WIDEST)) >> 1;
        Self {
            poll_ns,
            most: most.min(half),
            half,
        }
    }
}

/// Returns the most counts in a microsecond.
fn per_us(clock_mhz: u32, increment: u16) -> u64 {
    u64::from(clock_mhz).saturating_mul(increment.into())
}

/// Returns the shortest time in nanoseconds in which a counter can add `distance`.
fn wrap_ns(distance: u64, clock_mhz: u32, increment: u16) -> u64 {
    distance
        .saturating_mul(1000)
        .checked_div(per_us(clock_mhz, increment))
        .unwrap_or(u64::MAX)
}
