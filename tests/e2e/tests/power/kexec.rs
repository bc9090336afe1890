// SPDX-License-Identifier: GPL-2.0

//! Another kernel takes over while events count: nobody resets the machine.

use crate::power::{probes, BURST, CPUS};
use uncore_e2e::prelude::*;

platforms!(; first);

/// Counts of an interval: a burst of all of it is over in a moment.
const INTERVAL: u64 = 5_000_000;

/// Steps that start the kernel of the machine's drives, without a driver.
const START: &str = "run cat /dev/vda >/tmp/kernel && cat /dev/vdb >/tmp/initrd && \
                     kexec /tmp/kernel /tmp/initrd uncore.driver=none";

/// Returns what earlier software can have left that acts by itself: control and status
/// registers, and IA32_DEBUGCTL of all CPUs. Counters and filters may have any value.
fn legacy(session: &mut Session) -> Vec<String> {
    let acts = |register: &&str| ["CTL", "STATUS"].iter().any(|part| register.contains(part));
    let state = session.state();
    let mut found = Vec::new();
    for line in state.lines() {
        let (place, registers) = line.split_once(": ").unwrap_or((line, ""));
        let mut words = registers.split(' ');
        while let Some(register) = words.by_ref().find(acts) {
            let value = words.next().unwrap_or_default();
            found.push(format!("{place} {register} {value}"));
        }
    }
    found.push(session.ok("rdmsr -a 0x1d9"));
    found
}

/// Events of every box count, some with intervals, and one of them would interrupt soon.
#[test]
fn the_next_kernel_finds_nothing_armed_or_frozen() {
    let config = Config::of(Driver::None)
        .with("next-kernel", "on")
        .with("reading", "U-46:b");
    on_new(&config, |session| {
        session.state_after_unloading();
        let clean = legacy(session);
        let parameters = ["overflow=pmi", "frozen_limit=100"].map(str::to_owned);
        session.load(Driver::UncoreRs, &parameters);
        let mut steps = Vec::new();
        for cpu in CPUS {
            let all = probes().into_iter().enumerate();
            steps.extend(all.map(|(index, probe)| probe.open(&format!("{cpu}-{index}"), cpu)));
            let clock = Probe::ha(0, "clockticks");
            steps.push(clock.open_every(&format!("i{cpu}"), cpu, INTERVAL));
        }
        steps.push(format!("machine burst-through {}", INTERVAL * 3 / 2));
        steps.push("settle".to_owned());
        steps.push(START.to_owned());
        session.start_next_kernel(&steps);
        let found = legacy(session);
        assert_eq!(found, clean);
        // What was armed would interrupt now.
        session.machine("clear-interrupts");
        session.machine("preload-all 1000");
        session.ok(&format!("burst {}", 2 * INTERVAL));
        assert_eq!(session.interrupts().packages[0]["raised"], 0);
        session.load(Driver::UncoreRs, &[]);
        session.counts(BURST, Platform::packages(), &Wanted::all(probes()));
    });
}
