// SPDX-License-Identifier: GPL-2.0

//! Events and PMUs by the names that other programs have for them, and names that resemble a
//! misspelt one.
//!
//! Perf's lists put a prefix for the kind of box before Intel's name of an event, LIKWID writes
//! it in capitals with underscores, and intel_uncore's PMUs have no name of the platform.

use crate::system::{Pmu, System};

/// Begin of the names of intel_uncore's PMUs.
pub(crate) const IN_TREE_PREFIX: &str = "uncore_";

/// Prefixes of perf's lists, after `unc_`, and the kinds of boxes.
const PREFIXES: [(&str, &str); 12] = [
    ("arb_", "arb"),
    ("cbo_", "cbox"),
    ("c_", "cbox"),
    ("h_", "ha"),
    ("i_", "irp"),
    ("m_", "imc"),
    ("p_", "pcu"),
    ("q_", "qpi"),
    ("r2_", "r2pcie"),
    ("r3_", "r3qpi"),
    ("s_", "sbox"),
    ("u_", "ubox"),
];

/// Names of other programs that are not Intel's, and Intel's in their place.
const OTHERS: [(&str, &str); 8] = [
    // Clients have events of the first two names.
    ("data_reads", "cas_count.rd"),
    ("data_writes", "cas_count.wr"),
    ("unc_clock.socket", "clockticks"),
    ("dram_clockticks", "dclockticks"),
    ("llc_misses.mem_read", "cas_count.rd"),
    ("llc_misses.mem_write", "cas_count.wr"),
    ("qpi_ctl_bandwidth_tx", "txl_flits_g0.non_data"),
    ("qpi_data_bandwidth_tx", "txl_flits_g0.data"),
];

/// Similarity of names that resemble each other, of at most 1.
const ALIKE: f64 = 0.86;

/// Number of names that are proposed.
const MOST: usize = 3;

/// Returns a name as this module compares it.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('.', "_")
}

/// Splits a name of perf's lists into the kind of box, if it has a prefix, and Intel's name. What
/// LIKWID adds after a colon is a counter.
fn split(name: &str) -> (Option<&'static str>, String) {
    let lower = name.to_lowercase();
    let name = lower.split(':').next().unwrap_or_default();
    let others = OTHERS.iter().find(|(other, _)| *other == name);
    let name = others.map_or(name, |(_, ours)| ours);
    let rest = name.strip_prefix("unc_").unwrap_or_default();
    let known = PREFIXES
        .iter()
        .find_map(|(prefix, unit)| Some((*unit, rest.strip_prefix(prefix)?)));
    match known {
        Some((unit, event)) => (Some(unit), event.to_owned()),
        None => (None, name.to_owned()),
    }
}

/// Returns the kind of box that the prefix of a name of perf's lists tells.
pub(crate) fn unit(name: &str) -> Option<&'static str> {
    split(name).0
}

/// Finds an event by another program's name of it: the kinds of boxes that have it, with a PMU of
/// each, and its name here.
pub(crate) fn events<'a>(system: &'a System, name: &str) -> Vec<(&'a Pmu, &'a str)> {
    let (unit, event) = split(name);
    let event = plain(&event);
    let mut found: Vec<(&Pmu, &str)> = Vec::new();
    for pmu in &system.pmus {
        let is_new = found.iter().all(|(other, _)| other.unit != pmu.unit);
        if !is_new || unit.is_some_and(|unit| unit != pmu.unit) {
            continue;
        }
        let mut events = pmu.events().iter().map(|event| event.name.as_str());
        found.extend(
            events
                .find(|name| plain(name) == event)
                .map(|name| (pmu, name)),
        );
    }
    found
}

/// Returns names of events that resemble a name, the most similar first; with their kind of box
/// unless they are all of the same as `pmu`.
pub(crate) fn similar(system: &System, pmu: Option<&Pmu>, name: &str) -> Vec<String> {
    let (unit, name) = split(name);
    let name = plain(&name);
    let is_meant = |other: &&Pmu| match (pmu, unit) {
        (Some(pmu), _) => pmu.unit == other.unit,
        (None, Some(unit)) => unit == other.unit,
        (None, None) => true,
    };
    let names = system.pmus.iter().filter(is_meant).flat_map(|other| {
        let full = move |event: &str| match pmu {
            Some(_) => event.to_owned(),
            None => format!("{}/{event}/", other.unit),
        };
        let events = other.events().iter();
        events.map(move |event| (event.name.as_str(), full(&event.name)))
    });
    nearest(names, &name)
}

/// Returns the fields of a PMU that resemble a name, as the end of a sentence; all if there is none.
pub(crate) fn fields(pmu: &Pmu, name: &str) -> String {
    let all = pmu.formats.iter().map(|format| format.name.as_str());
    match nearest(all.clone().map(|field| (field, field.to_owned())), name).as_slice() {
        [] => format!("; its fields are {}", all.collect::<Vec<_>>().join(", ")),
        some => question(some),
    }
}

/// Returns what belongs to those of some names that resemble a name, the most similar first.
fn nearest<'a>(names: impl Iterator<Item = (&'a str, String)>, name: &str) -> Vec<String> {
    let mut all: Vec<(f64, String)> = names
        .map(|(one, full)| (strsim::jaro_winkler(&plain(one), name), full))
        .filter(|(alike, _)| *alike > ALIKE)
        .collect();
    all.sort_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
    all.dedup();
    all.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// Returns words in place of one that is no part of an event, by what it means or resembles, as
/// long as `has_events` has events of them.
pub(crate) fn words(system: &System, word: &str, has_events: impl Fn(&str) -> bool) -> Vec<String> {
    let word = word.to_lowercase();
    let units = system.units().into_iter().map(str::to_owned);
    let alike = |unit: &String| strsim::jaro_winkler(unit, &word) > ALIKE;
    let heads = similar(system, None, &word).into_iter();
    let heads = heads.filter_map(|name| Some(name.split('/').nth(1)?.to_owned()));
    let mut words: Vec<String> = units.filter(alike).chain(heads).collect();
    words.retain(|word| has_events(word));
    words
}

/// Returns the question whether one of some names was meant, as the end of a sentence.
pub(crate) fn question(names: &[String]) -> String {
    match names {
        [] => String::new(),
        some => format!("; did you mean {}?", some.join(" or ")),
    }
}
