// SPDX-License-Identifier: GPL-2.0

use super::*;
use std::collections::BTreeMap;
use uncore_metrics::{
    BoxReading, BoxType, Catalogue, Event, GroupReading, Plan, Platform, Scope, Term,
};

const SECOND: u64 = 1_000_000_000;

/// A box type that has all events of the overview and can count them together.
fn box_type(terms: &[Term]) -> BoxType {
    let event = |bit: usize| Event {
        counters: 1 << bit,
        ..Event::default()
    };
    let mut events: BTreeMap<String, Event> = BTreeMap::new();
    for term in terms {
        let bit = events.len();
        events
            .entry(term.event.clone())
            .or_insert_with(|| event(bit));
    }
    let fields = terms.iter().flat_map(|term| term.settings.keys());
    BoxType {
        events,
        fields: fields.map(|field| (field.clone(), None)).collect(),
    }
}

/// The plan of a platform's overview.
fn plan(platform: &str) -> Plan {
    let catalogue = Catalogue::overview(platform).expect("the data file");
    let metrics = catalogue.metrics(&[0, 1]).expect("metrics");
    let mut terms: BTreeMap<String, Vec<Term>> = BTreeMap::new();
    for metric in &metrics {
        let own = terms.entry(metric.box_type.clone()).or_default();
        own.extend(metric.formula.terms().into_iter().cloned());
    }
    let boxes: BTreeMap<_, _> = terms
        .iter()
        .map(|(unit, terms)| (unit.clone(), box_type(terms)))
        .collect();
    Plan::new(metrics, &boxes)
}

/// Readings of a second, of so many boxes of each type in each of two packages. A clock has
/// 800 MHz, another count is a multiple of its place in the group. `running` nanoseconds were
/// counted.
fn readings(plan: &Plan, boxes: fn(&str) -> u32, running: u64) -> Vec<BoxReading> {
    let reading = |package: u32, index: u32, group: usize| {
        let planned = &plan.groups[group];
        let value = |(place, term): (u64, &Term)| match term.event.as_str() {
            "clockticks" => 800_000_000,
            _ => place * 10_000_000,
        };
        let values = (1..).zip(&planned.members).map(value);
        let reading = GroupReading {
            values: values.collect(),
            enabled: SECOND,
            running,
        };
        BoxReading {
            package,
            name: format!("{}_{index}", planned.box_type),
            box_type: planned.box_type.clone(),
            seconds: 1.0,
            groups: [(group, reading)].into(),
        }
    };
    let mut all = Vec::new();
    for package in 0..2 {
        for (group, planned) in plan.groups.iter().enumerate() {
            let indexes = 0..boxes(&planned.box_type);
            all.extend(indexes.map(|index| reading(package, index, group)));
        }
    }
    all
}

fn shown(platform: &str, boxes: fn(&str) -> u32, running: u64) -> String {
    let plan = plan(platform);
    shown_of(&plan, &readings(&plan, boxes, running))
}

fn shown_of(plan: &Plan, readings: &[BoxReading]) -> String {
    let interval = |scope| Interval {
        end: 1.0,
        seconds: 1.0,
        outcomes: plan.evaluate(readings, scope),
    };
    text(&interval(Scope::Package), &interval(Scope::Box))
}

#[test]
fn a_socket_is_a_page() {
    let socket = |number: u32| {
        format!(
            "\
socket {number}   uncore clock 1.600 GHz
  memory          read       write    capacity       used
  imc_0       640 MB/s  1.280 GB/s  12.80 GB/s       15 %
  imc_1       640 MB/s  1.280 GB/s  12.80 GB/s       15 %
  all       1.280 GB/s  2.560 GB/s  25.60 GB/s       15 %
  home      local read 20 M/s  remote read 40 M/s  local write 60 M/s
            remote write 80 M/s
  link           data      other    capacity       used
  qpi_0       80 MB/s   160 MB/s  12.80 GB/s        2 %
  qpi_1       80 MB/s   160 MB/s  12.80 GB/s        2 %
  llc       lookup 20 M/s  miss 40 M/s
  io        read 20 M/s  write 40 M/s
  power     budget 2 %  heat 4 %  os 5 %

"
        )
    };
    let expected = format!(
        "interval of 1.000 s, ended at 1.000 s\n\n{}{}",
        socket(0),
        socket(1)
    );
    assert_eq!(shown("ivbep", |_| 2, SECOND), expected);
}

#[test]
fn a_socket_has_20_lines_at_most() {
    // No part has more channels or links.
    let most = |unit: &str| match unit {
        "imc" => 8,
        "qpi" => 3,
        _ => 2,
    };
    for platform in Platform::ALL {
        let text = shown(platform.name, most, SECOND);
        let sockets: Vec<_> = text.trim_end().split("\n\n").skip(1).collect();
        assert_eq!(sockets.len(), 2, "{text}");
        for socket in sockets {
            let lines: Vec<_> = socket.lines().collect();
            assert!(lines.len() <= 20, "{}: {socket}", platform.name);
            let width = lines.iter().map(|line| line.chars().count()).max();
            assert!(width.is_some_and(|width| width <= 80), "{socket}");
        }
    }
}

#[test]
fn what_was_not_counted_is_no_zero() {
    let text = shown("ivbep", |_| 1, 0);
    let has_value = |line: &&str| line.contains("/s") || line.contains('%') || line.contains("Hz");
    assert_eq!(text.lines().find(has_value), None);
    assert!(text.contains("miss -"), "{text}");
}

#[test]
fn what_a_clock_does_not_allow_is_called_impossible() {
    let plan = plan("ivbep");
    let mut all = readings(&plan, |_| 2, SECOND);
    let channels = all.iter_mut().filter(|one| one.name == "imc_1");
    for value in
        channels.flat_map(|one| one.groups.values_mut().flat_map(|group| &mut group.values))
    {
        if *value < 800_000_000 {
            *value *= 20;
        }
    }
    let text = shown_of(&plan, &all);
    let line = "\n  impossible, more than the clock allows:  imc_1\n";
    assert_eq!(text.matches(line).count(), 2, "{text}");
}
