// SPDX-License-Identifier: GPL-2.0

//! perf's own tests of PMUs and events: a test that passes on a machine without the
//! module passes with it.
//!
//! One exception is an error of perf: "Uncore event sorting" opens the first two events
//! of a PMU that it finds, and knows no parameters (`filter_nid=?`) and no events that its list has
//! for one of several boxes (`unc_clock.socket`).

use crate::names::{machine, Perf};
use std::collections::BTreeMap;
use uncore_e2e::prelude::*;

platforms!(; e5 polled client first);

/// Tests that read the PMUs of the machine. The tests of perf's built-in tables read
/// none, and take minutes.
const TESTS: [&str; 4] = [
    "Parse event definition strings",
    "Uncore event sorting",
    "Sysfs PMU tests",
    "Event groups",
];

/// Tests, or parts of tests, that must have been run: the first is skipped on a machine
/// without the PMUs that it knows by their plain names.
const AMONG_THEM: [&str; 2] = ["Event groups", "PMU cmdline match"];

/// The test that may fail because it opens an event without the parameter that the event asks
/// for, or one of a single box.
const MAY_FAIL: &str = "Uncore event sorting";

/// Returns the numbers of the tests: the older perf finds tests only by number.
fn numbers(session: &mut Session, perf: Perf) -> Vec<String> {
    let list = session.ok(&format!("{} test list 2>&1", perf.program()));
    let tests = list.lines().filter_map(|line| line.split_once(": "));
    let tests = tests.filter(|(_, name)| TESTS.contains(&name.trim()));
    tests.map(|(number, _)| number.trim().to_owned()).collect()
}

/// Returns each test and its result: Ok, Skip, FAILED!.
fn results(session: &mut Session, perf: Perf) -> BTreeMap<String, String> {
    let mut results = BTreeMap::new();
    for test in numbers(session, perf) {
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

/// Returns true if it is the one test that may fail, and it says that it lacks a parameter or boxes.
fn errs(session: &mut Session, perf: Perf, test: &str) -> bool {
    if !test.contains(MAY_FAIL) {
        return false;
    }
    let number = test.split_once(": ").map_or(test, |(number, _)| number);
    let verbose = session.run(&format!("{} test -v {number} 2>&1", perf.program()));
    let lacks = |what| verbose.stdout.contains(what);
    lacks("Required parameter '")
        || lacks("/unc_clock.socket/") && lacks("Number of events is >= 4")
}

#[test]
fn no_test_of_perf_fails_because_of_the_module() {
    let without = Config {
        driver: Driver::None,
        ..machine(&[])
    };
    for perf in Perf::BOTH {
        let before = on(&without, |session| results(session, perf));
        let passed = before.values().filter(|result| *result == "Ok").count();
        assert!(passed >= 8, "{perf:?}: only {passed} tests: {before:?}");
        on(&machine(&[]), |session| {
            let after = results(session, perf);
            for name in AMONG_THEM {
                let result = after.iter().find(|(test, _)| test.ends_with(name));
                let ok = result.is_some_and(|(_, result)| result != "FAILED!");
                assert!(ok, "{perf:?} {name}: {after:?}");
            }
            for (test, result) in &before {
                let now = after.get(test);
                let worse = now.is_none_or(|now| now == "FAILED!") && result != "FAILED!";
                assert!(
                    !worse || errs(session, perf, test),
                    "{perf:?} {test}: {result} without, {now:?} with the module"
                );
            }
        });
    }
}
