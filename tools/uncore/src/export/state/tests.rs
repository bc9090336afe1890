// SPDX-License-Identifier: GPL-2.0

//! The rules of Prometheus for names and values, on every platform, and the faults that other
//! exporters of uncore counters have.

use std::collections::BTreeMap;

use uncore_metrics::{Catalogue, NoValue, Platform};

use super::super::family::Sample;
use super::*;
use crate::scene::{outcome, second};

const SOCKETS: u32 = 2;
const BOXES: u32 = 11;

/// A state in which every box has counted once.
fn state(platform: &str) -> State {
    let mut state = State {
        build: vec![("version", "1".to_owned())],
        metrics: Catalogue::overview(platform)
            .and_then(|overview| overview.metrics(&[0, 1]))
            .expect("the overview"),
        nodes: BTreeMap::from([(0, vec![0, 1]), (1, vec![2])]),
        tampered: Some(BTreeMap::from([(0, 0), (1, 3)])),
        ..State::default()
    };
    let kinds: BTreeSet<String> = state
        .metrics
        .iter()
        .map(|one| one.box_type.clone())
        .collect();
    let all = (0..SOCKETS).flat_map(|socket| {
        let of_kind = move |kind: &'_ String| {
            let kind = kind.clone();
            (0..BOXES).map(move |index| (socket, kind.clone(), format!("{kind}_{index}")))
        };
        kinds.iter().flat_map(of_kind).collect::<Vec<_>>()
    });
    let all: Vec<_> = all.collect();
    let now = all.iter();
    state.set_boxes(now.map(|(socket, kind, name)| (*socket, kind.as_str(), name.clone(), "pmu")));
    let interval = interval(&state, &|_, _| (Ok(64.0), 1.0));
    state.add(&interval);
    state
}

/// Function that returns the amount of a metric on a box, and the share of the time.
type Amounts<'a> = dyn Fn(&str, &str) -> (Result<f64, NoValue>, f64) + 'a;

/// An interval with what each metric had on each box, and the share of the time.
fn interval(state: &State, amount: &Amounts) -> Interval {
    let mut outcomes = Vec::new();
    for metric in &state.metrics {
        let own = state
            .boxes
            .iter()
            .filter(|(_, it)| it.kind == metric.box_type && it.is_there);
        for (id, _) in own {
            let counted = amount(&metric.name, &id.name);
            outcomes.push(outcome(metric, id.package, &id.name, counted));
        }
    }
    second(1.0, outcomes)
}

/// Families that a scrape shows, by name. Samples that have name and labels in common are against
/// the rules of both formats.
fn read(state: &State) -> BTreeMap<String, Family> {
    let mut families = state.families();
    families.retain(|family| !family.samples.is_empty());
    let mut seen = BTreeSet::new();
    for family in &families {
        for sample in &family.samples {
            let is_new = seen.insert((family.of_samples(), sample.labels.clone()));
            assert!(is_new, "twice: {} {sample:?}", family.name);
        }
    }
    let count = families.len();
    let named = families.into_iter().map(|one| (one.name.clone(), one));
    let named: BTreeMap<_, _> = named.collect();
    assert_eq!(named.len(), count, "two families have a name");
    named
}

fn label<'a>(sample: &'a Sample, name: &str) -> Option<&'a str> {
    let mut labels = sample.labels.iter().filter(|(known, _)| *known == name);
    labels.next().map(|(_, value)| value.as_str())
}

fn values<'a>(family: &'a Family, name: &str) -> Vec<&'a str> {
    let samples = family.samples.iter();
    samples.filter_map(|sample| label(sample, name)).collect()
}

/// Value of the first sample in which a label has this text.
fn value_at(family: &Family, name: &str, text: &str) -> Option<Value> {
    let mut samples = family.samples.iter();
    let found = samples.find(|sample| label(sample, name) == Some(text));
    found.map(|sample| sample.value)
}

