// SPDX-License-Identifier: GPL-2.0

//! Events that share a box, at each threshold and across the end of their counters. The cases are
//! all that the catalogue has, not examples.

use super::*;
use crate::computer::{last_refusal, load_with, open_probe, Parameters};
use std::collections::BTreeMap;
use uncore_e2e::{
    expect::node,
    fixture::pack::all_placed,
    prelude::{Filter, Setting},
};

/// Returns whether each of the events can have a counter of its own.
fn fit(events: &[Probe]) -> bool {
    all_placed(events.iter().map(counters))
}

/// Checks that each event has counted so many bursts.
fn have_counted<'a>(of: impl IntoIterator<Item = ((&'a Event, &'a Probe), u64)>) {
    for ((event, probe), bursts) in of {
        let right = bursts * probe.count(0, BURST);
        assert_eq!(event.read(), right, "{bursts} bursts of {probe:?}");
    }
}

/// Returns an event of the first box for each set of counters, those without a filter first.
fn of_each_set(shape: &Shape, kind: BoxKind) -> Vec<Probe> {
    let all = [events::rows(shape), events::fixed(shape)].concat();
    let mut of_kind: Vec<Probe> = all.into_iter().filter(|probe| probe.kind == kind).collect();
    of_kind.retain(|probe| probe.instance == 0 || kind == BoxKind::Irp);
    of_kind.sort_by_key(|probe| probe.words().0[1..] != [0, 0]);
    let mut sets = BTreeMap::new();
    for probe in of_kind {
        sets.entry(counters(&probe)).or_insert(probe);
    }
    sets.into_values().collect()
}

/// A group counts, in any order of its events, if each can have a counter of its own. Otherwise the
/// first that cannot is refused. Outside a group events make room for others and lose nothing.
#[test]
fn a_group_counts_if_its_events_have_a_counter_each() {
    on_each_platform(|host| {
        let shape = Shape::of(&Config::default());
        for kind in BoxKind::all() {
            let sets = of_each_set(&shape, kind);
            let mut groups = vec![Vec::new()];
            while let Some(group) = groups.pop() {
                let before = groups.len();
                for next in &sets {
                    let larger = [&group[..], std::slice::from_ref(next)].concat();
                    if !group.iter().all(|other: &Probe| other.filters_agree(next)) {
                    } else if fit(&larger) {
                        groups.push(larger);
                    } else {
                        does_not_fit(&group, next);
                    }
                }
                if groups.len() == before {
                    counts_as_a_group(host, &group);
                    counts_apart(host, &group);
                }
            }
        }
    });
}

/// Opens a group, leader first.
fn open_group(group: &[Probe]) -> Vec<Event> {
    let mut opened: Vec<Event> = Vec::new();
    for probe in group {
        let event = try_probe(probe, 0, opened.first());
        opened.push(event.unwrap_or_else(|_| panic!("{probe:?}: {}", debugfs("rejections"))));
    }
    opened
}

fn does_not_fit(group: &[Probe], next: &Probe) {
    let opened = open_group(group);
    let words = format!("{}: ", next.kind.box_name(0));
    is_refused(try_probe(next, 0, opened.first()), EINVAL, &words);
    let last = last_refusal();
    assert!(
        last.contains("counter"),
        "{next:?} beside {group:?}: {last}"
    );
}

fn counts_as_a_group(host: &Host, group: &[Probe]) {
    let opened = open_group(group);
    host.traffic(BURST);
    have_counted(opened.iter().zip(group).zip(std::iter::repeat(1)));
}

/// Each burst is counted by the events that are open.
fn counts_apart(host: &Host, group: &[Probe]) {
    let mut opened = Vec::new();
    for probe in group {
        opened.push(open_probe(probe, 0));
        host.traffic(BURST);
    }
    let bursts = (1..=group.len() as u64).rev();
    have_counted(opened.iter().zip(group).zip(bursts.clone()));
    // One that goes leaves the others alone.
    drop(opened.remove(0));
    host.traffic(BURST);
    have_counted(opened.iter().zip(&group[1..]).zip(bursts));
}

/// One event in so many is tried beside an event: there are too many pairs.
const STEP: usize = 97;

