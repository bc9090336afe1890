// SPDX-License-Identifier: GPL-2.0

//! Polling: how often the counter of an event must be read, so that it never wraps twice unseen.
//!
//! Pure arithmetic; no registers, no allocation.

use crate::uncore::table::field::mask;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Number of polls in the shortest time in which a counter can wrap.
const MARGIN: u64 = 4;

/// Longest time between two polls, even if the counter wraps much later.
const LONGEST_NS: u64 = 60_000_000_000;

/// Returns the poll interval in nanoseconds of a counter of `width` bits that adds at most
/// `increment` in a clock.
pub(crate) fn interval_ns(width: u8, clock_mhz: u32, increment: u16) -> u64 {
    (wrap_ns(mask(width), clock_mhz, increment) / MARGIN).min(LONGEST_NS)
}

/// Returns the shortest time in nanoseconds in which a counter can add `distance`.
fn wrap_ns(distance: u64, clock_mhz: u32, increment: u16) -> u64 {
    let per_us = u64::from(clock_mhz).saturating_mul(u64::from(increment));
    distance
        .saturating_mul(1000)
        .checked_div(per_us)
        .unwrap_or(u64::MAX)
}
