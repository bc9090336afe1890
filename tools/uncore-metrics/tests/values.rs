// SPDX-License-Identifier: GPL-2.0

//! Metrics of each data file on made-up counts, against values worked out by hand.

mod cases;
mod reference;

use reference::Platform;
use reference::ALL;
use std::collections::BTreeSet;
use uncore_metrics::BoxReading;
use uncore_metrics::GroupReading;
use uncore_metrics::Metric;
use uncore_metrics::Outcome;
use uncore_metrics::Plan;
use uncore_metrics::Scope;

fn metrics(platform: &Platform) -> Vec<Metric> {
    platform.catalogue().metrics(&[0, 1]).expect("metrics")
}

/// A box on which each event has counted what `count` says, all of one second.
fn reading(plan: &Plan, box_type: &str, count: impl Fn(&str) -> u64) -> BoxReading {
    let groups = plan.groups.iter().enumerate();
    let groups = groups.filter(|(_, group)| group.box_type == box_type);
    let groups = groups.map(|(index, group)| {
        let members = group.members.iter();
        let reading = GroupReading {
            values: members.map(|term| count(&term.to_string())).collect(),
            enabled: 1_000_000_000,
            running: 1_000_000_000,
        };
        (index, reading)
    });
    BoxReading {
        package: 0,
        box_type: box_type.to_owned(),
        name: format!("{box_type}_0"),
        seconds: 1.0,
        groups: groups.collect(),
    }
}

#[test]
fn values_are_those_worked_out_by_hand() {
    for platform in ALL {
        for (box_type, name, counts, expected) in cases::of(platform.name) {
            let metric = metrics(&platform).into_iter();
            let metric = metric.filter(|m| m.box_type == box_type && m.name == name);
            let plan = Plan::new(metric, &platform.machine());
            let count = |term: &str| {
                let known = counts.iter().find(|(known, _)| *known == term);
                known.unwrap_or_else(|| panic!("{name} wants {term}")).1
            };
            let terms: usize = plan.groups.iter().map(|g| g.members.len()).sum();
            assert_eq!(terms, counts.len(), "{name} has other terms");
            let outcomes = plan.evaluate(&[reading(&plan, box_type, count)], Scope::Box);
            let value = outcomes.first().expect("an outcome").value;
            let value = value.expect("a value");
            assert!((value - expected).abs() < 1e-9, "{name}: {value}");
        }
    }
}

#[test]
fn each_box_type_with_metrics_is_tried_twice() {
    for platform in ALL {
        let cases = cases::of(platform.name);
        for box_type in box_types(&metrics(&platform)) {
            let cases = cases.iter().filter(|case| case.0 == box_type);
            assert!(cases.count() >= 2, "{}: {box_type}", platform.name);
        }
    }
}

#[test]
fn all_metrics_have_a_value() {
    for platform in ALL {
        let metrics = metrics(&platform);
        let plan = Plan::new(metrics.clone(), &platform.machine());
        // A different count for each, so that no difference is 0.
        let count = |term: &str| 1000 + term.bytes().map(u64::from).sum::<u64>();
        let types = box_types(&metrics).into_iter();
        let readings = types.map(|box_type| reading(&plan, box_type, count));
        let outcomes = plan.evaluate(&readings.collect::<Vec<_>>(), Scope::Package);
        for metric in &metrics {
            let own = |outcome: &&Outcome| {
                outcome.metric == metric.name && outcome.box_type == metric.box_type
            };
            let own: Vec<_> = outcomes.iter().filter(own).collect();
            let name = format!("{}: {}", platform.name, metric.name);
            assert!(!own.is_empty(), "{name}");
            assert!(own.iter().all(|o| o.value.is_ok()), "{name}");
        }
    }
}

/// The box types that have metrics.
fn box_types(metrics: &[Metric]) -> BTreeSet<&str> {
    metrics.iter().map(|m| m.box_type.as_str()).collect()
}
