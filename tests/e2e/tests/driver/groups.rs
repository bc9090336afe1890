// SPDX-License-Identifier: GPL-2.0

//! Groups of perf: one that fits is counted completely and exactly, in any order of its events; one
//! that does not fit is refused as a whole. The engine's `sweep` has the groups of each type of box.

use crate::driver::{two_of_a_cbox, usual_machine, BURST};
use uncore_e2e::prelude::*;

/// All orders of a list.
fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(index);
        for mut order in permutations(&rest) {
            order.insert(0, first.clone());
            all.push(order);
        }
    }
    all
}

/// Returns a group that needs every counter of its box, with few legal placements.
fn full_group() -> Vec<Probe> {
    let (kind, names): (_, &[&str]) = match Platform::current() {
        Platform::Ivbep => (
            BoxKind::Cbox,
            &[
                "tor_occupancy.all",
                "llc_victims.m_state",
                "ring_ad_used.up",
                "clockticks",
            ],
        ),
        Platform::Bdx => (
            BoxKind::Cbox,
            &[
                "tor_occupancy.all",
                "fast_asserted",
                "ring_iv_used.up",
                "clockticks",
            ],
        ),
        Platform::Snb => (
            BoxKind::Arb,
            &[
                "coh_trk_occupancy.all",
                "coh_trk_requests.all",
                "clockticks",
            ],
        ),
        Platform::Nhmex => (
            BoxKind::Bbox,
            &["tf_all", "imt_inserts_all", "imt_ne_cycles", "imt_full"],
        ),
    };
    let probes = names.iter().map(|name| Probe::new(kind, 0, name));
    probes.collect()
}

#[test]
fn a_constrained_group_counts_in_any_order() {
    platforms!(each);
    on(&usual_machine(), |session| {
        for order in permutations(&full_group()) {
            session.counts_groups(BURST, Platform::packages(), &[Wanted::all(order)]);
        }
    });
}

/// Returns one event more of a C-Box than it can count.
fn over_full() -> Vec<Probe> {
    let probe = Probe::cbox(0, two_of_a_cbox()[0]);
    let counters = probe.counters().expect("a general counter").count_ones();
    vec![probe; counters as usize + 1]
}

#[test]
fn one_event_too_many_in_a_group_is_refused() {
    platforms!(e7; e5 client);
    on(&usual_machine(), |session| {
        let group = over_full();
        let last = group.len() - 1;
        let open = |(index, probe): (usize, &Probe)| match index {
            0 => probe.open("event0", 0),
            _ => probe.open_in(&format!("event{index}"), 0, "event0"),
        };
        let steps: Vec<String> = group.iter().enumerate().map(open).collect();
        let answers = session.perf_open(&steps);
        let mut expected: Vec<String> = (0..last).map(|index| format!("event{index} ok")).collect();
        expected.push(format!("event{last} EINVAL"));
        assert_eq!(answers, expected);
        session.last_rejection_has(&["cbox_0: ", "counter"]);
    });
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
