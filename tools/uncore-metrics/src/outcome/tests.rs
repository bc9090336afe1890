// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::box_type::BoxType;
use crate::box_type::Event;
use crate::metric::Metric;
use crate::reading::GroupReading;
use std::collections::BTreeMap;

const SECOND: u64 = 1_000_000_000;

/// `hits / all` in percent in one group, `many + few` in two.
fn plan() -> Plan {
    let one_counter = |name: &str, counters| {
        let event = Event {
            counters,
            ..Event::default()
        };
        (name.to_owned(), event)
    };
    let box_type = BoxType {
        events: BTreeMap::from([
            one_counter("hits", 0b01),
            one_counter("all", 0b10),
            one_counter("many", 0b01),
            one_counter("few", 0b01),
        ]),
        fields: BTreeMap::new(),
    };
    let metric = |name: &str, formula: &str, unit, level| Metric {
        box_type: "ha".to_owned(),
        name: name.to_owned(),
        formula: formula.parse().expect("a formula"),
        unit,
        level,
        description: String::new(),
    };
    let metrics = [
        metric("share", "hits / all", Unit::Percent, Level::Package),
        metric("sum", "many + few", Unit::Bytes, Level::Box),
        metric("rate", "many / seconds", Unit::Ratio, Level::Box),
    ];
    Plan::new(metrics, &BTreeMap::from([("ha".to_owned(), box_type)]))
}

fn group(values: &[u64], enabled: u64, running: u64) -> GroupReading {
    GroupReading {
        values: values.to_vec(),
        enabled,
        running,
    }
}

fn reading(package: u32, index: u32, groups: [GroupReading; 3]) -> BoxReading {
    BoxReading {
        package,
        box_type: "ha".to_owned(),
        name: format!("ha_{index}"),
        groups: groups.into_iter().enumerate().collect(),
    }
}

/// A box that counted all the time, 30 hits of 40.
fn steady(package: u32, index: u32) -> BoxReading {
    let always = |values: &[u64]| group(values, 2 * SECOND, 2 * SECOND);
    reading(
        package,
        index,
        [always(&[30, 40]), always(&[8]), always(&[4])],
    )
}

fn value(outcomes: &[Outcome], metric: &str) -> Result<f64, NoValue> {
    let mut own = outcomes.iter().filter(|outcome| outcome.metric == metric);
    own.next().expect("an outcome").value
}

#[test]
fn metrics_come_by_package_then_metric_then_box() {
    let readings = [steady(1, 0), steady(0, 0), steady(0, 1)];
    let outcomes = plan().evaluate(&readings);
    let names: Vec<_> = outcomes
        .iter()
        .map(|o| (o.package, o.metric.as_str(), o.box_name.as_deref()))
        .collect();
    let expected = [
        (0, "share", Some("ha_0")),
        (0, "share", Some("ha_1")),
        (0, "share", None),
        (0, "sum", Some("ha_0")),
        (0, "sum", Some("ha_1")),
        (0, "rate", Some("ha_0")),
        (0, "rate", Some("ha_1")),
        (1, "share", Some("ha_0")),
        (1, "share", None),
        (1, "sum", Some("ha_0")),
        (1, "rate", Some("ha_0")),
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_value_has_its_unit_and_says_it_was_counted_all_the_time() {
    let outcomes = plan().evaluate(&[steady(0, 0)]);
    assert_eq!(value(&outcomes, "share"), Ok(75.0));
    assert_eq!(value(&outcomes, "sum"), Ok(12.0));
    assert_eq!(value(&outcomes, "rate"), Ok(4.0));
    assert_eq!(outcomes[0].unit, Unit::Percent);
    assert!(outcomes.iter().all(|o| o.counted >= 1.0));
    let apart: Vec<_> = outcomes.iter().map(|o| o.apart).collect();
    assert_eq!(apart, [false, false, true, false]);
}

#[test]
fn a_package_is_the_formula_on_the_sums() {
    let mut second = steady(0, 1);
    second.groups.insert(0, group(&[10, 160], SECOND, SECOND));
    let outcomes = plan().evaluate(&[steady(0, 0), second]);
    // (30 + 10) of (40 + 160), not the mean of 75 % and 6.25 %.
    assert_eq!(outcomes[2].box_name, None);
    assert_eq!(outcomes[2].value, Ok(20.0));
}

#[test]
fn counts_of_a_part_of_the_time_are_scaled_and_shown() {
    let mut counted = steady(0, 0);
    counted.groups.insert(1, group(&[8], 2 * SECOND, SECOND));
    counted
        .groups
        .insert(2, group(&[4], 2 * SECOND, SECOND / 2));
    let outcomes = plan().evaluate(&[counted]);
    assert_eq!(value(&outcomes, "sum"), Ok(32.0));
    let shares: Vec<_> = outcomes.iter().map(|o| o.counted).collect();
    assert_eq!(shares, [1.0, 1.0, 0.25, 0.5]);
}

#[test]
fn what_has_no_value_says_why() {
    let never = |values: &[u64]| group(values, SECOND, 0);
    let always = |values: &[u64]| group(values, SECOND, SECOND);
    let mut counted = reading(0, 0, [always(&[1, 0]), never(&[0]), always(&[4])]);
    let outcomes = plan().evaluate(std::slice::from_ref(&counted));
    assert_eq!(value(&outcomes, "share"), Err(NoValue::ZeroDenominator));
    assert_eq!(value(&outcomes, "sum"), Err(NoValue::NotCounted));
    let sum = outcomes.iter().find(|o| o.metric == "sum");
    assert_eq!(sum.map(|sum| sum.counted), Some(0.0));
    counted.groups.remove(&1);
    let outcomes = plan().evaluate(&[counted]);
    assert_eq!(value(&outcomes, "sum"), Err(NoValue::NotOpened));
    assert_eq!(value(&outcomes, "rate"), Err(NoValue::NotOpened));
}

#[test]
fn a_package_has_no_value_while_one_of_its_boxes_was_not_counted() {
    let mut second = steady(0, 1);
    second.groups.insert(0, group(&[0, 0], SECOND, 0));
    let outcomes = plan().evaluate(&[steady(0, 0), second]);
    assert_eq!(outcomes[2].value, Err(NoValue::NotCounted));
    assert_eq!(outcomes[0].value, Ok(75.0));
}

#[test]
fn readings_of_other_boxes_and_too_few_values_are_no_value() {
    let mut other = steady(0, 0);
    other.box_type = "imc".to_owned();
    assert!(plan().evaluate(&[other]).is_empty());
    assert!(plan().evaluate(&[]).is_empty());
    let mut short = steady(0, 0);
    short.groups.insert(0, group(&[1], SECOND, SECOND));
    let outcomes = plan().evaluate(&[short]);
    assert_eq!(value(&outcomes, "share"), Err(NoValue::NotOpened));
}

#[test]
fn only_amounts_have_a_rate() {
    let outcomes = plan().evaluate(&[steady(0, 0)]);
    let rates: Vec<_> = outcomes.iter().map(|o| o.per_second(2.0)).collect();
    assert_eq!(rates, [None, None, Some(6.0), None]);
    assert_eq!(outcomes[2].per_second(0.0), None);
}
