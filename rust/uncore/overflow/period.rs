// SPDX-License-Identifier: GPL-2.0

//! Arithmetic of intervals: where a counter is set so that it overflows in time, and which
//! intervals are too short.
//!
//! An event that a user wants to hear of every so many counts has its counter set to that far
//! below the overflow. What it counts between overflow and freeze belongs to the next interval, so
//! that intervals do not drift: the n-th is over after n times the length.
//!
//! Pure; takes and gives numbers.

use super::super::{
    box_type::BoxType,
    count::mask, //
};
use core::num::NonZeroU64;

#[cfg(KUNIT_SUITES)]
mod tests;

/// Most interrupts a second that an event may cause, were it to count all it can all the time.
pub(in super::super) const MOST_PER_SECOND: u64 = 20_000;

/// How far an event is in its interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Period {
    length: NonZeroU64,
    /// Counts up to the end of this one, at least 1.
    left: u64,
}

impl Period {
    /// At the beginning of an interval of this length; `None` for intervals of 0, which the user
    /// does not want.
    pub(in super::super) fn new(length: u64) -> Option<Self> {
        let length = NonZeroU64::new(length)?;
        Some(Self {
            length,
            left: length.get(),
        })
    }

    /// Goes on by so many counts and tells how many intervals have ended.
    pub(in super::super) fn advance(&mut self, counts: u64) -> u64 {
        let Some(beyond) = counts.checked_sub(self.left) else {
            self.left = self.left.saturating_sub(counts);
            return 0;
        };
        self.left = self.length.get().saturating_sub(beyond % self.length);
        (beyond / self.length).saturating_add(1)
    }

    /// Counts up to the end of the interval.
    pub(in super::super) fn left(&self) -> u64 {
        self.left
    }

    /// The value from which a counter of `width` bits overflows when the interval ends.
    pub(in super::super) fn start(&self, width: u8) -> u64 {
        self.left.wrapping_neg() & mask(width)
    }
}

/// The shortest interval of an event that adds at most `increment` in a clock.
pub(in super::super) fn shortest(kind: &BoxType, increment: u16) -> u64 {
    let per_us = u64::from(kind.max_clock_mhz).saturating_mul(u64::from(increment));
    per_us.saturating_mul(1_000_000) / MOST_PER_SECOND
}
