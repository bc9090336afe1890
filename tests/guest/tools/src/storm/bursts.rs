// SPDX-License-Identifier: GPL-2.0

//! Bursts of traffic, all of one length, and the counts that an event may have.
//!
//! A burst passes at once, so that an event counts all of it or nothing: its count
//! is always a multiple of the increment of one burst.

use crate::hypercall;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bursts so far. One actor at most makes them, one after the other.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// The bursts that lie around a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    begun: u64,
    ended: u64,
}

/// The number of bursts that an event can have counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The bursts that passed while it certainly counted.
    pub(super) least: u64,
    /// The bursts that passed while it may have counted.
    pub(super) most: u64,
}

impl Bursts {
    /// Lets one burst pass.
    pub(super) fn pass(&self, cycles: u64) -> Result<(), hypercall::Error> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let passed = hypercall::command(&format!("burst {cycles}"));
        self.ended.fetch_add(1, Ordering::SeqCst);
        passed.map(drop)
    }

    /// Returns the bursts up to now. Ended ones are read first, so that a burst
    /// between the two reads counts as one in progress.
    pub(super) fn now(&self) -> Moment {
        let ended = self.ended.load(Ordering::SeqCst);
        let begun = self.begun.load(Ordering::SeqCst);
        Moment { begun, ended }
    }
}

impl Range {
    /// Returns the range of an event that was being opened from the first moment to
    /// the second, and read from the third to the fourth.
    pub(super) fn between([opening, open, reading, read]: [Moment; 4]) -> Self {
        Self {
            least: reading.ended.saturating_sub(open.begun),
            most: read.begun - opening.ended,
        }
    }

    /// Checks a count and returns its number of bursts, or the mistake in it.
    pub(super) fn check(self, count: u64, each: u64, throughout: bool) -> Result<u64, String> {
        let bursts = count / each.max(1);
        if bursts * each != count {
            return Err(format!("{count} is not made of bursts of {each}"));
        }
        if bursts > self.most {
            return Err(format!("{bursts} bursts were counted, of {}", self.most));
        }
        if throughout && bursts < self.least {
            return Err(format!(
                "{bursts} bursts were counted all the time, of {}",
                self.least
            ));
        }
        Ok(bursts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(begun: u64, ended: u64) -> Moment {
        Moment { begun, ended }
    }

    #[test]
    fn bursts_under_way_may_be_counted_or_not() {
        let range = Range::between([at(5, 4), at(6, 5), at(9, 9), at(10, 9)]);
        assert_eq!(range, Range { least: 3, most: 6 });
        let none = Range::between([at(5, 4), at(6, 5), at(6, 5), at(6, 6)]);
        assert_eq!(none, Range { least: 0, most: 2 });
    }

    #[test]
    fn a_count_is_made_of_whole_bursts() {
        let range = Range { least: 2, most: 3 };
        assert_eq!(range.check(21, 7, true), Ok(3));
        assert_eq!(range.check(7, 7, false), Ok(1));
        assert!(range.check(22, 7, false).is_err(), "no multiple");
        assert!(range.check(28, 7, false).is_err(), "too many");
        assert!(range.check(7, 7, true).is_err(), "too few");
    }
}
