// SPDX-License-Identifier: GPL-2.0

//! Counters that the driver polls often enough: all of them with `overflow=poll`.

use crate::overflow::clocks::{interrupting, polled};
use crate::overflow::CPUS;
use std::time::Duration;
use uncore_e2e::prelude::*;

platforms!(; e5 client);

/// Milliseconds in which the driver polls at least once.
const INTERVAL: u32 = 61_000;

/// Less than each clock can make in that time: more is no count.
const BURST: u64 = 1 << 36;

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
        let fixed = BoxKind::Ubox.exists().then(|| Probe::ubox("clockticks"));
        let mut all = polled();
        if Platform::interrupts() {
            all.extend(interrupting());
        }
        all.extend(fixed);
        count_through(session, &all, 32);
        no_interrupts(session);
        for package in session.overflow() {
            assert!(package.mode.starts_with("poll"), "{package:?}");
        }
    });
}
