// SPDX-License-Identifier: GPL-2.0

//! Sleep, hibernation, and the start of another kernel, while events count.
//!
//! CPU 0 stays online in suspend to RAM and in hibernation. So package 0 keeps its events;
//! those of package 1, if there is one, stay open with their counts, and only new ones count.

mod hibernation;
mod kexec;
mod suspend;

use uncore_e2e::prelude::*;

/// First CPU of each package.
const CPUS: [u16; 2] = [0, 2];

/// A burst in which most signals differ and that takes no time.
const BURST: u64 = 1_000_000;

/// Events of every type of box, also with filters and on fixed counters.
fn probes() -> Vec<Probe> {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => probes_of_xeons(),
        platform => (platform.asked().slept)(),
    }
}

fn probes_of_xeons() -> Vec<Probe> {
    vec![
        Probe::ubox("clockticks"),
        Probe::ubox("lock_cycles"),
        Probe::cbox(0, "clockticks"),
        Probe::cbox(1, "tor_inserts.opcode").opc(0x182),
        Probe::cbox(2, "tor_occupancy.all"),
        Probe::ha(0, "bt_occupancy.local"),
        Probe::ha(1, "addr_opc_match.ad").home_opcode(0x3f),
        Probe::imc(0, "clockticks"),
        Probe::imc(5, "cas_count.rd"),
        Probe::irp(0, "transactions.reads"),
        Probe::irp(1, "transactions.reads_orderingq"),
        Probe::pcu("freq_band0_cycles").band(0, 20),
        Probe::qpi(0, "message.drs.anydatac"),
        Probe::qpi(1, "clockticks"),
        Probe::r2pcie("clockticks"),
        Probe::r3qpi(0, "clockticks"),
    ]
}

/// A group of two.
fn pair() -> [Probe; 2] {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => {
            ["cas_count.rd", "cas_count.wr"].map(|name| Probe::imc(7, name))
        }
        platform => (platform.asked().pair)(),
    }
}

/// A clock that always runs while it counts.
fn clock() -> Probe {
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => Probe::cbox(0, "clockticks"),
        platform => (platform.asked().clock)(),
    }
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
