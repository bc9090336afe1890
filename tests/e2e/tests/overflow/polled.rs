// SPDX-License-Identifier: GPL-2.0

//! Counters that the driver polls often enough: those of boxes without an overflow
//! interrupt, and all counters with `overflow=poll`.

use crate::overflow::clocks::{interrupting, polled};
use crate::overflow::{by_interrupt, few_or, CPUS};
use std::time::Duration;
use uncore_e2e::prelude::*;

/// Milliseconds in which the driver polls at least once.
const INTERVAL: u32 = 61_000;

/// Less than each clock can make in that time: more is no count.
const BURST: u64 = 1 << 36;

/// Number of bursts to a wrap of 44 bits.
const BURSTS: u64 = 256;

/// Counts on both packages through `bursts` bursts, with a poll after each.
fn count_through(session: &mut Session, probes: &[Probe], bursts: u64) {
    let mut steps = Vec::new();
    let mut names = Vec::new();
    for (index, probe) in probes.iter().enumerate() {
        for (package, cpu) in Platform::packages().iter().copied().zip(CPUS) {
            let name = format!("event{index}-{package}");
            steps.push(probe.open(&name, cpu));
            names.push((name, probe, package));
        }
    }
    steps.push(format!(
        "times {bursts} machine burst {BURST}; poll {INTERVAL}"
    ));
    steps.extend(names.iter().map(|(name, ..)| format!("read {name}")));
    let answers = session.perf_open(&steps);
    for (name, probe, package) in names {
        let expected = bursts * probe.count(package, BURST);
        assert_eq!(reads(&answers, &name), [Some(expected)], "{probe:?}");
    }
}

fn no_interrupts(session: &mut Session) {
    let interrupts = session.interrupts();
    assert_eq!(interrupts.of_cpus("delivered"), 0, "{interrupts:?}");
    for sent in &interrupts.packages {
        assert_eq!(sent["raised"], 0, "{interrupts:?}");
    }
}

/// The usual machine, with interrupts for the boxes that have one.
fn usual() -> Config {
    if Platform::interrupts() {
        by_interrupt()
    } else {
        Config::default()
    }
}

#[test]
fn boxes_without_an_interrupt_count_on_through_every_wrap() {
    on(&usual().with_jumps(), |session| {
        session.machine("clear-interrupts");
        let bursts = BURSTS * few_or(10);
        count_through(session, &polled(), bursts);
        no_interrupts(session);
        for package in session.overflow() {
            assert!(package.numbers["polls"] >= bursts / 4, "{package:?}");
        }
    });
}

/// All boxes count right without any interrupt.
#[test]
fn all_boxes_can_be_polled() {
    let by_polling = Config {
        parameters: vec!["overflow=poll".to_owned()],
        timeout: Some(Duration::from_secs(600)),
        ..Config::default().with_jumps()
    };
    on(&by_polling, |session| {
        session.machine("clear-interrupts");
        // So that all of them wrap, the slowest after twelve bursts.
        session.machine(&format!("preload-all {}", 4 * BURST));
        let fixed = Probe::ubox("clockticks");
        let all: Vec<Probe> = interrupting()
            .into_iter()
            .chain(polled())
            .chain([fixed])
            .collect();
        count_through(session, &all, 32);
        no_interrupts(session);
        for package in session.overflow() {
            assert!(package.mode.starts_with("poll"), "{package:?}");
        }
    });
}
