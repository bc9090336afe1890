// SPDX-License-Identifier: GPL-2.0

use super::*;
use crate::box_type::{BoxType, Event};
use crate::testing::{box_type, event, metric};

/// A box with two counters and a fixed one. `zero` only counts on the first, `watch` on the second
/// and after `zero`; `f` has a filter.
fn machine() -> BTreeMap<String, BoxType> {
    let zero = Event {
        is_source: true,
        ..event(0b001)
    };
    let watch = Event {
        needs_source: true,
        ..event(0b010)
    };
    let events = [
        ("a", event(0b011)),
        ("b", event(0b011)),
        ("c", event(0b011)),
        ("f", event(0b011)),
        ("zero", zero),
        ("watch", watch),
        ("clock", event(0b100)),
    ];
    let box_type = box_type(events, &["opc"]);
    ["cbox", "ha"]
        .map(|name| (name.to_owned(), box_type.clone()))
        .into()
}

fn plan(formulas: &[&str]) -> Plan {
    let metrics = formulas.iter().map(|formula| metric("cbox", formula));
    Plan::new(metrics, &machine())
}

/// Each group as the sum of its members.
fn groups(plan: &Plan) -> Vec<String> {
    let groups = plan.groups.iter().map(|group| {
        let members: Vec<_> = group.members.iter().map(ToString::to_string).collect();
        members.join(" + ")
    });
    groups.collect()
}

#[test]
fn terms_of_a_ratio_are_counted_together() {
    let plan = plan(&["a / clock", "(b - c) / (b + c)"]);
    assert_eq!(groups(&plan), ["a + clock", "b + c"]);
    assert!(plan.metrics.iter().all(|metric| metric.apart.is_none()));
    let of = |metric: usize| -> Vec<_> {
        let inputs = plan.metrics[metric].inputs.iter();
        inputs.map(|input| input.group).collect()
    };
    assert_eq!((of(0), of(1)), (vec![0, 0], vec![1, 1]));
}

#[test]
fn shared_events_are_counted_once() {
    let plan = plan(&["a / clock", "b / clock", "a / b", "b"]);
    assert_eq!(groups(&plan), ["a + clock + b"]);
    let member = |metric: usize| -> Vec<_> {
        let inputs = plan.metrics[metric].inputs.iter();
        inputs.map(|input| (input.group, input.member)).collect()
    };
    assert_eq!(member(1), [(0, 2), (0, 1)]);
    assert_eq!(member(3), [(0, 2)]);
}

#[test]
fn a_metric_joins_the_group_that_lacks_least() {
    // The first group has room, the second has the event.
    let plan = plan(&["a{opc=1} / clock", "f{opc=2} + b", "b"]);
    let inputs = &plan.metrics[2].inputs;
    assert_eq!((inputs.len(), inputs[0].group), (1, 1));
}

#[test]
fn what_does_not_fit_is_counted_apart_and_says_why() {
    let plan = plan(&["(a + b + c) / clock"]);
    assert_eq!(groups(&plan), ["a + b + clock", "c"]);
    assert_eq!(plan.metrics[0].apart, Some(Misfit::Counters));
    assert_eq!(plan.metrics[0].inputs.len(), 4);
}

#[test]
fn different_values_of_a_filter_are_counted_apart() {
    let plan = plan(&["f{opc=1} / f{opc=2}", "a / f{opc=2}"]);
    assert_eq!(groups(&plan), ["f{opc=0x1}", "f{opc=0x2} + a"]);
    let apart = Misfit::Filter("opc".to_owned());
    assert_eq!(plan.metrics[0].apart, Some(apart));
    assert_eq!(plan.metrics[1].apart, None);
}

#[test]
fn nodes_that_may_be_the_same_are_different_values() {
    let plan = plan(&["f{opc=my_node} / f{opc=all_nodes}"]);
    assert_eq!(plan.groups.len(), 2);
}

/// Who holds the clock's counter takes no other metric away.
#[test]
fn metrics_without_a_common_event_are_split() {
    let split = |formulas: &[&str]| plan(formulas).split();
    let whole = split(&["b", "a / clock", "2 * clock"]);
    assert_eq!(groups(&whole), ["b", "a + clock"]);
    let places = |metric: usize| -> Vec<_> {
        let inputs = whole.metrics[metric].inputs.iter();
        inputs
            .map(|one| (one.term.to_string(), one.group, one.member))
            .collect()
    };
    assert_eq!(places(0), [("b".to_owned(), 0, 0)]);
    assert_eq!(places(2), [("clock".to_owned(), 1, 1)]);
    let chain = split(&["a", "b", "a / clock", "b / clock"]);
    assert_eq!(groups(&chain), ["a + b + clock"]);
    let apart = split(&["(a + b + c) / clock", "c"]);
    assert_eq!(groups(&apart), ["a + b + clock", "c"]);
}

#[test]
fn a_watching_event_follows_the_one_it_watches() {
    let plan = plan(&["watch / zero", "clock"]);
    assert_eq!(groups(&plan), ["zero + watch + clock"]);
    assert!(plan.metrics[0].apart.is_none());
}

#[test]
fn types_of_boxes_have_groups_of_their_own() {
    let plan = Plan::new([metric("cbox", "a"), metric("ha", "a")], &machine());
    let types: Vec<_> = plan.groups.iter().map(|g| g.box_type.as_str()).collect();
    assert_eq!(types, ["cbox", "ha"]);
}

#[test]
fn what_cannot_be_had_says_why() {
    let metrics = [
        metric("imc", "a"),
        metric("cbox", "a + other"),
        metric("cbox", "a{inv=1}"),
        metric("cbox", "watch / a"),
    ];
    let plan = Plan::new(metrics, &machine());
    assert!(plan.groups.is_empty() && plan.metrics.is_empty());
    let why: Vec<_> = plan.unplanned.into_iter().map(|u| u.misfit).collect();
    let expected = [
        None,
        Some(Misfit::NoEvent("other".to_owned())),
        Some(Misfit::NoField("inv".to_owned())),
        Some(Misfit::NoSource("watch".to_owned())),
    ];
    assert_eq!(why, expected);
}

#[test]
fn every_group_fits_and_has_what_its_metrics_need() {
    let formulas = [
        "a + b + c + f{opc=1}",
        "zero / watch",
        "f{opc=2} / clock",
        "c / zero",
        "7",
    ];
    let plan = plan(&formulas);
    let machine = machine();
    for group in &plan.groups {
        assert_eq!(machine["cbox"].fits(&group.members), Ok(()));
    }
    for planned in &plan.metrics {
        let terms = planned.metric.formula.terms();
        assert_eq!(planned.inputs.len(), terms.len(), "{}", planned.metric.name);
        for input in &planned.inputs {
            assert_eq!(plan.groups[input.group].members[input.member], input.term);
        }
    }
}
