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
use uncore_metrics::{glossary, Catalogue, Descriptions, Row};

/// Explains the events that the user wrote. Fails if the module has no PMUs, or a text
/// names no event of them.
pub fn run(root: &Path, arguments: &Explain) -> Result<Outcome, Error> {
    let system = System::with_pmus(root)?;
    let written = [&arguments.event[..], &arguments.events].concat();
    let events = request::events(&written);
    let mut texts = Vec::new();
    let mut is_refused = false;
    for event in &events {
        if let Some(text) = word(&system, event)? {
            texts.push(text);
            continue;
        }
        let explanation = Explanation::new(&system, event)?;
        is_refused |= explanation.is_refused();
        texts.push(explanation.to_string());
    }
    let outcome = Outcome::said(texts.join("\n")).with_trouble(is_refused);
    Ok(outcome.with_defects(&system))
}

/// Explains a word of the glossary, a kind of box, or a metric.
fn word(system: &System, text: &str) -> Result<Option<String>, Error> {
    let text = text.trim();
    let platform = system.platform()?;
    if platform.absence(text).is_some() {
        return Err(request::unknown_pmu(system, text));
    }
    let descriptions = Descriptions::of(platform.name)?;
    if let Some(about) = descriptions.box_type(text) {
        return Ok(Some(table::paragraph("", about)));
    }
    let metrics = metrics(platform.name, text)?;
    if !metrics.is_empty() {
        return Ok(Some(metrics.join("\n")));
    }
    let mut terms = glossary()?.into_iter();
    let found = terms.find(|term| term.term.eq_ignore_ascii_case(text));
    Ok(found.map(|term| table::paragraph(&format!("{}: ", term.term), &term.description)))
}

/// Explains the metrics of a platform that have a name, with or without the kind of box.
fn metrics(platform: &str, name: &str) -> Result<Vec<String>, Error> {
    // A platform without a manual has no others.
    let manual = Catalogue::of(platform).ok().into_iter();
    let catalogues = manual.chain([Catalogue::overview(platform)?]);
    let rows: Vec<Row> = catalogues.flat_map(|all| all.rows().to_vec()).collect();
    let is_called = |row: &&Row| row.is_called(name);
    Ok(rows.iter().filter(is_called).map(metric).collect())
}

fn metric(row: &Row) -> String {
    let line = |title: &str, text: &str| table::paragraph(&format!("{title:9}"), text);
    let name = format!("{}.{}", row.box_type, row.metric);
    let what = match row.left_out.as_str() {
        "" => vec![
            line("metric", &format!("{name}, in {}", row.unit)),
            line("meaning", &row.description),
            line("formula", &row.formula),
            line("try", &format!("uncore stat -M {name}")),
        ],
        why => vec![line("metric", &name), line("left out", why)],
    };
    what.concat()
}

/// Number of metrics shown that use an event.
const MOST_METRICS: usize = 8;

/// Number of related events shown.
const MOST_KIN: usize = 12;

/// Explanation of an event.
#[derive(Debug)]
pub struct Explanation {
    head: String,
    words: Words,
    event: Vec<String>,
    about: About,
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
            about: About::new(pmu, &selected, &terms)?,
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

/// What a named event is for.
#[derive(Debug, Default)]
struct About {
    text: Option<String>,
    /// Names of the metrics that use it.
    metrics: Vec<String>,
    /// A command that counts it.
    command: Option<String>,
    /// Words of the text, and the box, with their meanings.
    terms: Vec<String>,
}

impl About {
    fn new(
        pmu: &Pmu,
        selected: &Selected<'_>,
        terms: &[(String, Option<String>)],
    ) -> Result<Self, Error> {
        let Selected::Named(events) = selected else {
            return Ok(Self::default());
        };
        let Some(event) = events.first() else {
            return Ok(Self::default());
        };
        let (platform, unit) = (pmu.platform.name, pmu.unit.as_str());
        let descriptions = Descriptions::of(platform)?;
        let text = descriptions.text(unit, &event.name);
        let catalogue = Catalogue::of(platform);
        let rows = catalogue.iter().flat_map(Catalogue::rows);
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
        let uses = |formula: &str| {
            formula
                .split(|c| !is_letter(c))
                .any(|name| name == event.name)
        };
        let metrics = rows.filter(|row| row.box_type == unit && uses(&row.formula));
        let glossary = glossary()?;
        let said = text.as_deref().unwrap_or_default();
        let words = glossary.iter().filter(|word| word.is_in(said));
        let of_box = descriptions.box_type(unit).map(str::to_owned);
        let meanings = words.map(|word| format!("{}: {}", word.term, word.description));
        Ok(Self {
            metrics: metrics
                .map(|row| format!("{unit}.{}", row.metric))
                .collect(),
            command: Some(command(pmu, event, terms)),
            terms: of_box.into_iter().chain(meanings).collect(),
            text,
        })
    }
}

/// Returns a command that counts an event on all boxes, with the values that the user gave.
fn command(pmu: &Pmu, event: &Event, terms: &[(String, Option<String>)]) -> String {
    let given = |name: &str| terms.iter().any(|(given, _)| given == name);
    let asked = event.needs().filter(|name| !given(name));
    let asked = asked.map(|name| format!("{name}=VALUE"));
    let is_field = |name: &str| pmu.format(name).is_some() && !event.has(name);
    let own = terms.iter().filter_map(|(name, value)| {
        let value = value.as_ref().filter(|_| is_field(name))?;
        Some(format!("{name}={value}"))
    });
    let all: Vec<String> = [event.name.clone()]
        .into_iter()
        .chain(own)
        .chain(asked)
        .collect();
    let all = all.join(",");
    format!("perf stat -a --per-socket -e {}/{all}/ sleep 1", pmu.stem())
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |title: &str, text: &str| table::paragraph(&format!("{title:9}"), text);
        if let Some(text) = &self.text {
            f.write_str(&line("meaning", text))?;
        }
        if !self.metrics.is_empty() {
            let more = self.metrics.len().saturating_sub(MOST_METRICS);
            let names = self.metrics.iter().take(MOST_METRICS);
            let mut names: Vec<String> = names.cloned().collect();
            names.extend((more > 0).then(|| format!("{more} more")));
            f.write_str(&line("metrics", &names.join(", ")))?;
        }
        if let Some(command) = &self.command {
            writeln!(f, "{:9}{command}", "try")?;
        }
        for (place, term) in self.terms.iter().enumerate() {
            f.write_str(&line(if place == 0 { "terms" } else { "" }, term))?;
        }
        Ok(())
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
        self.about.fmt(f)?;
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
