// SPDX-License-Identifier: GPL-2.0

//! Events that a user enables, disables and resets. The engine's `sweep` has those that make room
//! for others.

use std::collections::BTreeSet;

use crate::driver::{one_of_each_type, two_of_a_cbox, usual_machine, BURST};
use uncore_e2e::fixture::samples;
use uncore_e2e::prelude::*;

platforms!(; e5 client);

/// Returns the name and the value of each answer.
fn without_times(answers: Vec<String>) -> Vec<String> {
    let two_words = |answer: String| answer.split(' ').take(2).collect::<Vec<_>>().join(" ");
    answers.into_iter().map(two_words).collect()
}

/// Perf deletes and adds all events of a box when a user enables one. It is enabled beside another
/// event first, then without it.
#[test]
fn an_event_that_is_enabled_leaves_the_registers_of_others_alone() {
    let [stays, toggled] = two_of_a_cbox().map(|name| Probe::cbox(0, name));
    // A verified register would be one more.
    let config = Config {
        parameters: vec!["tamper=off".to_owned()],
        ..usual_machine()
    };
    on(&config, |session| {
        let steps = [
            "machine log take",
            "disable toggled",
            "enable toggled",
            "machine log take",
        ];
        let accesses = |answers: &[String]| -> BTreeSet<String> {
            let register = |line: &String| line.split(' ').take(3).collect::<Vec<_>>().join(" ");
            answers.iter().map(register).collect()
        };
        let mut logs = [true, false].map(|beside| {
            let mut all = vec![toggled.open("toggled", 0)];
            if beside {
                all.push(stays.open("stays", 0));
            }
            all.push("machine log on".to_owned());
            all.extend(steps.map(str::to_owned));
            all.push("machine log off".to_owned());
            let opened = all.iter().filter(|step| step.starts_with("open")).count();
            accesses(&session.perf_open(&all)[opened..])
        });
        let [beside, alone] = &mut logs;
        assert!(!beside.is_empty() && beside.is_subset(alone), "{logs:?}");
    });
}

#[test]
fn a_disabled_event_counts_nothing_and_a_reset_starts_at_zero() {
    on(&usual_machine(), |session| {
        let fixed = BoxKind::all().filter(|kind| kind.has_fixed());
        let fixed = fixed.map(|kind| Probe::new(kind, 0, "clockticks"));
        let others = samples().filter(|probe| probe.instance == 1);
        for probe in one_of_each_type().into_iter().chain(fixed).chain(others) {
            let each = probe.count(0, BURST);
            let burst = format!("burst {BURST}");
            let open = format!("{} disabled", probe.open("event", 0));
            let answers = session.perf_open(&[
                &open,
                &burst,
                "read event",
                "enable event",
                &burst,
                "read event",
                "disable event",
                &burst,
                "read event",
                "enable event",
                &burst,
                "read event",
                "reset event",
                &burst,
                "read event",
            ]);
            let counts = [0, each, each, 2 * each, each].map(|count| format!("event {count}"));
            assert_eq!(without_times(answers)[1..], counts, "{probe:?}");
        }
    });
}
