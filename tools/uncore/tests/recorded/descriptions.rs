// SPDX-License-Identifier: GPL-2.0

//! Descriptions of events: that each event has one, and that it says something.

use std::collections::{BTreeMap, BTreeSet};

use uncore::system::{Event, System};
use uncore_metrics::{Descriptions, Platform};

use crate::recording::Recording;

/// Most characters of a sentence, and of a phrase.
const LONGEST: (usize, usize) = (200, 100);

/// Words that say nothing about an event.
const EMPTY: [&str; 14] = [
    "a", "an", "the", "of", "in", "on", "to", "for", "by", "and", "is", "are", "count", "event",
];

/// Returns the words of a text that say something.
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.map(|word| word.strip_suffix('s').unwrap_or(word).to_owned());
    words
        .filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str()))
        .collect()
}

/// Returns the named events of a platform: by type of box and event, the sub-events.
fn events(systems: &[System], platform: &Platform) -> BTreeMap<(String, String), Vec<Event>> {
    let mut all: BTreeMap<_, Vec<Event>> = BTreeMap::new();
    let pmus = systems.iter().flat_map(|system| &system.pmus);
    for pmu in pmus.filter(|pmu| platform.is(pmu.platform.name)) {
        for event in pmu.events() {
            let (name, _) = event.name.split_once('.').unwrap_or((&event.name, ""));
            let subs = all.entry((pmu.unit.clone(), name.to_owned())).or_default();
            if !subs.contains(event) {
                subs.push(event.clone());
            }
        }
    }
    all
}

/// Returns what is wrong with a text about these names.
fn fault(text: &str, name: &str, longest: usize) -> Option<String> {
    let wrong = if text.len() > longest {
        "is too long"
    } else if !text.is_ascii() || text.trim() != text || text.ends_with('.') {
        "has a character that it must not have"
    } else if words(text).is_subset(&words(name)) {
        "only repeats the name"
    } else {
        return None;
    };
    Some(format!("{name}: {text:?} {wrong}"))
}

#[test]
fn every_event_says_what_it_counts() {
    let recordings: Vec<Recording> = Recording::of_all_processors().collect();
    let system = |recording: &Recording| System::with_pmus(&recording.path("")).expect("PMUs");
    let systems: Vec<System> = recordings.iter().map(system).collect();
    let mut faults = Vec::new();
    let mut unused: BTreeMap<(String, String), bool> = BTreeMap::new();
    for platform in &Platform::ALL {
        let texts = Descriptions::of(platform.name).expect("a file");
        for row in texts.rows().filter(|(_, event)| !event.is_empty()) {
            unused.entry(row.clone()).or_insert(true);
        }
        let all = events(&systems, platform);
        assert!(!all.is_empty(), "{}", platform.name);
        // The rows of the sentences seen, by text.
        let mut sentences = BTreeMap::new();
        for ((unit, name), subs) in &all {
            let at = format!("{} {unit} {name}", platform.name);
            if texts.box_type(unit).is_none() {
                faults.push(format!("{at}: no box"));
            }
            let Some(sentence) = texts.sentence(unit, name) else {
                faults.push(format!("{at}: no sentence"));
                continue;
            };
            faults.extend(fault(&sentence, name, LONGEST.0));
            let terms: Vec<&str> = subs.iter().map(|event| event.encoding.as_str()).collect();
            let this = (texts.rows_of(unit, name), terms);
            let before = sentences.insert(sentence, this.clone());
            if before.is_some_and(|before| before.0 != this.0 && before.1 != this.1) {
                faults.push(format!("{at}: another event has this sentence"));
            }
            let mut phrases = BTreeMap::new();
            for event in subs {
                for row in texts.rows_of(unit, &event.name) {
                    unused.insert(row.clone(), false);
                }
                let Some((_, sub)) = event.name.split_once('.') else {
                    continue;
                };
                let Some(phrase) = texts.phrase(unit, &event.name) else {
                    faults.push(format!("{at}.{sub}: no phrase"));
                    continue;
                };
                faults.extend(fault(&phrase, sub, LONGEST.1));
                // Models may have other codes for a name.
                let this = (sub, &event.encoding);
                let before = phrases.insert(phrase, this);
                if before.is_some_and(|before| before.0 != this.0 && before.1 != this.1) {
                    faults.push(format!("{at}.{sub}: another sub-event has this phrase"));
                }
            }
        }
    }
    let unused = unused.into_iter().filter(|(_, unused)| *unused);
    faults
        .extend(unused.map(|((unit, event), _)| format!("{unit} {event}: no event is so called")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
