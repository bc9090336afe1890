// SPDX-License-Identifier: GPL-2.0

//! perf's own tests of PMUs and events: what passes on a machine without the
//! module passes with it.

use crate::{machine, Perf};
use ivbep_e2e::fixture::{on, Session};
use ivbep_e2e::{Config, Driver};
use std::collections::BTreeMap;

/// Tests that read the PMUs of the machine, by words of their names.
const TESTS: [&str; 4] = [
    "'Parse event definition strings'",
    "'Uncore event sorting'",
    "'Sysfs PMU tests'",
    "'PMU event'",
];

/// Each test and its result: Ok, Skip, FAILED!.
fn results(session: &mut Session, perf: Perf) -> BTreeMap<String, String> {
    let mut results = BTreeMap::new();
    for test in TESTS {
        let output = session.run(&format!("{} test {test} 2>&1", perf.program()));
        for line in output.stdout.lines() {
            let Some((test, result)) = line.rsplit_once(": ") else {
                continue;
            };
            let word = result.split_whitespace().next().unwrap_or_default();
            if ["Ok", "Skip", "FAILED!"].contains(&word) {
                results.insert(test.trim().to_owned(), word.to_owned());
            }
        }
    }
    results
}

#[test]
fn no_test_of_perf_fails_because_of_the_module() {
    let without = Config {
        driver: Driver::None,
        ..machine(&[])
    };
    for perf in Perf::BOTH {
        let mut before = BTreeMap::new();
        on(&without, |session| before = results(session, perf));
        let passed = before.values().filter(|result| *result == "Ok").count();
        assert!(passed >= 8, "{perf:?}: only {passed} tests: {before:?}");
        on(&machine(&[]), |session| {
            let after = results(session, perf);
            for (test, result) in &before {
                let now = after.get(test);
                let worse = now.is_none_or(|now| now == "FAILED!") && result != "FAILED!";
                assert!(
                    !worse,
                    "{perf:?} {test}: {result} without, {now:?} with the module"
                );
            }
        });
    }
}