/// Returns the events that use filters, on the first box of each type.
fn filtered() -> BTreeMap<BoxKind, Vec<Probe>> {
    let all = [
        events::rows(&Shape::of(&Config::default())),
        filters::settings(),
    ]
    .concat();
    let mut of_kinds = BTreeMap::<_, Vec<_>>::new();
    for probe in all {
        if probe.instance == 0 && probe.words().0[1..] != [0, 0] {
            of_kinds.entry(probe.kind).or_default().push(probe);
        }
    }
    of_kinds
}

/// Returns pairs of them: each with some of those behind it, of which the first is near.
fn pairs(of: &[Probe]) -> impl Iterator<Item = (&Probe, &Probe)> {
    of.iter().enumerate().flat_map(|(index, first)| {
        let others = of[index..].iter().skip(index % 5).step_by(STEP);
        others.map(move |second| (first, second))
    })
}

/// Two events that need different values of one filter take turns; so do events of a C-Box by
/// different criteria, unless the user says that the part compares several.
#[test]
fn two_events_count_together_if_their_filters_agree() {
    for (criteria, reading) in [("one", Some("U-21:b")), ("several", None)] {
        on_each_machine_that(
            || !filters::settings().is_empty(),
            |host| {
                let of_platform = reading.filter(|_| Platform::current() == Platform::Ivbep);
                if let Some(reading) = of_platform {
                    host.command(&format!("reading {reading}"));
                }
                let _driver = load_with(&Parameters {
                    filters: criteria,
                    ..Parameters::default()
                })
                .expect("the driver loads");
                for (first, second) in filtered().values().flat_map(|of| pairs(of)) {
                    if !fit(&[first.clone(), second.clone()]) {
                        continue;
                    }
                    let shares = first.filters_can_share(second);
                    let agrees = first.filters_agree(second) || shares && criteria == "several";
                    if agrees {
                        counts_as_a_group(host, &[first.clone(), second.clone()]);
                        continue;
                    }
                    let leader = open_probe(first, 0);
                    let cause = if shares {
                        "only one of these at a time"
                    } else {
                        "two values of"
                    };
                    is_refused(try_probe(second, 0, Some(&leader)), EINVAL, cause);
                    let other = open_probe(second, 0);
                    host.traffic(BURST);
                    have_counted([((&leader, first), 1), ((&other, second), 0)]);
                    known(&first.pmu()).rotate(0);
                    host.traffic(BURST);
                    have_counted([((&leader, first), 1), ((&other, second), 1)]);
                }
            },
        );
    }
}

/// Returns the thresholds at which the count of an event of this maximum changes: it adds its
/// maximum, half of it, or 1 in a cycle.
fn thresholds(max_inc: u32) -> Vec<u8> {
    let half = max_inc.div_ceil(2);
    let mut all = vec![1, 2, half, half + 1, max_inc];
    all.retain(|&thresh| thresh <= max_inc);
    all.sort_unstable();
    all.dedup();
    let narrow = all
        .into_iter()
        .map(|thresh| u8::try_from(thresh).expect("8 bits"));
    narrow.collect()
}

/// Returns an event at each of its thresholds, as level and as edge, and inverted where its box can do
/// that, when the threshold may be above all values.
fn at_each_threshold(probe: &Probe) -> Vec<Probe> {
    let Setting { ext, event, .. } = probe.setting;
    let facts = Catalogue::get().facts(probe.kind, ext, event);
    let thresholds = thresholds(facts.expect("an event").max_inc);
    let has = |name| field(probe.kind, name);
    let (_, bits) = has("thresh").expect("a threshold");
    let highest = u8::try_from(bits >> 24).expect("8 bits");
    // The PCU's occupancies have an inversion and an edge detector of their own.
    let occupancy = probe.kind == BoxKind::Pcu && event == 0x80;
    let invert = |probe: Probe| match occupancy {
        true => probe.occ_invert(),
        false => probe.invert(),
    };
    let edge = |probe: Probe| match occupancy {
        true => probe.occ_edge(),
        false => probe.edge(),
    };
    let at = |thresh| probe.clone().thresh(thresh);
    let mut levels: Vec<Probe> = thresholds.iter().map(|&thresh| at(thresh)).collect();
    if occupancy || has("inv").is_some() {
        let all = thresholds.into_iter().chain([highest]);
        levels.extend(all.map(|thresh| invert(at(thresh))));
    }
    // POWER_CKE_CYCLES takes one of both (bdx.rst, B-20).
    let takes_both = probe.kind != BoxKind::Imc || event != 0x83;
    let may_rise = |level: &&Probe| takes_both || !level.setting.invert;
    let edges: Vec<Probe> = levels.iter().filter(may_rise).cloned().map(edge).collect();
    [levels, edges].concat()
}

