// SPDX-License-Identifier: GPL-2.0

//! Kernels that run out of memory, at each allocation in turn. Only the debug kernel
//! has them fail on demand.

use crate::lifetime::{device, samples, without_driver, BURST, LOAD, PACKAGES, UNLOAD};
use ivbep_e2e::catalogue::BoxKind;
use ivbep_e2e::fixture::{on, Session, Wanted};
use ivbep_e2e::{Config, Flavour, MODULE};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Of the allocations of loading, nearly all are names in sysfs: each 499th is in another
/// PMU, or elsewhere in the same.
const STRIDE: u32 = 499;
/// Before the first PMU, each allocation is another.
const FIRST: u32 = 150;
/// Hundreds of loads that fail, each later than the one before.
const PATIENCE: Duration = Duration::from_secs(900);

/// A test on a kernel whose allocations can be made to fail, and with the module.
fn with_failures(test: impl FnOnce(&mut Session)) {
    let config = Config {
        timeout: Some(PATIENCE),
        ..without_driver()
    };
    if config.flavour != Flavour::Debug {
        return;
    }
    on(&config, |session| {
        session.ok(LOAD);
        test(session);
        session.counts(BURST, &PACKAGES, &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}

/// The kernel does without some of what it asks for.
fn is_sound(outcome: &str) -> bool {
    ["ok", "ENOMEM"].contains(&outcome) || outcome.contains("memory")
}

/// What `fail-nth` prints: how often it came to what.
fn outcomes(session: &mut Session, arguments: &str) -> BTreeMap<String, u32> {
    let printed = session.ok(&format!("fail-nth {arguments}"));
    println!("{arguments}:\n{printed}");
    let lines = printed.lines().filter_map(|line| line.split_once(' '));
    let parse = |(times, outcome): (&str, &str)| Some((outcome.to_owned(), times.parse().ok()?));
    lines.filter_map(parse).collect()
}

#[test]
fn an_event_is_refused_and_the_next_one_opens() {
    with_failures(|session| {
        for probe in samples() {
            let open = probe.open("event", 0);
            let answers = session.perf_open(&[format!("failing {open}")]);
            let (last, failing) = answers.split_last().expect("answers");
            assert!(last.ends_with(" ok"), "{last}");
            let outcomes = failing
                .iter()
                .filter_map(|answer| answer.rsplit(' ').next());
            let outcomes: BTreeSet<&str> = outcomes.collect();
            assert!(
                outcomes.iter().all(|outcome| is_sound(outcome)),
                "{failing:?}"
            );
            assert!(outcomes.contains("ENOMEM"), "{failing:?}");
        }
    });
}

#[test]
fn a_function_is_not_bound_and_the_next_time_is() {
    const DRIVER: &str = "/sys/bus/pci/drivers/ivbep_uncore_pmu";
    with_failures(|session| {
        for kind in [BoxKind::Ha, BoxKind::Imc, BoxKind::Qpi, BoxKind::R2pcie] {
            let device = device(0, kind, 0);
            let (_, function) = device.rsplit_once('/').expect("a path");
            let (bind, unbind) = (format!("{DRIVER}/bind"), format!("{DRIVER}/unbind"));
            session.ok(&format!("echo {function} > {unbind}"));
            let walk = format!("1 end 1 write {bind} {function} {unbind} {function}");
            let outcomes = outcomes(session, &walk);
            session.ok(&format!("echo {function} > {bind}"));
            assert!(
                outcomes.keys().all(|outcome| is_sound(outcome)),
                "{outcomes:?}"
            );
            assert!(outcomes.len() > 1, "{outcomes:?}");
        }
    });
}

#[test]
fn a_load_fails_and_the_next_one_does_not() {
    with_failures(|session| {
        session.ok(UNLOAD);
        for walk in [format!("1 {FIRST} 1"), format!("{FIRST} end {STRIDE}")] {
            let outcomes = outcomes(session, &format!("{walk} load {MODULE} ivbep_uncore"));
            assert!(
                outcomes.keys().all(|outcome| is_sound(outcome)),
                "{outcomes:?}"
            );
            assert!(outcomes.len() > 1, "{outcomes:?}");
        }
        session.ok(LOAD);
    });
}
