// SPDX-License-Identifier: GPL-2.0

//! Arithmetic of counters: increments, reads in two halves, and values that read too high.
//!
//! Pure functions of raw counter values. The only formula for an increment is [`delta`]. It is
//! correct if the counter is read at least once before it wraps twice.
//! [`interval`](crate::uncore::request::interval) says how often that is.

use crate::uncore::table::{
    box_type::Misread,
    field, //
};
use kernel::prelude::*;

/// Largest number of tries to read a counter that carries into its high half meanwhile.
///
/// One repetition is enough unless 2^31 increments happen between two accesses.
const TRIES: u32 = 4;

/// Returns the increment of a counter from `last` to `now`, with at most one wrap in between. A step
/// back is a large increment: the caller knows what the counter can have counted.
///
/// `mask` has the bits of the counter. Other bits of `last` and `now` are ignored.
pub(crate) fn delta(last: u64, now: u64, mask: u64) -> u64 {
    now.wrapping_sub(last) & mask
}

/// Reads a running counter whose halves are two registers, without tearing.
///
/// `low` and `high` each make one access.
///
/// # Errors
///
/// [`EIO`] if there was a carry in each of [`TRIES`] tries; errors of the accesses.
pub(crate) fn read_halves(
    mut low: impl FnMut() -> Result<u32>,
    mut high: impl FnMut() -> Result<u32>,
) -> Result<u64> {
    for _ in 0..TRIES {
        if let Some(value) = try_halves(&mut low, &mut high)? {
            return Ok(value);
        }
    }
    Err(EIO)
}

/// Tries once to read the halves; returns `None` if there was a carry meanwhile.
///
/// Two accesses suffice in half of all cases: if the top bit of the low half is clear, a carry into
/// the high half before the second access would take 2^31 increments. In the other half of the
/// cases the low half is read again. If it has not become smaller, there was no carry, and the three
/// reads belong together.
///
/// # Errors
///
/// Errors of the accesses.
#[inline(always)]
pub(crate) fn try_halves<E>(
    mut low: impl FnMut() -> Result<u32, E>,
    high: impl FnOnce() -> Result<u32, E>,
) -> Result<Option<u64>, E> {
    let first = low()?;
    let upper = u64::from(high()?) << 32;
    if first < 1 << 31 {
        return Ok(Some(upper | u64::from(first)));
    }
    let second = low()?;
    Ok((second >= first).then_some(upper | u64::from(second)))
}

impl Misread {
    /// Returns what a counter held when `read` was read of it.
    ///
    /// A counter that is said to have the defect and does not is read right, too, but for the values
    /// that may be too high. Such a read is too low, and the next one makes up for it.
    #[inline]
    pub(crate) fn corrected(self, read: u64, mask: u64) -> u64 {
        if self.is_unclear(read) {
            read.wrapping_sub(self.added()) & mask
        } else {
            read
        }
    }

    /// Returns whether a value that was read may be too high.
    #[inline]
    pub(crate) fn is_unclear(self, read: u64) -> bool {
        self.low(read) < self.values
    }

    /// Returns a value that can be written, and reads as written.
    pub(crate) fn clear(self) -> u64 {
        self.values
    }

    /// Returns a value that can be written, and is near to one that was read.
    pub(crate) fn writable(self, read: u64) -> u64 {
        let low = self.low(read);
        if low < self.values {
            read.wrapping_sub(self.added())
        } else if low >= self.added().wrapping_sub(self.values) {
            read.wrapping_sub(self.values)
        } else {
            read
        }
    }

    /// The value that the defect adds.
    pub(super) fn added(self) -> u64 {
        field::mask(self.bits).wrapping_add(1)
    }

    /// The low bits of a value.
    fn low(self, value: u64) -> u64 {
        value & field::mask(self.bits)
    }
}
