// SPDX-License-Identifier: GPL-2.0

//! Groups of perf: one that fits is counted completely and exactly; a weak one that does not fit is
//! taken apart. The engine's `sweep` has the groups of each type of box, in any order.

use crate::driver::{usual_machine, BURST};
use uncore_e2e::prelude::*;

#[test]
fn a_group_that_needs_every_counter_counts() {
    platforms!(each);
    on(&usual_machine(), |session| {
        let group = Wanted::all(Platform::full_group());
        session.counts_group(BURST, Platform::packages(), &group);
    });
}

/// Returns one event more of a C-Box than it can count.
fn over_full() -> Vec<Probe> {
    let probe = Probe::cbox(0, Platform::asked().two_of_a_cbox[0]);
    let counters = probe.counters().expect("a general counter").count_ones();
    vec![probe; counters as usize + 1]
}

/// perf takes a weak group apart and counts its events in turns.
#[test]
fn a_weak_group_that_does_not_fit_is_taken_apart() {
    platforms!(; each);
    on(&usual_machine(), |session| {
        let events: Vec<String> = over_full().iter().map(|e| e.event().to_string()).collect();
        let command = format!(
            "perf stat -j -a --per-socket -e '{{{}}}:W' -- \
             perf-open 'burst {BURST} 100 2000'",
            events.join(",")
        );
        let output = session.run(&command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(!output.stderr.contains("<not"), "{}", output.stderr);
    });
}
