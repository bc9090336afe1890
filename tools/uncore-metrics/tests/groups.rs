// SPDX-License-Identifier: GPL-2.0

//! Groups and values of all metrics of each data file, on boxes as the reference data has them.

mod reference;

use reference::Platform;
use reference::ALL;
use std::collections::BTreeSet;
use uncore_metrics::BoxReading;
use uncore_metrics::Fit;
use uncore_metrics::GroupReading;
use uncore_metrics::Metric;
use uncore_metrics::Outcome;
use uncore_metrics::Plan;
use uncore_metrics::Scope;

fn plan(platform: &Platform) -> Plan {
    let metrics = platform.catalogue().metrics(&[0, 1]).expect("metrics");
    Plan::new(metrics, &platform.machine())
}

#[test]
fn only_metrics_that_cannot_be_counted_together_are_apart() {
    let expected = [
        // Two occupancies, both for counter 0.
        "avg_tor_drd_hit_latency",
        // Two values of a filter.
        "io_read_bw",
        "io_write_bw",
        "llc_drd_miss_pct",
        "llc_drd_rfo_miss_to_loc_mem",
        "llc_drd_rfo_miss_to_rem_mem",
        "pcie_data_bytes",
        // Several packet matches.
        "data_from_qpi_to_node0",
        "data_from_qpi_to_node1",
        "drs_f_or_e_from_qpi",
        "drs_wb_from_qpi",
        "drs_write_from_qpi_to_node0",
        "drs_write_from_qpi_to_node1",
        "ncb_data_from_qpi_to_node0",
        "ncb_data_from_qpi_to_node1",
    ];
    for platform in ALL {
        let plan = plan(&platform);
        assert!(plan.unplanned.is_empty(), "{}", platform.name);
        let apart = plan.metrics.iter().filter(|m| m.apart.is_some());
        let apart: Vec<_> = apart.map(|m| m.metric.name.as_str()).collect();
        assert_eq!(apart, expected, "{}", platform.name);
    }
}

#[test]
fn every_group_fits_its_box() {
    for platform in ALL {
        let machine = platform.machine();
        for group in plan(&platform).groups {
            assert_eq!(machine[&group.box_type].fits(&group.members), Ok(()));
        }
    }
}

#[test]
fn what_counts_counter_0_comes_after_what_is_there() {
    let groups = ALL.iter().flat_map(|platform| plan(platform).groups);
    for group in groups {
        let names: Vec<_> = group.members.iter().map(|m| m.event.as_str()).collect();
        let source = names.iter().position(|name| name.contains("r_occupancy."));
        let watcher = names.iter().position(|name| *name == "counter0_occupancy");
        assert!(watcher.is_none() || source < watcher && source.is_some());
    }
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
fn all_metrics_have_a_value() {
    for platform in ALL {
        let plan = plan(&platform);
        let metrics = platform.catalogue().metrics(&[0, 1]).expect("metrics");
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
