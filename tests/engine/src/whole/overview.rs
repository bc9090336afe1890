// SPDX-License-Identifier: GPL-2.0

//! The overview of `uncore stat`: all of its events count at once. What `uncore export` counts of
//! it leaves a counter of each box to others.

use super::*;
use crate::{
    computer::attributes,
    linux::perf,
    sweep::{file, of_file},
    uncore::pmu::UncorePmu,
    whole::names::machines,
};
use std::collections::BTreeMap;
use uncore_e2e::{
    formats::{bits, deposit},
    prelude::Words,
};
use uncore_metrics::{sparing, Catalogue, Metric, Nodes, Term, Value};

/// The one package of the machine.
const NODES: Nodes = Nodes { own: 0, all: 1 };

/// Term of the events of fixed counters, which are no use for other events.
const FIXED: &str = "event=0xff";

/// Returns the words of a term of a formula. A field for which the name asks and that the term does
/// not set stays 0, which the driver refuses.
fn words(pmu: &str, term: &Term) -> Words {
    let place = |field: &str| bits((field, &file(pmu, c"format", field)));
    let mut words = of_file(pmu, &term.event, place, |_, _| 0);
    for (field, value) in &term.settings {
        let (word, mask) = place(field);
        words.0[word] &= !mask;
        words.0[word] |= deposit(mask, value.number(NODES).expect("a node"));
    }
    words
}

/// Returns the name of the PMU of a type of box, or of its first box.
fn pmu_of(platform: &str, unit: &str) -> String {
    let names = [unit, &format!("{unit}_0")].map(|it| format!("{platform}_uncore_{it}"));
    let found = names
        .into_iter()
        .find(|pmu| perf::find::<UncorePmu>(pmu).is_some());
    found.unwrap_or_else(|| panic!("{platform} has no {unit}"))
}

/// Returns the terms of some metrics, each once, by type of box.
fn terms_of(metrics: &[Metric]) -> BTreeMap<&str, Vec<&Term>> {
    let mut terms: BTreeMap<&str, Vec<&Term>> = BTreeMap::new();
    for metric in metrics {
        let all = terms.entry(&metric.box_type).or_default();
        all.extend(metric.formula.terms());
        all.sort();
        all.dedup();
    }
    terms
}

/// The driver's assigner finds a counter for one more event beside those of the exporter, whichever
/// of the box's own events it is that can use the counter.
#[test]
fn a_counter_is_left_beside_the_exporter() {
    for (platform, machine) in machines() {
        let overview = Catalogue::overview(platform).expect("a file");
        let metrics = overview.metrics(&[NODES.own]).expect("metrics");
        with_driver(&machine, "auto", |_| {
            let counters = |unit: &str| {
                let counters = file(&pmu_of(platform, unit), c"caps", "counters");
                counters.trim().parse::<u32>().ok()
            };
            let (kept, _) = sparing(metrics, counters);
            let listed = debugfs("events");
            for (unit, terms) in terms_of(&kept) {
                // Each event of such a box has its own counter, which all may read.
                if counters(unit) == Some(0) {
                    continue;
                }
                let pmu = pmu_of(platform, unit);
                let open = |term: &Term, leader: Option<&Event>| {
                    known(&pmu).open(&attributes(words(&pmu, term), 0), leader)
                };
                let mut group: Vec<Event> = Vec::new();
                for term in &terms {
                    let event = open(term, group.first());
                    group.push(event.unwrap_or_else(|error| panic!("{pmu} {term}: {error:?}")));
                }
                let mut own = listed.lines().filter_map(|line| {
                    let mut line = line.split(' ');
                    (line.next()? == unit).then_some(line.next()?)
                });
                let is_general = |name: &str| {
                    let file = file(&pmu, c"events", name);
                    !file.split(',').any(|term| term == FIXED)
                };
                // A box whose counters are two sets may have a counter left in the second one.
                let has_sets = known(&pmu).show(Some(c"format"), "set").is_some();
                let set = has_sets.then(|| ("set".to_owned(), Value::Number(1)));
                let is_opened = own.any(|name| {
                    let mut term = Term {
                        event: name.to_owned(),
                        settings: BTreeMap::new(),
                    };
                    let is_opened = open(&term, group.first()).is_ok();
                    term.settings.extend(set.clone());
                    is_general(name) && (is_opened || open(&term, group.first()).is_ok())
                });
                assert!(is_opened, "{machine}: {pmu} is full");
            }
        });
    }
}

/// Each box has the counters and filters for all of its events, so that they never take turns.
#[test]
fn its_events_fit_the_counters_together() {
    for (platform, machine) in machines() {
        let overview = Catalogue::overview(platform).expect("a file");
        let metrics = overview.metrics(&[NODES.own]).expect("metrics");
        with_driver(&machine, "auto", |host| {
            for (unit, terms) in terms_of(&metrics) {
                let pmu = &pmu_of(platform, unit);
                let mut group: Vec<Event> = Vec::new();
                for term in &terms {
                    let attr = attributes(words(pmu, term), 0);
                    let event = known(pmu).open(&attr, group.first());
                    group.push(event.unwrap_or_else(|error| panic!("{pmu} {term}: {error:?}")));
                }
                host.command("burst 1048576");
                for (event, term) in group.iter().zip(terms) {
                    assert!(event.read() > 0, "{pmu} {term} counts nothing");
                }
            }
            assert_eq!(host.command("violations"), "", "{machine}");
        });
    }
}
