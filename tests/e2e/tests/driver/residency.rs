// SPDX-License-Identifier: GPL-2.0

//! The residency counters 0x3FC and 0x3FD, which always run and belong to a
//! core: they show the core of the CPU that counts for the package.

use crate::driver::{usual_machine, BURST};
use uncore_e2e::perf::Event;
use uncore_e2e::prelude::*;

fn pmu() -> String {
    BoxKind::Pcu.pmu(0)
}

/// Returns the number of events, and the mismatches of their counts.
pub(crate) fn mismatches(session: &mut Session, uclk: u64) -> (usize, Vec<String>) {
    let all = Residency::all();
    if all.is_empty() {
        return (0, Vec::new());
    }
    let mut stat = Stat::burst(uclk).option("--per-socket");
    for residency in all {
        let name = residency.event();
        stat = stat.event(&Event::new(pmu(), name).named(name));
    }
    let table = session.stat(&stat);
    let mut wrong = Vec::new();
    for (cpu, package) in session
        .cpumask(&pmu())
        .into_iter()
        .zip(Platform::packages().iter().copied())
    {
        let core = session.core_of(cpu);
        for residency in all {
            let name = residency.event();
            let expected = residency.count(package, core, uclk);
            let line = table.at(name, Place::Socket(package));
            let seen = line.map(|line| line.exact(1.0));
            if seen != Ok(Some(expected)) {
                wrong.push(format!(
                    "{name} in package {package}: {seen:?}, not {expected}"
                ));
            }
        }
    }
    (all.len(), wrong)
}

#[test]
fn residencies_are_those_of_the_core_that_counts() {
    on(&usual_machine(), |session| {
        let (_, wrong) = mismatches(session, BURST);
        assert_none(&wrong);
    });
}

/// The residency events take none of the four counters.
#[test]
fn residencies_leave_the_general_counters_free() {
    on(&usual_machine(), |session| {
        let names = [
            "clockticks",
            "prochot_internal_cycles",
            "vr_hot_cycles",
            "memory_phase_shedding_cycles",
        ];
        let four = Wanted::all(names.map(Probe::pcu));
        let mut stat = Stat::burst(BURST).option("--per-socket");
        let residencies = Residency::ALL.map(|residency| Event::new(pmu(), residency.event()));
        let general = names.map(|name| Event::new(pmu(), name).named(name));
        stat = stat.group(&[&general[..], &residencies[..]].concat());
        let table = session.stat(&stat);
        for (name, probe) in names.iter().zip(names.map(Probe::pcu)) {
            for &package in Platform::packages() {
                let line = table.at(name, Place::Socket(package)).expect("a line");
                assert_eq!(
                    probe.exact(line),
                    Some(probe.count(package, BURST)),
                    "{name}"
                );
            }
        }
        session.counts(BURST, Platform::packages(), &four);
    });
}

/// The residency counters have neither threshold nor edge detection.
#[test]
fn residencies_have_no_settings() {
    on(&usual_machine(), |session| {
        for residency in Residency::ALL {
            let config = session.event_config(&pmu(), residency.event());
            let open = |more: u64| format!("open it pmu={} config={:#x}", pmu(), config | more);
            let answers = session.perf_open(&[
                open(0),
                open(1 << 24),
                open(1 << 14),
                open(1 << 24 | 1 << 18),
                open(1 << 24 | 1 << 30),
                format!("{} config1=0x10", open(0)),
            ]);
            let mut expected = vec!["it EINVAL"; answers.len()];
            expected[0] = "it ok";
            assert_eq!(answers, expected, "{residency:?}");
        }
    });
}
