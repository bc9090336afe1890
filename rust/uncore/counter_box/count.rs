// SPDX-License-Identifier: GPL-2.0

//! Arithmetic of counters: increments, reads in two halves, and the time until a wrap.
//!
//! Pure functions of raw counter values. The only formula for an increment is [`delta`]. It is
//! correct if the counter is read at least once before it wraps twice. Polling at
//! [`poll_interval_ns`] ensures that, with a factor of [`MARGIN`] to spare.

use crate::uncore::table::{
    box_type::{
        BoxType,
        Platform, //
    },
    field::mask, //
};
use core::num::NonZeroU64;
use kernel::prelude::*;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Number of polls in the shortest time in which a counter can wrap.
const MARGIN: u64 = 4;

/// Longest time between two polls, even if the counter wraps much later.
const LONGEST_INTERVAL_NS: u64 = 60_000_000_000;

/// Most tries to read a counter that carries into its high half meanwhile.
///
/// One repetition is enough unless 2^31 increments happen between two accesses.
const TRIES: u32 = 4;

/// Returns the increment of a counter from `last` to `now`, with at most one wrap in between.
///
/// `mask` has the bits of the counter. Other bits of `last` and `now` are ignored.
pub(crate) fn delta(last: u64, now: u64, mask: u64) -> u64 {
    now.wrapping_sub(last) & mask
}

/// Reads a running counter whose halves are two registers, without tearing.
///
/// `low` and `high` each make one access. Two accesses suffice in half of all cases: if the top bit
/// of the low half is clear, a carry into the high half before the second access would take 2^31
/// increments. In the other half of the cases the low half is read again. If it has not become
/// smaller, there was no carry, and the three reads belong together.
///
/// # Errors
///
/// [`EIO`] if the low half becomes smaller in each of [`TRIES`] tries; errors of the accesses.
pub(crate) fn read_halves(
    mut low: impl FnMut() -> Result<u32>,
    mut high: impl FnMut() -> Result<u32>,
) -> Result<u64> {
    let mut first = low()?;
    for _ in 0..TRIES {
        let upper = u64::from(high()?) << 32;
        if first < 1 << 31 {
            return Ok(upper | u64::from(first));
        }
        let second = low()?;
        if second >= first {
            return Ok(upper | u64::from(second));
        }
        first = second;
    }
    Err(EIO)
}

/// Returns the poll interval for a box type in nanoseconds.
pub(crate) fn poll_interval_ns(kind: &BoxType) -> u64 {
    let wrap = |width, increment| wrap_ns(mask(width), kind.max_clock_mhz, increment);
    let general = wrap(kind.width, kind.max_increment);
    let fixed = kind.fixed.iter().map(|fixed| wrap(fixed.width, 1));
    let shortest = fixed.fold(general, u64::min);
    (shortest / MARGIN).min(LONGEST_INTERVAL_NS)
}

/// Returns the shortest poll interval of all box types of a platform in nanoseconds.
pub(crate) fn shortest_poll_ns(platform: &Platform) -> NonZeroU64 {
    platform
        .box_types
        .iter()
        .map(|&kind| poll_interval_ns(kind))
        .min()
        .and_then(NonZeroU64::new)
        .unwrap_or(NonZeroU64::MIN)
}

/// Returns the shortest time in nanoseconds in which a counter can add `distance`, if it adds at
/// most `increment` in a clock.
pub(crate) fn wrap_ns(distance: u64, clock_mhz: u32, increment: u16) -> u64 {
    let per_us = u64::from(clock_mhz).saturating_mul(u64::from(increment));
    distance
        .saturating_mul(1000)
        .checked_div(per_us)
        .unwrap_or(u64::MAX)
}
