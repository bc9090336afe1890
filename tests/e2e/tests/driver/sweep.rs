// SPDX-License-Identifier: GPL-2.0

//! Sweeps through stock perf: named events, filters, and requests that must be refused: one in ten
//! of those that the engine's `sweep` takes, and an event of each box; all with
//! `UNCORE_REPEAT=all`. Each test prints its number of cases.
//!
//! The burst is so long that no two signals of the machine give the same count: an event that counts
//! a neighbour's traffic cannot pass. As many events as fit are counted at a time, on all types of
//! boxes at once; none may be multiplexed.

mod refusals;

use crate::driver::{one_of_each_type, usual_machine, BURST, LONG_BURST};
use std::io::{stderr, Write as _};
use uncore_e2e::fixture::{few, pack::pack, samples};
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::events::{fixed, rows};
use uncore_e2e::sweep::filters::settings;

/// Prints a line even if the test passes, when the output of `print` is withheld.
fn announce(line: &str) {
    writeln!(stderr(), "{line}").expect("standard error is open");
}

/// Broadwell has events that perf's own list names like the driver. As long as a PMU has an
/// alias, perf takes code, filters and unit from its list.
fn machine_with_own_names() -> Config {
    let mut config = usual_machine();
    if Platform::current() == Platform::Bdx {
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

/// A refusal leaves nothing behind: no register is written, and after all of them good
/// requests count.
#[test]
fn every_refusal_has_a_reason_and_touches_no_register() {
    platforms!(each);
    on(&usual_machine(), |session| {
        let mut wrong = Vec::new();
        if Platform::interrupts() {
            // The first interval in a package has its interrupt tested.
            let pmu = Probe::ha(0, "clockticks").pmu();
            let interval =
                |cpu| format!("try open e pmu={pmu} config=0xffffffff00000000 cpu={cpu}");
            session.perf_open(&[interval(0), interval(2)]);
        }
        let state = session.state();
        session.machine("log take");
        session.machine("log on");
        let refusals = refusals::sweep(session, &mut wrong);
        session.machine("log off");
        announce(&format!("swept {refusals} refusals: {} wrong", wrong.len()));
        let log = session.machine("log take");
        let is_write = |line: &&str| line.starts_with("wrmsr") || line.starts_with("cfgw");
        wrong.extend(log.lines().filter(is_write).map(str::to_owned));
        assert_none(&wrong);
        assert_eq!(session.state(), state);
        session.counts(
            BURST,
            Platform::packages(),
            &Wanted::all(one_of_each_type()),
        );
    });
}