/// Every event that adds more than one in a cycle, and some of the others.
#[test]
fn each_threshold_and_edge_counts() {
    on_each_platform(|host| {
        let mut first_rows = BTreeMap::new();
        for probe in events::rows(&Shape::of(&Config::default())) {
            let Setting {
                ext, event, umask, ..
            } = probe.setting;
            let states = if probe.kind == BoxKind::Pcu { umask } else { 0 };
            let is_plain = probe.setting.thresh == 0 && field(probe.kind, "thresh").is_some();
            if is_plain && probe.instance == 0 {
                first_rows
                    .entry((probe.kind, ext, event, states))
                    .or_insert(probe);
            }
        }
        let several = |probe: &Probe| {
            let facts = Catalogue::get().facts(probe.kind, probe.setting.ext, probe.setting.event);
            facts.is_some_and(|facts| facts.max_inc > 1)
        };
        let all = first_rows.into_values().enumerate();
        let some = all.filter(|(index, probe)| several(probe) || index % 5 == 0);
        let probes: Vec<Probe> = some
            .flat_map(|(_, probe)| at_each_threshold(&probe))
            .collect();
        assert!(probes.len() > 20, "{}", probes.len());
        assert_none(&mismatches(host, probes.into_iter(), Probe::words));
    });
}

/// Another counter's view of counter 0's queue has its own threshold and edge.
#[test]
fn another_counter_shows_the_occupancy_of_counter_0() {
    const VIEWS: [(u8, bool); 3] = [(0, false), (2, true), (12, false)];
    let has_view = || Catalogue::get().has(BoxKind::Cbox, "counter0_occupancy");
    on_each_platform_that(has_view, |host| {
        let filter = Filter {
            opc: 0x1e5,
            nid: node(3),
            ..Filter::default()
        };
        let rows = Catalogue::get().of(BoxKind::Cbox);
        let occupancies = rows.filter(|row| [0x11, 0x36].contains(&row.code));
        for leader in occupancies.filter_map(|row| Probe::of_row(row, 0, &filter)) {
            for leader in [leader.clone(), leader.clone().thresh(20).edge()] {
                let first = open_probe(&leader, 0);
                let shown = VIEWS.map(|(thresh, edge)| {
                    let words = u64::from(thresh) << 24 | u64::from(edge) << 18;
                    let view = named(BoxKind::Cbox, "counter0_occupancy", Words([0; 3]));
                    let Words([config, ..]) = view;
                    let request = attributes(Words([config | words, 0, 0]), 0);
                    let view = known(&leader.pmu()).open(&request, Some(&first));
                    let view = view.unwrap_or_else(|_| panic!("{}", debugfs("rejections")));
                    (view, leader.beside(thresh, edge).shows)
                });
                host.traffic(BURST);
                have_counted([((&first, &leader), 1)]);
                have_counted(shown.iter().map(|(event, probe)| ((event, probe), 1)));
            }
        }
    });
}

/// Counters that wrap in a burst: all of each box, from just before its end to just at it.
#[test]
fn every_counter_wraps_at_its_width() {
    for distance in [1, BURST - 1, BURST, BURST + 1] {
        on_each_platform(|host| {
            let shape = Shape::of(&Config::default());
            for probe in BoxKind::all().flat_map(|kind| of_each_set(&shape, kind)) {
                host.command(&format!("preload-all {distance}"));
                let all = vec![probe.clone(); counters(&probe).count_ones() as usize];
                assert_none(&mismatches(host, all.into_iter(), Probe::words));
            }
        });
    }
}
