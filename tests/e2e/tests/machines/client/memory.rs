// SPDX-License-Identifier: GPL-2.0

//! The counters of the memory controller: across their wrap, for several users, while CPUs
//! go, the driver is loaded again, and the machine sleeps. The sweep counts each of them.

use super::super::{machine, BURST};
use uncore_e2e::prelude::*;

platforms!(; client);

/// Puts the counters so near to their wrap that it is in the next burst.
const NEAR: &str = "machine preload-all 1000 imc";

/// Returns the counters with names for their events.
fn named() -> impl Iterator<Item = (String, &'static MemoryCounter)> {
    let all = MemoryCounter::all().iter();
    all.map(|counter| (counter.event.to_owned(), counter))
}

/// Returns steps that open an event of each counter.
fn opens() -> Vec<String> {
    named()
        .map(|(name, counter)| counter.open(&name, 0))
        .collect()
}

/// Returns steps that read these events.
fn read_all() -> impl Iterator<Item = String> {
    named().map(|(name, _)| format!("read {name}"))
}

/// Checks that each read has found so many bursts.
fn have_counted(answers: &[String], bursts: &[u64]) {
    for (name, counter) in named() {
        let each = counter.count(BURST);
        let expected: Vec<_> = bursts.iter().map(|bursts| Some(bursts * each)).collect();
        assert_eq!(reads(answers, &name), expected, "{name}: {answers:?}");
    }
}

/// The counters are 0 after the sleep, or as they were: neither is in a count.
#[test]
#[ignore = "only on a client"]
fn counts_go_on_while_cpus_go_and_the_machine_sleeps() {
    for readings in [&[][..], &[("reading", "S-15:b")]] {
        let config = machine(&[&[("sleep", "on")], readings].concat());
        on_new(&config, |session| {
            // Twice: with the driver as it was loaded, and loaded again.
            for _ in 0..2 {
                let mut steps = vec![NEAR.to_owned()];
                steps.extend(opens());
                let between = [switch(1, false), switch(1, true), "suspend mem".to_owned()];
                for step in between.map(|step| format!("run {step}")) {
                    steps.extend([format!("burst {BURST}"), step]);
                    steps.extend(read_all());
                }
                steps.push(format!("burst {BURST}"));
                steps.extend(read_all());
                have_counted(&session.perf_open(&steps), &[1, 2, 3, 4]);
                session.reload();
            }
        });
    }
}
