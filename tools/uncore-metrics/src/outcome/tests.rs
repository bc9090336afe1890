// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::metric::Metric;
use crate::reading::GroupReading;
use crate::testing::{self, event};
use std::collections::BTreeMap;

const SECOND: u64 = 1_000_000_000;

/// `hits / all` in percent in one group, `many + few` in two.
fn plan() -> Plan {
    let events = [
        ("hits", event(0b01)),
        ("all", event(0b10)),
        ("many", event(0b01)),
        ("few", event(0b01)),
    ];
    let boxes = [("ha".to_owned(), testing::box_type(events, &[]))];
    let metric = |name: &str, formula: &str, unit, level| Metric {
        name: name.to_owned(),
        unit,
        level,
        ..testing::metric("ha", formula)
    };
    let metrics = [
        metric("share", "hits / all", Unit::Percent, Level::Package),
        metric("sum", "many + few", Unit::Bytes, Level::Box),
        metric("rate", "many / seconds", Unit::Ratio, Level::Box),
    ];
    Plan::new(metrics, &BTreeMap::from(boxes))
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
        seconds: 2.0,
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
fn metrics_come_by_metric_then_package_then_box() {
    let readings = [steady(1, 0), steady(0, 0), steady(0, 1)];
    let names = |scope| -> Vec<_> {
        let outcomes = plan().evaluate(&readings, scope).into_iter();
        outcomes
            .map(|o| (o.metric, o.package, o.box_name))
            .collect()
    };
    let row = |metric: &str, package, name: Option<&str>| {
        (metric.to_owned(), package, name.map(str::to_owned))
    };
    let boxes = |metric| {
        [(0, "ha_0"), (0, "ha_1"), (1, "ha_0")]
            .map(|(package, name)| row(metric, Some(package), Some(name)))
    };
    let without_sum = [boxes("sum"), boxes("rate")].concat();
    assert_eq!(
        names(Scope::Box),
        [boxes("share").to_vec(), without_sum.clone()].concat()
    );
    let packages = [0, 1].map(|package| row("share", Some(package), None));
    assert_eq!(
        names(Scope::Package),
        [packages.to_vec(), without_sum.clone()].concat()
    );
    let all = vec![row("share", None, None)];
    assert_eq!(names(Scope::Machine), [all, without_sum].concat());
}

#[test]
fn a_value_has_its_unit_and_says_it_was_counted_all_the_time() {
    let outcomes = plan().evaluate(&[steady(0, 0)], Scope::Box);
    assert_eq!(value(&outcomes, "share"), Ok(75.0));
    assert_eq!(value(&outcomes, "sum"), Ok(12.0));
    assert_eq!(value(&outcomes, "rate"), Ok(4.0));
    assert_eq!(outcomes[0].unit, Unit::Percent);
    assert!(outcomes.iter().all(|o| o.counted >= 1.0));
    let apart: Vec<_> = outcomes.iter().map(|o| o.apart).collect();
    assert_eq!(apart, [false, true, false]);
}

#[test]
fn a_package_is_the_formula_on_the_sums() {
    let mut second = steady(0, 1);
    second.groups.insert(0, group(&[10, 160], SECOND, SECOND));
    let mut of_other = steady(1, 0);
    of_other.groups.insert(0, group(&[60, 40], SECOND, SECOND));
    let readings = [steady(0, 0), second, of_other];
    // (30 + 10) of (40 + 160), not the mean of 75 % and 6.25 %.
    let outcomes = plan().evaluate(&readings, Scope::Package);
    assert_eq!(outcomes[0].value, Ok(20.0));
    assert_eq!(outcomes[1].value, Ok(150.0));
    // 30 + 10 + 60 of 40 + 160 + 40.
    let machine = plan().evaluate(&readings, Scope::Machine)[0].value;
    assert!(machine.is_ok_and(|value| (value - 10_000.0 / 240.0).abs() < 1e-9));
}

#[test]
fn counts_of_a_part_of_the_time_are_scaled_and_shown() {
    let mut counted = steady(0, 0);
    counted.groups.insert(1, group(&[8], 2 * SECOND, SECOND));
    counted
        .groups
        .insert(2, group(&[4], 2 * SECOND, SECOND / 2));
    let outcomes = plan().evaluate(&[counted], Scope::Box);
    assert_eq!(value(&outcomes, "sum"), Ok(32.0));
    let shares: Vec<_> = outcomes.iter().map(|o| o.counted).collect();
    assert_eq!(shares, [1.0, 0.25, 0.5]);
}

#[test]
fn what_has_no_value_says_why() {
    let never = |values: &[u64]| group(values, SECOND, 0);
    let always = |values: &[u64]| group(values, SECOND, SECOND);
    let mut counted = reading(0, 0, [always(&[1, 0]), never(&[0]), always(&[4])]);
    let outcomes = plan().evaluate(std::slice::from_ref(&counted), Scope::Box);
    assert_eq!(value(&outcomes, "share"), Err(NoValue::ZeroDenominator));
    assert_eq!(value(&outcomes, "sum"), Err(NoValue::NotCounted));
    let sum = outcomes.iter().find(|o| o.metric == "sum");
    assert_eq!(sum.map(|sum| sum.counted), Some(0.0));
    counted.groups.remove(&1);
    let outcomes = plan().evaluate(&[counted], Scope::Box);
    assert_eq!(value(&outcomes, "sum"), Err(NoValue::NotOpened));
    assert_eq!(value(&outcomes, "rate"), Err(NoValue::NotOpened));
}

#[test]
fn a_package_has_no_value_while_one_of_its_boxes_was_not_counted() {
    let mut second = steady(0, 1);
    second.groups.insert(0, group(&[0, 0], SECOND, 0));
    let readings = [steady(0, 0), second];
    let packages = plan().evaluate(&readings, Scope::Package);
    assert_eq!(packages[0].value, Err(NoValue::NotCounted));
    let boxes = plan().evaluate(&readings, Scope::Box);
    assert_eq!(boxes[0].value, Ok(75.0));
}

#[test]
fn readings_of_other_boxes_and_too_few_values_are_no_value() {
    let mut other = steady(0, 0);
    other.box_type = "imc".to_owned();
    assert!(plan().evaluate(&[other], Scope::Box).is_empty());
    assert!(plan().evaluate(&[], Scope::Box).is_empty());
    let mut short = steady(0, 0);
    short.groups.insert(0, group(&[1], SECOND, SECOND));
    let outcomes = plan().evaluate(&[short], Scope::Box);
    assert_eq!(value(&outcomes, "share"), Err(NoValue::NotOpened));
}

#[test]
fn only_amounts_have_a_rate() {
    let mut reading = steady(0, 0);
    let outcomes = plan().evaluate(&[reading.clone()], Scope::Box);
    let rates: Vec<_> = outcomes.iter().map(Outcome::per_second).collect();
    assert_eq!(rates, [None, Some(6.0), None]);
    reading.seconds = 0.0;
    for group in reading.groups.values_mut() {
        group.enabled = 0;
    }
    let outcomes = plan().evaluate(&[reading], Scope::Box);
    assert_eq!(outcomes[1].per_second(), None);
}

/// Groups are started and read one after the other: the time between two readings of the package
/// is not exactly theirs.
#[test]
fn a_rate_is_of_the_time_for_which_its_groups_were_enabled() {
    let readings = [(0, 2), (1, 4)].map(|(package, seconds)| {
        let always = |values: &[u64]| group(values, seconds * SECOND, seconds * SECOND);
        let groups = [always(&[30, 40]), always(&[8]), always(&[4])];
        BoxReading {
            seconds: 5.0,
            ..reading(package, 0, groups)
        }
    });
    let outcomes = plan().evaluate(&readings, Scope::Box);
    let sums = outcomes.iter().filter(|outcome| outcome.metric == "sum");
    let rates: Vec<_> = sums.map(Outcome::per_second).collect();
    assert_eq!(rates, [Some(6.0), Some(3.0)]);
    let machine = plan().evaluate(&readings, Scope::Machine);
    assert!((machine[0].seconds - 3.0).abs() < f64::EPSILON);
}
