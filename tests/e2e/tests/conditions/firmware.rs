// SPDX-License-Identifier: GPL-2.0

//! Firmware that uses a counter behind the driver's back.

use super::{load, samples, without_driver, BURST};
use crate::overflow::CPUS;
use uncore_e2e::prelude::*;

platforms!(; e5);

/// A C-Box, whose counter 0 firmware uses, and the control register: the clock.
const UNIT: &str = "cbox_0";
const CONTROL: &str = "0x400000";

/// The driver undoes what firmware did before it came: all counters are the driver's.
#[test]
fn a_counter_that_firmware_has_left_running_counts() {
    on(&without_driver(), |session| {
        session.machine(&format!("firmware 0 {UNIT} 0 {CONTROL}"));
        session.ok("burst 1000");
        load(session);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.unload(Driver::UncoreRs);
        session.machine("firmware off");
    });
}

/// Firmware takes a counter again and again. Events of the box take turns of some milliseconds,
/// and write its control register anew at each. Those that it spoils end.
#[test]
fn a_counter_that_firmware_keeps_taking_is_noticed() {
    // More than the box has counters.
    const EVENTS: usize = 6;
    on(&without_driver(), |session| {
        load(session);
        let probe = Probe::cbox(0, "llc_lookup.any");
        let opens = (0..EVENTS).map(|event| probe.open(&format!("event{event}"), CPUS[0]));
        let mut steps: Vec<String> = opens.collect();
        // After each burst.
        steps.push(format!("machine firmware 0 {UNIT} 0 {CONTROL} 1"));
        let words = "ended:.another.tool";
        steps.push(format!(
            "run until dmesg | grep -q {words}; do burst 1000; sleep 0.005; done"
        ));
        steps.push("machine firmware off".to_owned());
        session.perf_open(&steps);
        let log = session.ok("dmesg -c");
        let ended = format!("{} of {UNIT} (config ", probe.name());
        let is_named = |line: &str| {
            line.contains(&ended)
                && line.contains("ended: another tool or firmware changed its control register")
        };
        assert!(log.lines().any(is_named), "{log}");
        session.unload(Driver::UncoreRs);
    });
}
