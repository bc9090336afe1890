// SPDX-License-Identifier: GPL-2.0

//! What there is to tell of a package's overflows, for `overflow` in debugfs.
//!
//! Counted in NMI, in interrupts and anywhere else; read in process context. Nothing is exact to
//! the unit while things happen.

use core::sync::atomic::{
    AtomicU64,
    Ordering, //
};
use kernel::{
    fmt,
    prelude::*, //
};

/// A number of occurrences.
pub(super) struct Tally(AtomicU64);

impl Tally {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// One more.
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// At least this much.
    pub(super) fn raise(&self, value: u64) {
        self.0.fetch_max(value, Ordering::Relaxed);
    }

    /// How many.
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What happened in a package.
pub(super) struct Stats {
    /// NMIs that found an overflow.
    pub(super) taken: Tally,
    /// NMIs of an overflow that another one had found.
    pub(super) late: Tally,
    /// NMIs of counters of which none had overflowed.
    pub(super) spurious: Tally,
    /// How often there were so many that the counters had a rest.
    pub(super) throttled: Tally,
    /// Overflows of which the watchdog heard first.
    pub(super) caught: Tally,
    /// How often the counters that cannot interrupt were read.
    pub(super) polls: Tally,
    /// Intervals that were over.
    pub(super) intervals: Tally,
    /// Events that have ended because somebody changed a register.
    pub(super) tampered: Tally,
    /// The longest time from NMI to release, rests left out, in nanoseconds.
    pub(super) longest_freeze: Tally,
}

impl Stats {
    /// Nothing has happened.
    pub(super) const fn new() -> Self {
        Self {
            taken: Tally::new(),
            late: Tally::new(),
            spurious: Tally::new(),
            throttled: Tally::new(),
            caught: Tally::new(),
            polls: Tally::new(),
            intervals: Tally::new(),
            tampered: Tally::new(),
            longest_freeze: Tally::new(),
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("taken", &self.taken),
            ("late", &self.late),
            ("spurious", &self.spurious),
            ("throttled", &self.throttled),
            ("caught_by_watchdog", &self.caught),
            ("polls", &self.polls),
            ("intervals", &self.intervals),
            ("tampered", &self.tampered),
            ("longest_freeze_ns", &self.longest_freeze),
        ];
        for (name, tally) in rows {
            f.write_fmt(fmt!("  {name} {}\n", tally.get()))?;
        }
        Ok(())
    }
}
