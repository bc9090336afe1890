// SPDX-License-Identifier: GPL-2.0

//! `explain EVENT...`: explains events or their config words, and asks the module for its verdict.
//!
//! ```text
//! $ uncore explain ivbep_uncore_cbox/config=0x4134,config1=0x200000000/
//! ivbep_uncore_cbox_N, N = 0-2: 4 counters of 44 bits
//! event    llc_lookup.nid: event=0x34,umask=0x41,filter_nid=?
//! words    config=0x4134,config1=0x200000000
//! …
//! ```

mod decode;
mod judge;

use std::fmt;
use std::path::Path;

use crate::cli::Explain;
use crate::doubts::{self, Doubt};
use crate::encode::encode;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::request::{self, title, Meant, Request};
use crate::system::{Event, Pmu, Rejection, System, Words};
use crate::table;
use decode::Selected;
use judge::Verdict;

/// Explains the events that the user wrote. Fails if the module has no PMUs, or a text
/// names no event of them.
pub fn run(root: &Path, arguments: &Explain) -> Result<Outcome, Error> {
    let system = System::with_pmus(root)?;
    let written = [&arguments.event[..], &arguments.events].concat();
    let events = request::events(&written);
    let all = events.iter().map(|event| Explanation::new(&system, event));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let texts: Vec<_> = all.iter().map(ToString::to_string).collect();
    let is_refused = all.iter().any(Explanation::is_refused);
    let outcome = Outcome::said(texts.join("\n")).with_trouble(is_refused);
    Ok(outcome.with_defects(&system))
}

/// Number of related events shown.
const MOST_KIN: usize = 12;

/// Explanation of an event.
#[derive(Debug)]
pub struct Explanation {
    head: String,
    words: Words,
    event: Vec<String>,
    fields: Vec<Vec<String>>,
    places: String,
    /// The module's answer, if perf would ask it.
    verdict: Option<Verdict>,
    faults: Vec<String>,
    remarks: Vec<String>,
    doubts: Vec<String>,
    refused: Vec<String>,
}

impl Explanation {
    /// Explains what the user wrote. Fails if the text is not an event, or names a PMU
    /// that is not there.
    pub fn new(system: &System, text: &str) -> Result<Self, Error> {
        let Meant {
            pmu,
            pmus,
            terms,
            remarks,
        } = Request::parse(text)?.here(system)?;
        let mut encoded = encode(pmu, &terms);
        encoded.remarks.extend(remarks);
        let strays = decode::strays(pmu, &encoded.words);
        let strays = strays.iter().map(|(word, bits)| {
            format!(
                "{} has bits that are in no field ({bits:#x}), which the module refuses",
                word.name()
            )
        });
        encoded.faults.extend(strays);
        let is_askable = encoded.faults.is_empty();
        let verdict = is_askable.then(|| judge::ask(system, &pmus, encoded.words));
        let refused = match &verdict {
            Some(Verdict::NotAsked(_)) | None => {
                refused(system, &pmus, &encoded.words, &mut encoded.remarks)
            }
            Some(_) => Vec::new(),
        };
        let selected = selected(pmu, &encoded.words, encoded.named.as_deref());
        let said = said(&terms, &selected);
        let masked = system.platform().ok().and_then(|it| it.masked(&pmu.unit));
        Ok(Self {
            head: head(&pmus),
            event: event_lines(&selected),
            fields: decode::fields(pmu, &encoded.words, &said)
                .iter()
                .map(|(format, value)| {
                    vec![
                        format.name.clone(),
                        format!("{value:#x}"),
                        format.to_string(),
                        meaning(&format.name, *value, masked).unwrap_or_default(),
                    ]
                })
                .collect(),
            places: places(&pmus),
            verdict,
            doubts: doubts(pmu, &selected, &encoded.words)?,
            words: encoded.words,
            faults: encoded.faults,
            remarks: encoded.remarks,
            refused,
        })
    }

    /// Returns whether perf or the module refuses the event.
    pub fn is_refused(&self) -> bool {
        let verdict = self.verdict.as_ref();
        !self.faults.is_empty()
            || !self.refused.is_empty()
            || verdict.is_some_and(Verdict::is_refused)
    }
}

fn head(pmus: &[&Pmu]) -> String {
    let caps = pmus.first().map(|pmu| &pmu.caps);
    match caps.and_then(|caps| caps.counters.zip(caps.width)) {
        Some((counters, width)) => {
            format!("{}: {counters} counters of {width} bits", title(pmus))
        }
        None => title(pmus),
    }
}

/// Returns the event that the user named, or the events that the words select.
fn selected<'a>(pmu: &'a Pmu, words: &Words, named: Option<&str>) -> Selected<'a> {
    match named.and_then(|name| pmu.event(name)) {
        Some(event) => Selected::Named(vec![event]),
        None => decode::select(pmu, words),
    }
}

/// Returns the fields that the user or the event names.
fn said<'a>(terms: &'a [(String, Option<String>)], selected: &Selected<'a>) -> Vec<&'a str> {
    let events: &[&Event] = match selected {
        Selected::Named(events) => events,
        Selected::Unnamed(_) => &[],
    };
    let of_events = events.iter().flat_map(|event| &event.terms);
    let of_events = of_events.map(|term| term.field.as_str());
    let of_user = terms.iter().map(|(name, _)| name.as_str());
    of_user.chain(of_events).collect()
}

