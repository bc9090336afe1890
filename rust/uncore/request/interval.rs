// SPDX-License-Identifier: GPL-2.0

//! Intervals: after how many counts the user wants a trace event (`interval=N`).
//!
//! The counter of an event with an interval is preset to 2^width - N, so that it overflows after N
//! counts. Counts between the overflow and the freeze belong to the next interval, so that
//! intervals do not drift: the n-th one ends after n times N counts.
//!
//! The shortest interval follows from the most that the event can add in a clock: at its fastest
//! the event must not interrupt more often than [`MOST_PER_SECOND`].
//!
//! Pure arithmetic; no registers, no allocation.

use crate::uncore::{
    frozen::MOST_PER_SECOND,
    table::{
        box_type::{
            BoxType,
            Field, //
        },
        field::{
            mask,
            Words, //
        }, //
    }, //
};
use core::num::NonZeroU64;

#[cfg(KUNIT_SUITES)]
mod tests;

/// An interval below the shortest one of its event.
#[derive(Clone, Copy)]
pub(crate) struct TooShort {
    /// The field with the interval.
    pub(crate) field: &'static Field,
    /// The interval.
    pub(crate) interval: u64,
    /// The shortest one.
    pub(crate) shortest: u64,
}

/// Reads the interval, from its field, of an event that adds at most `increment` in a clock; 0 if
/// the user wants none.
pub(crate) fn parse(
    kind: &BoxType,
    field: &'static Field,
    words: &Words,
    increment: u16,
) -> Result<u64, TooShort> {
    let interval = field.value(words);
    if interval == 0 {
        return Ok(0);
    }
    let shortest = shortest(kind, increment);
    if interval < shortest {
        return Err(TooShort {
            field,
            interval,
            shortest,
        });
    }
    Ok(interval)
}

/// The shortest interval of an event that adds at most `increment` in a clock.
fn shortest(kind: &BoxType, increment: u16) -> u64 {
    let per_us = u64::from(kind.max_clock_mhz).saturating_mul(u64::from(increment));
    per_us.saturating_mul(1_000_000) / MOST_PER_SECOND
}

/// Progress of an event in its interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Period {
    length: NonZeroU64,
    /// Counts up to the end of the interval, at least 1.
    left: u64,
}

impl Period {
    /// The beginning of an interval of `length` counts; `None` for 0, no interval.
    pub(crate) fn new(length: u64) -> Option<Self> {
        let length = NonZeroU64::new(length)?;
        Some(Self {
            length,
            left: length.get(),
        })
    }

    /// Adds `counts` and returns the number of intervals that ended.
    pub(crate) fn advance(&mut self, counts: u64) -> u64 {
        let Some(beyond) = counts.checked_sub(self.left) else {
            self.left = self.left.saturating_sub(counts);
            return 0;
        };
        self.left = self.length.get().saturating_sub(beyond % self.length);
        (beyond / self.length).saturating_add(1)
    }

    /// The value from which a counter of `width` bits overflows at the end of the interval.
    pub(crate) fn start(&self, width: u8) -> u64 {
        self.left.wrapping_neg() & mask(width)
    }
}
