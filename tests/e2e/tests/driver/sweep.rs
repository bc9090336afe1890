// SPDX-License-Identifier: GPL-2.0

//! A sweep through stock perf: one in ten of the named events and filters that the engine's `sweep`
//! takes, and an event of each box; all with `UNCORE_REPEAT=all`. The test prints its number of cases.
//!
//! The burst is so long that no two signals of the machine give the same count: an event that counts
//! a neighbour's traffic cannot pass. As many events as fit are counted at a time, on all types of
//! boxes at once; none may be multiplexed.

use crate::driver::{usual_machine, LONG_BURST};
use std::io::{stderr, Write as _};
use uncore_e2e::fixture::{few, pack::pack, samples};
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::events::{fixed, rows};
use uncore_e2e::sweep::filters::settings;

/// Prints a line even if the test passes, when the output of `print` is withheld.
fn announce(line: &str) {
    writeln!(stderr(), "{line}").expect("standard error is open");
}

/// Without an alias, perf takes no event of the driver's from its own list.
fn machine_with_own_names() -> Config {
    let mut config = usual_machine();
    if !Platform::asked().named_by_perf.is_empty() {
        config.parameters.push("alias=none".to_owned());
    }
    config
}

/// Counts all of them and returns their number.
fn sweep(session: &mut Session, probes: Vec<Probe>, wrong: &mut Vec<String>) -> usize {
    let number = probes.len();
    for run in pack(probes.into_iter().map(|probe| vec![probe])) {
        let wanted = Wanted::all(run);
        wrong.extend(session.mismatches(LONG_BURST, Platform::packages(), &wanted));
    }
    number
}

#[test]
fn every_event_and_every_filter() {
    platforms!(each);
    on(&machine_with_own_names(), |session| {
        let mut wrong = Vec::new();
        let shape = Shape::of(&usual_machine());
        let named = few(rows(&shape)).chain(fixed(&shape)).chain(samples());
        let events = sweep(session, named.collect(), &mut wrong);
        let filters = sweep(session, few(settings()).collect(), &mut wrong);
        announce(&format!(
            "swept {events} events, {filters} filter settings: {} wrong",
            wrong.len()
        ));
        assert_none(&wrong);
    });
}

/// perf finds the missing part of an event in its file under `events/`; with `-v` it
/// names the missing filter.
#[test]
fn perf_itself_asks_for_a_missing_filter() {
    platforms!(e7);
    on(&usual_machine(), |session| {
        for (event, field) in Platform::asked().missing {
            let event = format!("{}/", Platform::current().pmu(event));
            session.fails(&format!("perf stat -a -e {event} -- true"));
            let said = session.run(&format!("perf stat -v -a -e {event} -- true 2>&1"));
            assert!(said.stdout.contains(field), "{}", said.stdout);
        }
    });
}
