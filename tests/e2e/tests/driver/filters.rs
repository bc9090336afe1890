// SPDX-License-Identifier: GPL-2.0

//! Filters that two events of a box need: perf's turns of them. The engine's `sweep` has the filters
//! of each type of box.

use crate::driver::{usual_machine, BURST};
use uncore_e2e::prelude::*;

platforms!(e7; e5 polled);

/// Outside a group each count is a whole number of bursts, no burst counts for both events, and both
/// get their turn.
#[test]
fn conflicting_filters_take_turns_and_never_count_wrong() {
    const BURSTS: u64 = 100;
    on(&usual_machine(), |session| {
        for [first, second] in Platform::conflicting() {
            let answers = session.perf_open(&[
                first.open("first", 0),
                second.open("second", 0),
                format!("burst {BURST} {BURSTS} 2000"),
                "read first".to_owned(),
                "read second".to_owned(),
            ]);
            let turns = |name, probe: &Probe| {
                let each = probe.count(0, BURST);
                let seen = reads(&answers, name);
                let [Some(seen)] = seen[..] else {
                    panic!("{answers:?}");
                };
                assert_eq!(seen % each, 0, "{probe:?}: {seen} is no multiple of {each}");
                seen / each
            };
            let (first, second) = (turns("first", &first), turns("second", &second));
            assert!(first > 0 && second > 0, "{first} and {second} turns");
            assert!(first + second <= BURSTS, "{first} and {second} turns");
        }
    });
}
