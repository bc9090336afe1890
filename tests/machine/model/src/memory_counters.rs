// SPDX-License-Identifier: GPL-2.0

//! The counters of a memory controller in memory: 32 bits each, read only.
//!
//! section 7 of the client's page in Documentation/hardware. They are outside PMON: nothing enables,
//! freezes or resets them. At which rate they run: traffic.rst.

use uncore_catalogue::weights_of;
use uncore_definition::server::{Flow, TICKS};

use crate::bits::low_half;
use crate::host_bridge::MemoryCounter;
use crate::traffic::Source;
use crate::Platform;

/// The state of a package's counters.
#[derive(Debug)]
pub(crate) struct MemoryCounters {
    all: &'static [MemoryCounter],
    values: Vec<u32>,
    /// How each runs on the endless axis, if its traffic is *server*.
    flows: Vec<Flow>,
    /// The uclk cycle of the endless axis up to which they have run.
    settled: u64,
}

impl MemoryCounters {
    /// The counters of a package; if `source` is given, its traffic is *server*.
    pub(crate) fn at_reset(
        all: &'static [MemoryCounter],
        platform: Platform,
        source: Option<Source>,
    ) -> Self {
        let name = platform.name();
        let weights = |index| weights_of(name, "memory", index, 0).unwrap_or_default();
        let flow = |source: Source| {
            let indexes = (0..).take(all.len());
            indexes.map(move |index| Flow::of(weights(index), source.place(), 1))
        };
        Self {
            all,
            values: vec![0; all.len()],
            flows: source.into_iter().flat_map(flow).collect(),
            settled: 0,
        }
    }

    /// Runs them up to cycle `now` of the endless axis.
    pub(crate) fn settle(&mut self, now: u64) {
        if self.flows.is_empty() {
            self.run(self.settled, now);
        }
        for (flow, value) in self.flows.iter().zip(&mut self.values) {
            let [from, to] = [self.settled, now].map(|uclk| flow.on(uclk * TICKS));
            *value = value.wrapping_add(low_half(to - from));
        }
        self.settled = now;
    }

    /// Puts them at their reset values in this cycle of the endless axis.
    pub(crate) fn reset(&mut self, now: u64) {
        self.values.fill(0);
        self.settled = now;
    }

    /// Lets a burst of `uclk` cycles pass.
    pub(crate) fn burst(&mut self, uclk: u64) {
        self.run(0, uclk);
    }

    /// The value of the counter with this index, 0 if there is none.
    pub(crate) fn value(&self, index: usize) -> u32 {
        self.values.get(index).copied().unwrap_or_default()
    }

    /// Puts a value in the counter of a name; `None` if there is none.
    pub(crate) fn set(&mut self, name: &str, value: u32) -> Option<()> {
        let index = self.all.iter().position(|counter| counter.name == name)?;
        *self.values.get_mut(index)? = value;
        Some(())
    }

    /// Puts all counters at a distance from their wrap.
    pub(crate) fn preload(&mut self, distance: u64) {
        self.values.fill(low_half(distance.wrapping_neg()));
    }

    fn run(&mut self, from: u64, to: u64) {
        for (counter, value) in self.all.iter().zip(&mut self.values) {
            let part = |uclk: u64| u128::from(uclk) * u128::from(counter.share) / 1024;
            let gain = u64::try_from(part(to) - part(from)).unwrap_or(u64::MAX);
            *value = value.wrapping_add(low_half(gain));
        }
    }
}
