// SPDX-License-Identifier: GPL-2.0

//! The counters of a client's memory controller, which always run (snb.rst section 7;
//! traffic.rst, "SNB").

use crate::fixture::probe::Words;
use crate::platform::{Platform, Processor};
use crate::units::{Unit, LINES};

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryCounter {
    /// The event of it.
    pub event: &'static str,
    /// Its event select.
    pub code: u64,
    /// Its share of 1024 cycles.
    pub(crate) share: u64,
}

impl MemoryCounter {
    /// The box that they are in.
    pub const BOX: &'static str = "imc";

    /// All count lines.
    pub const UNIT: Unit = LINES;

    /// Returns those of the platform.
    pub fn all() -> &'static [Self] {
        Processor::current().description().memory
    }

    /// Returns the name of their PMU.
    pub fn pmu() -> String {
        Platform::current().pmu(Self::BOX)
    }

    /// Returns the count that a burst of `uclk` cycles adds.
    pub fn count(&self, uclk: u64) -> u64 {
        uclk * self.share / 1024
    }

    /// Returns a step of `perf-open` that opens the event on a CPU under a name.
    pub fn open(&self, name: &str, cpu: u16) -> String {
        Words([self.code, 0, 0]).open(&Self::pmu(), name, cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_page() {
        Platform::Snb.on(|| {
            let counts = MemoryCounter::all().iter();
            let counts: Vec<u64> = counts.map(|counter| counter.count(1_000_000)).collect();
            assert_eq!(counts, [92_773, 45_898, 26_367, 100_585, 11_718]);
            assert_eq!(MemoryCounter::pmu(), "snb_uncore_imc");
        });
        Platform::Ivbep.on(|| assert_eq!(MemoryCounter::all(), []));
    }
}
