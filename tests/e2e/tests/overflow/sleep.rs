// SPDX-License-Identifier: GPL-2.0

//! Intervals before and after a sleep of the machine.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::INTERVAL;
use crate::overflow::{by_interrupt, without_unknown_nmis, CPUS};
use uncore_e2e::prelude::*;

platforms!(; e5);

/// Cycles of uclk in which the slowest clock ends an interval.
const UCLK: u64 = 4 * INTERVAL;

/// After suspend to RAM all that leads interrupts to CPU 0 is set anew: the core select,
/// IA32_DEBUGCTL and LVTPC.
#[test]
fn intervals_go_on_after_a_sleep() {
    let config = by_interrupt().with("sleep", "on").with("reading", "U-46:b");
    without_unknown_nmis(&config, |session| {
        session.ok("insmod /lib/modules/wake_up.ko");
        for state in ["freeze", "mem"] {
            let burst = [format!("machine burst-through {UCLK}"), "settle".to_owned()];
            let clocks = boxes();
            let names: Vec<String> = (0..clocks.len()).map(|n| format!("event{n}")).collect();
            let all = || clocks.iter().zip(&names);
            let mut steps: Vec<String> = all()
                .map(|(probe, name)| probe.open_every(name, CPUS[0], INTERVAL))
                .collect();
            steps.extend(burst.clone());
            steps.push(format!("run suspend {state}"));
            steps.push("machine clear-interrupts".to_owned());
            steps.extend(burst);
            steps.extend(names.iter().map(|name| format!("read {name}")));
            let before = session.overflow();
            let answers = session.perf_open(&steps);
            for (probe, name) in all() {
                let expected = 2 * probe.count(0, UCLK);
                let seen = reads(&answers, name);
                assert_eq!(seen, [Some(expected)], "{state}: {probe:?}");
            }
            let interrupts = session.interrupts();
            assert!(interrupts.cpus[0]["delivered"] > 0, "{interrupts:?}");
            let after = &session.overflow()[0].numbers;
            let grown = after.since(&before[0].numbers);
            assert_eq!(grown["caught_by_timer"], 0, "{state}: {grown:?}");
        }
        session.ok("rmmod wake_up");
    });
}
