// SPDX-License-Identifier: GPL-2.0

//! Events that are opened and closed while others count: an event loses nothing when it
//! moves to another counter, and counts nothing while it is disabled.

use std::collections::BTreeSet;

use crate::driver::{last_package, one_of_each_type, two_of_a_cbox, usual_machine, BURST};
use uncore_e2e::fixture::samples;
use uncore_e2e::prelude::*;

/// Returns steps that open an event at a time with a burst after each: event k counts all
/// bursts but the first k.
fn one_by_one(probes: &[Probe]) -> (Vec<String>, Vec<String>) {
    let mut steps = Vec::new();
    for (index, probe) in probes.iter().enumerate() {
        steps.push(probe.open(&format!("event{index}"), 0));
        steps.push(format!("burst {BURST}"));
    }
    let mut expected: Vec<String> = (0..probes.len()).map(|k| format!("event{k} ok")).collect();
    for (index, probe) in probes.iter().enumerate() {
        steps.push(format!("read event{index}"));
        let bursts = (probes.len() - index) as u64;
        expected.push(format!("event{index} {}", probe.count(0, BURST) * bursts));
    }
    (steps, expected)
}

/// Returns the name and the value of each answer.
fn without_times(answers: Vec<String>) -> Vec<String> {
    let two_words = |answer: String| answer.split(' ').take(2).collect::<Vec<_>>().join(" ");
    answers.into_iter().map(two_words).collect()
}

/// Events of one box in the order in which they are opened.
type Order = (BoxKind, &'static [&'static str]);

const MOVED_ON_IVBEP: &[Order] = &[
    (BoxKind::Cbox, &["clockticks", "tor_occupancy.all"]),
    (
        BoxKind::Cbox,
        &[
            "clockticks",
            "clockticks",
            "llc_victims.m_state",
            "misc.started",
        ],
    ),
    (
        BoxKind::Cbox,
        &[
            "misc.started",
            "rxr_occupancy.irq",
            "clockticks",
            "ring_ad_used.up",
        ],
    ),
    (
        BoxKind::Cbox,
        &[
            "clockticks",
            "ring_ad_used.up",
            "misc.started",
            "tor_occupancy.wb",
        ],
    ),
    (
        BoxKind::R2pcie,
        &[
            "clockticks",
            "rxr_inserts.ncs",
            "rxr_occupancy.drs",
            "ring_ak_used.cw",
        ],
    ),
    (
        BoxKind::R2pcie,
        &[
            "clockticks",
            "clockticks",
            "txr_cycles_ne.bl",
            "txr_nack_ccw.ad",
        ],
    ),
    (
        BoxKind::R3qpi,
        &["clockticks", "txr_nack_cw.bl", "rxr_occupancy.drs"],
    ),
    (
        BoxKind::R3qpi,
        &["clockticks", "ring_bl_used.ccw", "vna_credit_cycles_used"],
    ),
];

const MOVED_ON_BDX: &[Order] = &[
    (BoxKind::Cbox, &["clockticks", "tor_occupancy.all"]),
    (
        BoxKind::Cbox,
        &[
            "clockticks",
            "clockticks",
            "fast_asserted",
            "rxr_occupancy.irq",
        ],
    ),
    (
        BoxKind::Cbox,
        &[
            "fast_asserted",
            "tor_occupancy.wb",
            "ring_iv_used.any",
            "clockticks",
        ],
    ),
    (
        BoxKind::Pcu,
        &[
            "clockticks",
            "vr_hot_cycles",
            "power_state_occupancy.cores_c0",
            "power_state_occupancy.cores_c3",
        ],
    ),
    (
        BoxKind::R2pcie,
        &[
            "clockticks",
            "rxr_inserts.ncs",
            "rxr_occupancy.drs",
            "ring_ak_used.cw",
        ],
    ),
    (
        BoxKind::R2pcie,
        &[
            "clockticks",
            "clockticks",
            "txr_cycles_ne.bl",
            "txr_nack_cw.dn_ad",
        ],
    ),
    (
        BoxKind::R3qpi,
        &["clockticks", "txr_nack.up_bl", "rxr_occupancy_vn1.drs"],
    ),
];

const MOVED_ON_SNB: &[Order] = &[
    (BoxKind::Arb, &["trk_requests.all", "trk_occupancy.all"]),
    (
        BoxKind::Arb,
        &[
            "coh_trk_requests.all",
            "clockticks",
            "coh_trk_occupancy.all",
        ],
    ),
];

/// Events that can use any counter take the first ones. They move when events are opened that
/// need those counters.
#[test]
fn an_event_that_is_moved_aside_loses_nothing() {
    let orders: &[(BoxKind, &[&str])] = match Platform::current() {
        Platform::Ivbep => MOVED_ON_IVBEP,
        Platform::Bdx => MOVED_ON_BDX,
        Platform::Snb => MOVED_ON_SNB,
        // Each counter counts every event.
        Platform::Nhmex => &[],
    };
    on(&usual_machine(), |session| {
        for (kind, names) in orders {
            let probe = |name: &&str| Probe::new(*kind, 0, name);
            let probes: Vec<Probe> = names.iter().map(probe).collect();
            let (steps, expected) = one_by_one(&probes);
            let answers = without_times(session.perf_open(&steps));
            assert_eq!(answers, expected, "{names:?}");
        }
    });
}

#[test]
fn an_event_that_goes_leaves_the_others_alone() {
    let [stays, goes] = two_of_a_cbox().map(|name| Probe::cbox(0, name));
    let each = stays.count(0, BURST);
    on(&usual_machine(), |session| {
        let burst = format!("burst {BURST}");
        let answers = session.perf_open(&[
            &goes.open("goes", 0),
            &stays.open("stays", 0),
            &burst,
            "close goes",
            &burst,
            "read stays",
        ]);
        let expected = [
            "goes ok".into(),
            "stays ok".into(),
            format!("stays {}", 2 * each),
        ];
        assert_eq!(without_times(answers), expected);
    });
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

/// Two users of one box do not affect each other.
#[test]
fn the_same_event_twice_counts_twice() {
    on(&usual_machine(), |session| {
        for probe in one_of_each_type() {
            let (package, cpu) = last_package();
            let each = probe.count(package, BURST);
            let burst = format!("burst {BURST}");
            let answers = session.perf_open(&[
                &probe.open("first", cpu),
                &burst,
                &probe.open("second", cpu),
                &burst,
                "read first",
                "read second",
            ]);
            let expected = [format!("first {}", 2 * each), format!("second {each}")];
            assert_eq!(without_times(answers)[2..], expected);
        }
    });
}
