// SPDX-License-Identifier: GPL-2.0

//! Clocks of many boxes in both packages that overflow at intervals, through one
//! burst that waits while a package is frozen: whatever becomes of interrupts
//! meanwhile, each has one right count.

use crate::overflow::{CPUS, PACKAGES};
use ivbep_e2e::fixture::probe::{Probe, Words};
use ivbep_e2e::fixture::{reads, Session};

/// Counts from one overflow to the next. Boxes of one clock overflow in the same
/// cycle.
pub(crate) const INTERVAL: u64 = 5_000_000;

/// A step for `perf-open` that opens an event that overflows at intervals.
pub(crate) fn open_interval(probe: &Probe, name: &str, cpu: u16) -> String {
    let Words([config, ..]) = probe.words();
    let config = config | INTERVAL << 32;
    let pmu = probe.pmu();
    format!("open {name} pmu={pmu} config={config:#x} cpu={cpu}")
}

/// A burst on events.
pub(crate) struct Traffic {
    events: Vec<(String, Probe, u8)>,
    cpus: [u16; 2],
    uclk: u64,
    meanwhile: Vec<String>,
}

impl Traffic {
    /// Counts these in both packages until those of uclk have overflowed so often.
    pub(crate) fn new(probes: &[Probe], overflows: u64) -> Self {
        Self::on_cpus(probes, overflows, CPUS)
    }

    /// The same where the packages have other CPUs than usual.
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

    /// Takes a step of `perf-open` while the burst goes on.
    pub(crate) fn meanwhile(mut self, step: impl Into<String>) -> Self {
        self.meanwhile.push(step.into());
        self
    }

    fn steps(&self, end: &str) -> Vec<String> {
        let open = |(name, probe, package): &(String, Probe, u8)| {
            open_interval(probe, name, self.cpus[usize::from(*package)])
        };
        let mut steps: Vec<String> = self.events.iter().map(open).collect();
        steps.push(format!("machine burst-through {}", self.uclk));
        steps.extend(self.meanwhile.iter().cloned());
        steps.push(end.to_owned());
        steps.extend(self.events.iter().map(|(name, ..)| format!("read {name}")));
        steps
    }

    /// Lets it flow to its end; nothing may be lost.
    pub(crate) fn flow(&self, session: &mut Session) {
        self.flow_until(session, "settle", false);
    }

    /// Lets it flow until `end` has passed, a step. With `may_fail` an event may
    /// have failed by then, else its count is right.
    pub(crate) fn flow_until(&self, session: &mut Session, end: &str, may_fail: bool) {
        let answers = session.perf_open(&self.steps(end));
        for (name, probe, package) in &self.events {
            let seen = reads(&answers, name);
            if may_fail && seen == [None] {
                continue;
            }
            let expected = probe.count(*package, self.uclk);
            assert_eq!(seen, [Some(expected)], "{probe:?} in package {package}");
        }
    }
}
