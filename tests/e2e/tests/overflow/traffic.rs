// SPDX-License-Identifier: GPL-2.0

//! Clocks of many boxes in both packages that overflow at intervals. They count one
//! burst, which waits while a package is frozen, so each clock has one right count,
//! whatever happens to the interrupts.

use crate::overflow::{CPUS, PACKAGES};
use uncore_e2e::prelude::*;

/// Counts from one overflow to the next. Boxes of one clock overflow in the same
/// cycle.
pub(crate) const INTERVAL: u64 = 5_000_000;

/// A burst, and the events that count it.
pub(crate) struct Traffic {
    events: Vec<(String, Probe, u8)>,
    cpus: [u16; 2],
    uclk: u64,
    meanwhile: Vec<String>,
}

impl Traffic {
    /// Counts these in both packages until the clocks of uclk have overflowed `overflows`
    /// times.
    pub(crate) fn new(probes: &[Probe], overflows: u64) -> Self {
        Self::on_cpus(probes, overflows, CPUS)
    }

    /// Counts on other CPUs than the usual ones.
    pub(crate) fn on_cpus(probes: &[Probe], overflows: u64, cpus: [u16; 2]) -> Self {
        let in_packages = |(index, probe): (usize, &Probe)| {
            let event = |package| (format!("event{index}-{package}"), probe.clone(), package);
            PACKAGES.map(event)
        };
        Self {
            events: probes.iter().enumerate().flat_map(in_packages).collect(),
            cpus,
            uclk: overflows * INTERVAL + INTERVAL / 2,
            meanwhile: Vec::new(),
        }
    }

    /// Adds a step of `perf-open` to take while the burst goes on.
    pub(crate) fn meanwhile(mut self, step: impl Into<String>) -> Self {
        self.meanwhile.push(step.into());
        self
    }

    fn steps(&self) -> Vec<String> {
        let open = |(name, probe, package): &(String, Probe, u8)| {
            probe.open_every(name, self.cpus[usize::from(*package)], INTERVAL)
        };
        let mut steps: Vec<String> = self.events.iter().map(open).collect();
        steps.push(format!("machine burst-through {}", self.uclk));
        steps.extend(self.meanwhile.iter().cloned());
        steps.push("settle".to_owned());
        steps.extend(self.events.iter().map(|(name, ..)| format!("read {name}")));
        steps
    }

    /// Runs the burst to its end; no count may be lost.
    pub(crate) fn flow(&self, session: &mut Session) {
        let answers = session.perf_open(&self.steps());
        for (name, probe, package) in &self.events {
            let expected = probe.count(*package, self.uclk);
            let seen = reads(&answers, name);
            assert_eq!(seen, [Some(expected)], "{probe:?} in package {package}");
        }
    }
}