/// Describes the event.
fn event_lines(selected: &Selected<'_>) -> Vec<String> {
    let line = |event: &&Event| format!("{}: {}", event.name, event.encoding);
    match selected {
        Selected::Named(events) => {
            let mut scales = events
                .iter()
                .map(|event| event.unit.as_ref().zip(event.scale));
            let scale = scales.find_map(|scale| scale);
            let scale = scale.map(|(unit, scale)| format!("one count is {scale:?} {unit}"));
            events.iter().map(line).chain(scale).collect()
        }
        Selected::Unnamed(kin) if kin.is_empty() => {
            vec!["sysfs names no event with this code".to_owned()]
        }
        Selected::Unnamed(kin) => {
            let head =
                "sysfs has no name for this event; it names these with the same code".to_owned();
            let more = kin.len().saturating_sub(MOST_KIN);
            let more = (more > 0).then(|| format!("and {more} more"));
            let kin = kin.iter().take(MOST_KIN).map(line);
            [head].into_iter().chain(kin).chain(more).collect()
        }
    }
}

/// Returns what is uncertain about the event, a sentence each.
fn doubts(pmu: &Pmu, selected: &Selected<'_>, words: &Words) -> Result<Vec<String>, Error> {
    let (Selected::Named(events) | Selected::Unnamed(events)) = selected;
    let mut doubts = doubts::doubts(pmu.platform)?;
    doubts.retain(|doubt| {
        let mut names = events.iter().map(|event| event.name.as_str());
        names.any(|name| doubt.is_about_words(pmu, name, words))
    });
    Ok(doubts.iter().map(Doubt::sentence).collect())
}

fn places(pmus: &[&Pmu]) -> String {
    let mut cpus: Vec<u32> = pmus.iter().flat_map(|pmu| &pmu.cpus).copied().collect();
    cpus.sort_unstable();
    cpus.dedup();
    if cpus.is_empty() {
        "nowhere: no package has the box now".to_owned()
    } else {
        format!(
            "on CPU {}, one for each package that has the box",
            table::ranges(&cpus)
        )
    }
}

/// Returns the lines of `rejections` about this request.
fn refused(
    system: &System,
    pmus: &[&Pmu],
    words: &Words,
    remarks: &mut Vec<String>,
) -> Vec<String> {
    let boxes: Vec<String> = pmus.iter().map(|pmu| pmu.box_name()).collect();
    let is_about =
        |rejection: &Rejection| rejection.words == *words && boxes.contains(&rejection.box_name);
    match system.rejections() {
        Ok(all) => {
            let about = all.into_iter().filter(is_about);
            about.map(|rejection| rejection.line).collect()
        }
        Err(error) => {
            remarks.push(format!("recent refusals are not known: {error}"));
            Vec::new()
        }
    }
}

/// Describes a field with this value, as the predicate of a sentence, if fields of this
/// name mean the same in other PMUs of perf. Of all other fields, only the value is shown.
/// `masked` tells what is done with the bits that a mask selects.
fn meaning(field: &str, value: u64, masked: Option<&str>) -> Option<String> {
    Some(match field {
        "event" => "selects the event".to_owned(),
        "umask" => "selects its sub-events, a bit for each or a code".to_owned(),
        "edge" => "counts how often the condition begins, not how long it lasts".to_owned(),
        "thresh" => format!("counts clocks with at least {value} at a time"),
        "interval" => format!("triggers the tracepoint interval after every {value} counts"),
        "cmask" => "is thresh, by its name in intel_uncore".to_owned(),
        "occ_edge" => "counts how often the occupancy reaches thresh".to_owned(),
        "inv" | "occ_invert" => "counts clocks with less than thresh".to_owned(),
        "tid_en" => "switches the thread filter on".to_owned(),
        name if name.starts_with("mask") => {
            let compared = name.replacen("mask", "match", 1);
            format!("selects the bits of {compared} that {}", masked?)
        }
        name if name.starts_with("match") => {
            "is the value that packets are compared with".to_owned()
        }
        "filter_cfg_en" => "switches the match of addresses on".to_owned(),
        "filter_match" => "is the value that addresses are compared with".to_owned(),
        "filter_mask" => return None,
        name if name.starts_with("filter_") => "counts only what has this value".to_owned(),
        _ => return None,
    })
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        for (place, line) in self.event.iter().enumerate() {
            let title = if place == 0 { "event" } else { "" };
            writeln!(f, "{title:9}{line}")?;
        }
        writeln!(f, "{:9}{}", "words", self.words)?;
        writeln!(f, "{:9}{}", "counts", self.places)?;
        for line in self.verdict.iter().flat_map(Verdict::lines) {
            writeln!(f, "{:9}{line}", "module")?;
        }
        writeln!(f, "fields")?;
        f.write_str(&table::columns(&self.fields, "  "))?;
        for (title, lines) in [
            ("not accepted", &self.faults),
            ("note", &self.remarks),
            ("uncertain", &self.doubts),
            ("refused recently", &self.refused),
        ] {
            if !lines.is_empty() {
                writeln!(f, "{title}")?;
            }
            lines.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        Ok(())
    }
}