#[test]
fn names_units_and_labels_follow_the_rules_on_every_platform() {
    for Platform { name, .. } in Platform::ALL {
        for (name, family) in read(&state(name)) {
            let words: Vec<&str> = name.split('_').collect();
            assert_eq!(words[0], "uncore", "{name}");
            let is_plain = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(
                name.chars().all(is_plain),
                "{name}: no CamelCase, no number of a box"
            );
            assert!(!["mb", "kb", "gb", "ms", "ns", "percent"].contains(words.last().expect("one")));
            assert_eq!(name.ends_with("_bytes"), family.unit() == Some("bytes"));
            assert!(
                !family.help.is_empty() && !family.help.ends_with('.'),
                "{name}"
            );
            for sample in &family.samples {
                for (label, value) in &sample.labels {
                    let bad = [
                        "type", "region", "zone", "env", "le", "quantile", "os", "node",
                    ];
                    assert!(!bad.contains(label), "{name} {label}");
                    assert!(label.chars().all(is_plain), "{name} {label}");
                    assert!(!["all", "system", "total"].contains(&value.as_str()));
                }
                // No total stands beside its parts: everything is of one socket at least, and
                // all samples of a family are of equal rank.
                let keys = |sample: &Sample| -> Vec<_> {
                    sample.labels.iter().map(|(label, _)| *label).collect()
                };
                assert_eq!(keys(sample), keys(&family.samples[0]), "{name}");
            }
        }
    }
}

#[test]
fn each_metric_is_a_counter_whose_help_names_the_events() {
    for Platform { name, .. } in Platform::ALL {
        let state = state(name);
        let families = read(&state);
        for metric in &state.metrics {
            let family = &families[&names::family(&metric.name)];
            assert_eq!(family.kind, Kind::Counter);
            assert!(
                family.help.starts_with(&metric.description),
                "{}",
                family.help
            );
            for term in metric.formula.terms() {
                assert!(family.help.contains(&term.event), "{}", family.help);
            }
            let boxes = usize::try_from(SOCKETS * BOXES).expect("a number");
            assert_eq!(family.samples.len(), boxes);
        }
    }
}

#[test]
fn channels_and_links_are_labels_in_their_order() {
    let families = read(&state("ivbep"));
    let indexes = (0..SOCKETS).flat_map(|_| 0..BOXES);
    let indexes: Vec<String> = indexes.map(|n| n.to_string()).collect();
    assert_eq!(
        values(&families["uncore_memory_read_bytes"], "channel"),
        indexes
    );
    assert_eq!(values(&families["uncore_link_data_bytes"], "link"), indexes);
    let channels = &families["uncore_memory_channel"];
    assert_eq!(values(channels, "channel"), indexes);
    assert_eq!(values(channels, "box")[10], "imc_10");
    assert_eq!(values(&families["uncore_link"], "box")[0], "qpi_0");
    assert_eq!(values(&families["uncore_socket"], "nodes"), ["0,1", "2"]);
}

/// A sum that is not counted is missing: as zero, or standing still, it would look like a machine
/// that does nothing.
#[test]
fn nothing_stands_still_that_is_not_counted() {
    let mut state = state("ivbep");
    let lost = interval(&state, &|_, name| match name {
        "imc_3" => (Err(NoValue::NotCounted), 0.0),
        "imc_4" => (Ok(32.0), 0.5),
        _ => (Ok(0.0), 1.0),
    });
    state.add(&lost);
    let families = read(&state);
    let of = |families: &BTreeMap<String, Family>, channel: &str| {
        value_at(&families["uncore_memory_read_bytes"], "channel", channel)
    };
    assert_eq!(of(&families, "3"), None);
    assert_eq!(of(&families, "4"), Some(Value::Whole(96)));
    let unmoved = Some(Value::Whole(64));
    assert_eq!(of(&families, "5"), unmoved, "counted, but nothing moved");
    for (name, share) in [("imc_3", 0.0), ("imc_4", 0.5), ("imc_5", 1.0)] {
        let ratio = value_at(&families["uncore_counted_ratio"], "box", name);
        assert_eq!(ratio, Some(Value::Real(share)));
    }
    let back = interval(&state, &|_, _| (Ok(1.0), 1.0));
    state.add(&back);
    let sum = Some(Value::Whole(65));
    assert_eq!(of(&read(&state), "3"), sum, "the sum goes on");
}

