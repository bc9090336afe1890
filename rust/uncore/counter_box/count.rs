// SPDX-License-Identifier: GPL-2.0

//! Arithmetic of counters: increments, and reads in two halves.
//!
//! Pure functions of raw counter values. The only formula for an increment is [`delta`]. It is
//! correct if the counter is read at least once before it wraps twice.
//! [`poll`](crate::uncore::request::poll) says how often that is.

use kernel::prelude::*;

#[cfg(KUNIT_SUITES)]
mod tests;

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
