// SPDX-License-Identifier: GPL-2.0

//! The overview of `uncore stat`: all of its events count at once.

use super::*;
use crate::{
    linux::perf,
    sweep::{attributes, file, known, of_file},
    uncore::pmu::UncorePmu,
    whole::names::MACHINES,
};
use std::collections::BTreeMap;
use uncore_e2e::{
    formats::{bits, deposit},
    prelude::Words,
};
use uncore_metrics::{Catalogue, Nodes, Term};

/// The one package of the machine.
const NODES: Nodes = Nodes { own: 0, all: 1 };

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

/// Each box has the counters and filters for all of its events, so that they never take turns.
#[test]
fn its_events_fit_the_counters_together() {
    for (platform, machine) in MACHINES {
        let overview = Catalogue::overview(platform).expect("a file");
        let metrics = overview.metrics(&[NODES.own]).expect("metrics");
        let mut terms: BTreeMap<&str, Vec<&Term>> = BTreeMap::new();
        for metric in &metrics {
            let all = terms.entry(&metric.box_type).or_default();
            all.extend(metric.formula.terms());
            all.sort();
            all.dedup();
        }
        with_driver(machine, "auto", |host| {
            for (unit, terms) in terms {
                let names =
                    [unit, &format!("{unit}_0")].map(|it| format!("{platform}_uncore_{it}"));
                let is_there = |pmu: &&String| perf::find::<UncorePmu>(pmu).is_some();
                let pmu = names.iter().find(is_there);
                let pmu = pmu.unwrap_or_else(|| panic!("{machine} has no {unit}"));
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
