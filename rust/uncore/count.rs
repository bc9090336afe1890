// SPDX-License-Identifier: GPL-2.0

//! Arithmetic of counters: differences, reads in two halves, how long until a wrap.
//!
//! Takes raw counter values, gives increments; allocates nothing, locks nothing. The one formula
//! for an increment is [`delta`]: right as long as the counter is read at least once while it
//! counts to its width, which polling at [`poll_interval_ns`] ensures with a factor of
//! [`MARGIN`] to spare.

use super::box_type::{
    BoxType,
    Platform, //
};
use core::num::NonZeroU64;
use kernel::prelude::*;

#[cfg(KUNIT_SUITES)]
mod tests;

/// How many times a counter is polled in the time in which it could wrap.
const MARGIN: u64 = 4;

/// Polls are not farther apart than this, whatever the arithmetic allows.
const LONGEST_INTERVAL_NS: u64 = 60_000_000_000;

/// How often a counter that moves on while it is read is read again.
///
/// One repetition is enough unless 2^31 increments happen between two accesses.
const TRIES: u32 = 4;

/// All bits of a counter that is `width` bits wide.
pub(super) fn mask(width: u8) -> u64 {
    u64::MAX
        .checked_shr(64_u32.saturating_sub(u32::from(width)))
        .unwrap_or(0)
}

/// How far a counter with the bits of `mask` has come from `last` to `now`, through at most one
/// wrap.
///
/// Bits above those are of no account in either.
pub(super) fn delta(last: u64, now: u64, mask: u64) -> u64 {
    now.wrapping_sub(last) & mask
}

/// Reads a running counter whose halves are two registers, without tearing.
///
/// `low` and `high` each make one access. Two accesses suffice in half of all cases: with the top
/// bit of the low half clear, a carry into the high half before the second access would take 2^31
/// increments. In the other half of the cases the low half is read again; if it has not gone
/// back, there was no carry and the three reads belong together.
///
/// # Errors
///
/// [`EIO`] if the low half goes back again and again; errors of the accesses.
pub(super) fn read_halves(
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

/// How often the running counters of such a box must be read, in nanoseconds: all of them, or if
/// `interrupts`, only those that cannot interrupt.
pub(super) fn poll_interval_ns(kind: &BoxType, interrupts: bool) -> u64 {
    let polled = |overflow_enable: Option<u32>| !interrupts || overflow_enable.is_none();
    let wrap = |width, increment| wrap_ns(mask(width), kind.max_clock_mhz, increment);
    let general = match polled(kind.control.overflow_enable) {
        true => wrap(kind.width, kind.max_increment),
        false => u64::MAX,
    };
    let mut shortest = general;
    for fixed in kind
        .fixed
        .iter()
        .filter(|fixed| polled(fixed.overflow_enable()))
    {
        shortest = shortest.min(wrap(fixed.width, 1));
    }
    (shortest / MARGIN).min(LONGEST_INTERVAL_NS)
}

/// The same for all boxes of a platform.
pub(super) fn shortest_poll_ns(platform: &Platform, interrupts: bool) -> NonZeroU64 {
    let kinds = platform.box_types.iter();
    let shortest = kinds.map(|kind| poll_interval_ns(kind, interrupts)).min();
    shortest
        .and_then(NonZeroU64::new)
        .unwrap_or(NonZeroU64::MIN)
}

/// The shortest time in which a counter can count so far, in nanoseconds.
pub(super) fn wrap_ns(distance: u64, clock_mhz: u32, increment: u16) -> u64 {
    let per_us = u64::from(clock_mhz).saturating_mul(u64::from(increment));
    distance
        .saturating_mul(1000)
        .checked_div(per_us)
        .unwrap_or(u64::MAX)
}
