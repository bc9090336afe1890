// SPDX-License-Identifier: GPL-2.0

//! Intervals: after how many counts the user wants a trace event (`interval=N`), and how often the
//! counter of an event must be read, so that it never wraps twice unseen ([`Pace`]).
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

/// Number of polls in the shortest time in which a counter can wrap.
const MARGIN: u64 = 4;

/// Longest time between two polls, even if the counter wraps much later.
const LONGEST_NS: u64 = 60_000_000_000;

/// Largest number of poll intervals between two reads: a timer may be a little early, and then reads
/// the counter when it fires for the second time.
const LATEST: u64 = 2;

/// Largest range of a counter that is read.
const WIDEST: u64 = (1 << 48) - 1;

/// The pace at which a counter is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    /// The poll interval in nanoseconds.
    pub(crate) poll_ns: u64,
    /// Largest number of counts in a microsecond.
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
