// SPDX-License-Identifier: GPL-2.0

//! Counts of an event, and its place in its interval.

use super::{
    count::delta,
    reading::VALUE, //
};
use crate::uncore::request::interval::Period;

/// Counts of an event, as the holder of the lock sees them. Readers without the lock leave them
/// alone.
#[derive(Default)]
pub(crate) struct Progress {
    /// Width of the counter, as a mask.
    mask: u64,
    /// Value of the counter when it was last read under the lock.
    pub(super) seen: u64,
    /// Counts since the event was opened.
    pub(crate) total: u64,
    /// That at the last poll.
    polled: u64,
    /// Tells whether the event counted between the last poll and the one before.
    moved: bool,
}

impl Progress {
    /// Returns whether the event has counted between the last two polls and nothing since. For a poll.
    pub(crate) fn stands_still(&mut self) -> bool {
        let moves = self.total != self.polled;
        self.polled = self.total;
        core::mem::replace(&mut self.moved, moves) && !moves
    }

    /// Begins with a counter that has this width and value.
    pub(super) fn begin(&mut self, mask: u64, value: u64) {
        self.mask = mask & VALUE;
        self.seen = value;
    }

    /// Adds the counts up to this value of the counter, and returns them.
    pub(super) fn advance(&mut self, value: u64) -> u64 {
        let count = delta(self.seen, value, self.mask);
        self.seen = value;
        self.total = self.total.wrapping_add(count);
        count
    }
}

/// Progress of an event with `interval=`.
pub(crate) struct IntervalProgress {
    /// Progress in the current interval.
    pub(super) period: Period,
    /// Tells whether the counter was preset to overflow when an interval ends.
    pub(super) preset: bool,
    /// Tells whether it interrupts then. A counter whose interrupt was disabled meanwhile does not.
    pub(super) interrupts: bool,
    /// Tells whether an interval has ended since the counter was preset.
    pub(super) needs_reload: bool,
    /// Count at the end of the last interval, not yet traced.
    pub(crate) finished: Option<u64>,
}

impl IntervalProgress {
    /// Begins the first interval; `None` for a length of 0, which means no interval.
    pub(super) fn new(length: u64) -> Option<Self> {
        Some(Self {
            period: Period::new(length)?,
            preset: false,
            interrupts: false,
            needs_reload: false,
            finished: None,
        })
    }

    /// Begins the first interval of another event of this length, on this counter.
    pub(super) fn restart(&mut self, length: u64) {
        if let Some(period) = Period::new(length) {
            self.period = period;
        }
        self.finished = None;
    }

    /// Adds counts to the interval. `total` is the count of the event. The end of an interval is
    /// noted only if the counter interrupts: otherwise nobody knows when it was.
    #[inline]
    pub(super) fn add(&mut self, count: u64, total: u64) {
        if self.period.advance(count) > 0 && self.interrupts {
            self.needs_reload = true;
            self.finished = Some(total);
        }
    }
}
