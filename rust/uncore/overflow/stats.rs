// SPDX-License-Identifier: GPL-2.0

//! Statistics of a package's overflows, for `overflow` in debugfs.
//!
//! NMIs, interrupts and user calls add to them; process context reads them. A reading while they
//! change is not exact to the unit.

use crate::linux::atomic::{
    AtomicU64,
    Ordering, //
};
use kernel::{
    fmt,
    prelude::*, //
};

/// One number of the statistics.
#[derive(Default)]
pub(crate) struct Stat(AtomicU64);

impl Stat {
    /// Adds one.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a number.
    pub(crate) fn add_many(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Raises the number to `value`, if it is smaller.
    pub(crate) fn max(&self, value: u64) {
        self.0.fetch_max(value, Ordering::Relaxed);
    }

    /// Returns the number.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Statistics of a package since the module was loaded.
#[derive(Default)]
pub(crate) struct Stats {
    /// NMIs that found an overflow.
    pub(crate) taken: Stat,
    /// NMIs of an overflow that an earlier NMI had found.
    pub(crate) late: Stat,
    /// PMIs without an overflow.
    pub(crate) spurious: Stat,
    /// Times that the interrupts were paused.
    pub(crate) paused: Stat,
    /// Overflows that the timer noticed before an NMI.
    pub(crate) caught: Stat,
    /// Rounds of polling in which a counter was read.
    pub(crate) polls: Stat,
    /// Ended intervals of events.
    pub(crate) intervals: Stat,
    /// Events that the driver has ended because another tool changed a register.
    pub(crate) modified: Stat,
    /// Longest time from NMI to unfreeze in nanoseconds.
    pub(crate) longest_freeze: Stat,
    /// Time in nanoseconds for which interrupts have frozen the package.
    pub(crate) frozen: Stat,
    /// Times that the level was lost which lets counters run, on platforms that have one.
    pub(crate) level_lost: Stat,
    /// Events whose registers were cleared with the level.
    pub(crate) cleared: Stat,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("taken", &self.taken),
            ("late", &self.late),
            ("spurious", &self.spurious),
            ("paused", &self.paused),
            ("caught_by_timer", &self.caught),
            ("polls", &self.polls),
            ("intervals", &self.intervals),
            ("tampered", &self.modified),
            ("longest_freeze_ns", &self.longest_freeze),
            ("frozen_ns", &self.frozen),
        ];
        for (name, stat) in rows {
            f.write_fmt(fmt!("  {name} {}\n", stat.get()))?;
        }
        Ok(())
    }
}
