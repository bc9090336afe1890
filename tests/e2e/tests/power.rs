// SPDX-License-Identifier: GPL-2.0

//! Sleep, hibernation, and the start of another kernel, while events count.
//!
//! CPU 0 stays online in suspend to RAM and in hibernation. So package 0 keeps its events;
//! those of package 1, if there is one, stay open with their counts, and only new ones count.

mod hibernation;
mod kexec;
mod suspend;

use uncore_e2e::fixture::samples;
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::events::fixed;

/// First CPU of each package.
const CPUS: [u16; 2] = [0, 2];

/// A burst in which most signals differ and that takes no time.
const BURST: u64 = 1_000_000;

/// An event of every box but that of the group, also with filters, and the fixed counters.
fn probes() -> Vec<Probe> {
    let [leader, _] = pair();
    let all = samples().chain(fixed(&Shape::of(&Config::default())));
    all.filter(|probe| probe.pmu() != leader.pmu()).collect()
}

/// A group of two.
fn pair() -> [Probe; 2] {
    (Platform::asked().pair)()
}

/// Events that are open in each package: every probe alone, one of them pinned, and a
/// group.
struct Events {
    all: Vec<(String, Probe, u8)>,
    opens: Vec<String>,
}

impl Events {
    fn new() -> Self {
        let mut events = Self {
            all: Vec::new(),
            opens: Vec::new(),
        };
        for &package in Platform::packages() {
            let cpu = CPUS[usize::from(package)];
            for (index, probe) in probes().into_iter().enumerate() {
                let name = format!("event{index}-{package}");
                let pinned = if index == 0 { " pinned" } else { "" };
                events.opens.push(probe.open(&name, cpu) + pinned);
                events.all.push((name, probe, package));
            }
            let [leader, member] = pair();
            let names = ["leader", "member"].map(|name| format!("{name}-{package}"));
            events.opens.push(leader.open(&names[0], cpu));
            events.opens.push(member.open_in(&names[1], cpu, &names[0]));
            for (name, probe) in names.into_iter().zip([leader, member]) {
                events.all.push((name, probe, package));
            }
        }
        events
    }

    /// Returns steps of `perf-open`: a burst, this step, another burst.
    fn around(&self, step: &str) -> Vec<String> {
        let burst = format!("burst {BURST}");
        let mut steps = self.opens.clone();
        steps.extend([burst.clone(), step.to_owned(), burst]);
        steps.extend(self.all.iter().map(|(name, ..)| format!("read {name}")));
        steps
    }

    /// Checks that the events of each package have counted so many bursts.
    fn have_counted(&self, answers: &[String], bursts: [u64; 2]) {
        let mut wrong = Vec::new();
        for (name, probe, package) in &self.all {
            let expected = bursts[usize::from(*package)] * probe.count(*package, BURST);
            let seen = reads(answers, name);
            if seen != [Some(expected)] {
                wrong.push(format!("{name} {probe:?}: {seen:?}, not {expected}"));
            }
        }
        assert_none(&wrong);
    }
}

/// Returns the lines of the kernel's log since the last call.
fn new_log(session: &mut Session) -> String {
    session.ok("dmesg -c")
}