/// A difference may be less than nothing. It has a peak, so that `stat` and `top` can tell how far
/// below it is.
#[test]
fn a_difference_has_a_peak_and_is_left_out_below_nothing() {
    let mut differences = 0;
    for Platform { name, .. } in Platform::ALL {
        let mut state = state(name);
        let below = interval(&state, &|_, _| (Ok(-65.0), 1.0));
        state.add(&below);
        let families = state.families();
        let named = |name: &str| families.iter().find(|family| family.name == name);
        let with_difference = state.metrics.iter();
        for metric in with_difference.filter(|one| one.formula.has_difference()) {
            let part = names::part(&metric.name);
            assert!(named(&format!("uncore_{part}_capacity_bytes")).is_some());
            let family = named(&names::family(&metric.name)).expect("a family");
            assert!(family.help.contains("would go back"), "{}", family.help);
            assert_eq!(family.samples, [], "{}", metric.name);
            differences += 1;
        }
    }
    assert!(differences > 0);
}

#[test]
fn without_counters_the_rest_is_still_there() {
    let mut state = state("bdx");
    let counting = |state: &State| read(state)["uncore_counting"].samples[0].value;
    assert_eq!(counting(&state), true.into());
    state.stop();
    let families = read(&state);
    assert!(!families.contains_key("uncore_memory_read_bytes"));
    assert!(!families.contains_key("uncore_counted_ratio"));
    assert_eq!(counting(&state), false.into());
    assert!(families.contains_key("uncore_build"));
    assert!(families.contains_key("uncore_scrape_duration_seconds"));
}

#[test]
fn a_box_that_another_socket_has_or_that_was_there_is_known_to_be_missing() {
    let mut state = State::default();
    let present = |state: &State| {
        let family = &read(state)["uncore_box_present"];
        assert_eq!(values(family, "socket"), ["0", "0", "1", "1"]);
        assert_eq!(values(family, "box"), ["imc_0", "imc_1", "imc_0", "imc_1"]);
        let samples = family.samples.iter().map(|sample| sample.value);
        samples.collect::<Vec<_>>()
    };
    let now = |boxes: &[(u32, &'static str)]| {
        let boxes = boxes
            .iter()
            .map(|(socket, name)| (*socket, "imc", (*name).to_owned(), "p"));
        boxes.collect::<Vec<_>>()
    };
    state.set_boxes(now(&[(0, "imc_0"), (0, "imc_1"), (1, "imc_0")]).into_iter());
    assert_eq!(present(&state), [true, true, true, false].map(Value::from));
    state.set_boxes(now(&[(0, "imc_0"), (0, "imc_1")]).into_iter());
    assert_eq!(present(&state), [true, true, false, false].map(Value::from));
}

#[test]
fn boxes_are_in_the_order_of_kinds_and_indexes() {
    let names = ["cbox_2", "cbox_10", "ha_0", "imc_0", "irp", "pcu"];
    let mut boxes: Vec<BoxId> = names.map(|name| BoxId::new(0, name)).to_vec();
    boxes.reverse();
    boxes.sort();
    assert_eq!(boxes, names.map(|name| BoxId::new(0, name)));
}

/// The sum of what is possible says nothing by itself.
#[test]
fn a_peak_says_how_to_use_it() {
    let state = state("ivbep");
    let families = state.families();
    for (name, is_peak) in [
        ("uncore_memory_capacity_bytes", true),
        ("uncore_power_clock_cycles", true),
        ("uncore_memory_read_bytes", false),
        ("uncore_clock_cycles", false),
    ] {
        let mut named = families.iter().filter(|family| family.name == name);
        let help = &named.next().expect("a family").help;
        assert_eq!(help.contains("rate()"), is_peak, "{help}");
    }
}
