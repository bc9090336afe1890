// SPDX-License-Identifier: GPL-2.0

//! Successive wraps of a counter that interrupts when it overflows.

use crate::overflow::clocks::interrupting;
use crate::overflow::{by_interrupt, few_or, without_unknown_nmis, CPUS, PACKAGES};
use uncore_e2e::prelude::*;

platforms!(; e5);

const WRAPS: u64 = 1000;

/// Distance of a preloaded counter from its wrap.
const BEFORE: u64 = 1000;

/// Cycles of uclk in which each counter wraps once.
const BURST: u64 = 5000;

/// Checks that in each package every wrap raised one interrupt, and that each interrupt
/// was delivered to one CPU.
fn all_by_interrupt(session: &mut Session, wraps: u64) {
    let interrupts = session.interrupts();
    for package in PACKAGES {
        let sent = &interrupts.packages[usize::from(package)];
        assert_eq!(sent["raised"], wraps, "package {package}: {interrupts:?}");
    }
    assert_eq!(interrupts.of_cpus("delivered"), 2 * wraps, "{interrupts:?}");
}

/// Wraps a counter `wraps` times in both packages. Each time the machine preloads it before an
/// event has it, so that it is nearly full.
fn wrap(session: &mut Session, probe: &Probe, wraps: u64) {
    let before = session.overflow();
    session.machine("clear-interrupts");
    let unit = probe.kind.unit();
    let [first, second] =
        [("first", CPUS[0]), ("second", CPUS[1])].map(|(name, cpu)| probe.open(name, cpu));
    let answers = session.perf_open(&[format!(
        "times {wraps} machine preload-all {BEFORE} {unit}; {first}; {second}; \
         machine burst-through {BURST}; settle; read first; read second; close first; close second"
    )]);
    for (name, package) in ["first", "second"].into_iter().zip(PACKAGES) {
        let seen = reads(&answers, name);
        let counted = probe.count(package, BURST);
        assert_eq!(seen.len() as u64, wraps, "{probe:?}");
        assert!(
            seen.iter().all(|count| *count == Some(counted)),
            "{probe:?}: {seen:?}"
        );
    }
    all_by_interrupt(session, wraps);
    for (package, (after, before)) in session.overflow().iter().zip(&before).enumerate() {
        let grown = after.numbers.since(&before.numbers);
        // The timer may find an overflow just before its interrupt comes, which is late then.
        let seen = [grown["taken"] + grown["late"], grown["spurious"]];
        assert_eq!(seen, [wraps, 0], "package {package}: {grown:?}");
    }
}

#[test]
fn each_type_of_box_counts_on_through_wraps() {
    without_unknown_nmis(&by_interrupt(), |session| {
        // The sources disagree on the width of the UBox' fixed counter, and the driver finds out.
        for probe in interrupting()
            .into_iter()
            .chain([Probe::ubox("clockticks")])
        {
            wrap(session, &probe, few_or(WRAPS));
        }
    });
}
