// SPDX-License-Identifier: GPL-2.0

//! `list [WORD...]`: the events of all boxes.
//!
//! ```text
//! $ uncore list cas_count
//! ivbep_uncore_imc_N, N = 0-7: 4 counters of 48 bits and 1 fixed
//!   EVENT         COUNTERS  NEEDS  UNIT  TERMS
//!   cas_count.rd  any              MiB   event=0x4,umask=0x3
//! ```

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::cli::List;
use crate::doubts::{doubts, Doubt, MARK};
use crate::error::Error;
use crate::names;
use crate::outcome::{json, Outcome};
use crate::system::{AllResources, Event, Pmu, Resources, System};
use crate::table;
use uncore_metrics::Descriptions;

/// Lists the events that match all words of the user, in columns that fit this width. Fails if the
/// module has no PMUs.
pub fn run(root: &Path, arguments: &List, width: Option<usize>) -> Result<Outcome, Error> {
    let system = System::with_pmus(root)?;
    let mut listing = Listing::new(&system, &arguments.words)?;
    listing.is_long = arguments.verbose;
    let text = if arguments.json {
        json(&listing)?
    } else {
        match width {
            Some(width) => format!("{listing:width$}"),
            None => listing.to_string(),
        }
    };
    let mut outcome = Outcome::said(text).with_trouble(listing.is_empty());
    outcome.sought = (!arguments.json).then(|| arguments.words.clone());
    if listing.is_empty() {
        let words = arguments.words.join(" ");
        let has_events = |word: &str| {
            Listing::new(&system, &[word.to_owned()]).is_ok_and(|listing| !listing.is_empty())
        };
        let other = |word: &String| names::words(&system, word, has_events);
        let others = arguments.words.iter().flat_map(other);
        let others: Vec<String> = others.map(|word| format!("`uncore list {word}`")).collect();
        let note = format!("no event matches all of these words: {words}");
        let note = match &others[..] {
            [] => note,
            some => format!("{note}; try {}", some.join(", ")),
        };
        outcome.notes.push(note);
    }
    Ok(outcome.with_defects(&system))
}

/// Counters of an event that any counter of its box can count.
const ANY: &str = "any";

/// Columns that are left out where there is no room for all, one after the other.
const SPARED: [&str; 5] = ["TERMS", "DOUBTS", "UNIT", "COUNTERS", "NEEDS"];

/// Formats rows, the first of which has the titles, without columns for which there is no room.
fn fitted(mut rows: Vec<Vec<String>>, width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let mut text = table::columns(&rows, "  ");
    for spared in SPARED {
        if text.lines().all(|line| line.chars().count() <= width) {
            break;
        }
        let titles = rows.first().map_or(&[][..], Vec::as_slice);
        if let Some(place) = titles.iter().position(|title| title == spared) {
            for row in &mut rows {
                row.remove(place);
            }
            text = table::columns(&rows, "  ");
        }
    }
    text
}

/// Events that match the words, by unit.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Listing {
    units: Vec<Unit>,
    /// With what the events count.
    #[serde(skip)]
    is_long: bool,
}

/// Boxes of one kind.
#[derive(Debug, Serialize)]
struct Unit {
    #[serde(rename = "unit")]
    name: String,
    pmus: Vec<String>,
    #[serde(skip)]
    stem: String,
    #[serde(skip)]
    indexes: Vec<u32>,
    counters: Option<u32>,
    fixed_counters: Option<u32>,
    width: Option<u32>,
    filters: Vec<String>,
    events: Vec<Row>,
}

/// Event of these boxes.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// What it counts.
    description: Option<String>,
    /// Counters that can count the event, if this user may read them.
    counters: Option<String>,
    terms: String,
    needs: Vec<String>,
    /// Filters that the event can use, if this user may read them.
    takes: Vec<String>,
    unit: Option<String>,
    scale: Option<f64>,
    /// Numbers of the points that are uncertain about what it counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uncertain: Vec<String>,
    /// Boxes that have the event, if not all of the kind have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    only: Option<Vec<String>>,
}

impl Listing {
    /// Lists the events that match each of the words. Fails if there are no PMUs.
    pub fn new(system: &System, words: &[String]) -> Result<Self, Error> {
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        // Only root may read the file.
        let resources = system.resources().unwrap_or_default();
        let known = Known {
            resources: &resources,
            doubts: &doubts(system.platform()?)?,
            descriptions: Descriptions::of(system.platform()?.name)?,
        };
        let units = system.units().into_iter().map(|unit| {
            let boxes = system.pmus.iter().filter(|pmu| pmu.unit == unit);
            Unit::new(unit, &boxes.collect::<Vec<_>>(), &words, &known)
        });
        Ok(Self {
            units: units.filter(|unit| !unit.events.is_empty()).collect(),
            is_long: false,
        })
    }

    /// Returns whether no event matches.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }
}

/// Knowledge of events beside their files.
struct Known<'a> {
    resources: &'a AllResources,
    doubts: &'a [Doubt],
    descriptions: &'a Descriptions,
}

impl Known<'_> {
    /// Returns the numbers of the points that are uncertain about an event.
    fn uncertain(&self, pmu: &Pmu, event: &Event) -> Vec<String> {
        let mut points = Vec::new();
        for doubt in self.doubts {
            if doubt.is_about(pmu, event) && !points.contains(&doubt.point) {
                points.push(doubt.point.clone());
            }
        }
        points
    }
}

impl Unit {
    fn new(unit: &str, boxes: &[&Pmu], words: &[String], known: &Known<'_>) -> Self {
        let mut events: Vec<&Event> = boxes.iter().flat_map(|pmu| pmu.events()).collect();
        let key = |event: &&Event| (event.name.clone(), event.encoding.clone());
        events.sort_by_key(key);
        events.dedup_by_key(|event| key(event));
        let first = boxes.first();
        let stem = first.map(|pmu| pmu.stem().to_owned()).unwrap_or_default();
        let rows = events.into_iter().filter_map(|event| {
            let points = first.map(|pmu| known.uncertain(pmu, event));
            let points = points.unwrap_or_default();
            let mark = if points.is_empty() { "" } else { MARK };
            let measure = event.unit.as_deref().unwrap_or_default();
            let (name, encoding) = (&event.name, &event.encoding);
            let about = known.descriptions.text(unit, name);
            let text = format!(
                "{stem} {name} {encoding} {measure} {mark} {} {} {}",
                points.join(" "),
                about.as_deref().unwrap_or_default(),
                known.descriptions.box_type(unit).unwrap_or_default(),
            );
            let text = text.to_lowercase();
            let is_sought = words.iter().all(|word| text.contains(word));
            is_sought.then_some((event, about, points))
        });
        let caps = first.map(|pmu| &pmu.caps);
        let resources = |event: &Event| {
            let key = (unit.to_owned(), event.name.clone());
            known.resources.get(&key)
        };
        Self {
            name: unit.to_owned(),
            pmus: boxes.iter().map(|pmu| pmu.name.clone()).collect(),
            indexes: boxes.iter().filter_map(|pmu| pmu.index).collect(),
            counters: caps.and_then(|caps| caps.counters),
            fixed_counters: caps.and_then(|caps| caps.fixed_counters),
            width: caps.and_then(|caps| caps.width),
            filters: caps.map(|caps| caps.filters.clone()).unwrap_or_default(),
            events: rows
                .map(|(event, about, points)| {
                    Row::new(event, boxes, about, resources(event), points)
                })
                .collect(),
            stem,
        }
    }

    fn head(&self) -> String {
        let mut head = self.stem.clone();
        if !self.indexes.is_empty() {
            head = format!("{head}_N, N = {}", table::ranges(&self.indexes));
        }
        if let (Some(counters), Some(width)) = (self.counters, self.width) {
            head = format!("{head}: {counters} counters of {width} bits");
        }
        if let Some(fixed @ 1..) = self.fixed_counters {
            head = format!("{head} and {fixed} fixed");
        }
        if !self.filters.is_empty() {
            head = format!("{head}; filters: {}", self.filters.join(", "));
        }
        head
    }
}

impl Row {
    fn new(
        event: &Event,
        boxes: &[&Pmu],
        description: Option<String>,
        resources: Option<&Resources>,
        uncertain: Vec<String>,
    ) -> Self {
        let having = boxes.iter().filter(|pmu| pmu.events().contains(event));
        let having: Vec<String> = having.map(|pmu| pmu.box_name()).collect();
        Self {
            name: event.name.clone(),
            description,
            counters: resources.map(|resources| resources.counters.clone()),
            takes: resources
                .map(|resources| resources.filters.clone())
                .unwrap_or_default(),
            terms: event.encoding.clone(),
            needs: event.needs().map(str::to_owned).collect(),
            unit: event.unit.clone(),
            scale: event.scale,
            uncertain,
            only: (having.len() < boxes.len()).then_some(having),
        }
    }

    /// The cells on a box with so many counters.
    fn cells(&self, counters: Option<u32>) -> Vec<String> {
        let all = counters.filter(|counters| *counters > 1).map(|counters| {
            let all = (0..counters).map(|counter| counter.to_string());
            all.collect::<Vec<_>>().join(",")
        });
        let own = self.counters.clone().unwrap_or_default();
        let name = match &self.only {
            Some(boxes) => format!("{} (only {})", self.name, boxes.join(", ")),
            None => self.name.clone(),
        };
        vec![
            name,
            if all.as_ref() == Some(&own) {
                ANY.to_owned()
            } else {
                own
            },
            self.needs.join(","),
            self.unit.clone().unwrap_or_default(),
            self.terms.clone(),
        ]
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, unit) in self.units.iter().enumerate() {
            let separator = if place == 0 { "" } else { "\n" };
            writeln!(f, "{separator}{}", unit.head())?;
            let has_doubts = unit.events.iter().any(|row| !row.uncertain.is_empty());
            let titles = ["EVENT", "COUNTERS", "NEEDS", "UNIT", "TERMS"].map(str::to_owned);
            let rows = unit.events.iter().map(|row| row.cells(unit.counters));
            let mut rows: Vec<Vec<String>> = [titles.to_vec()].into_iter().chain(rows).collect();
            if has_doubts {
                let doubts = unit.events.iter().map(|row| row.uncertain.join(","));
                let doubts = ["DOUBTS".to_owned()].into_iter().chain(doubts);
                for (row, cell) in rows.iter_mut().zip(doubts) {
                    row.insert(4, cell);
                }
            }
            let text = fitted(rows, f.width());
            if !self.is_long {
                f.write_str(&text)?;
                continue;
            }
            let about = unit.events.iter().map(|row| row.description.as_deref());
            let about = [None].into_iter().chain(about);
            for (line, about) in text.lines().zip(about) {
                writeln!(f, "{line}")?;
                let about = about.map(|text| table::paragraph("      ", text));
                f.write_str(&about.unwrap_or_default())?;
            }
        }
        Ok(())
    }
}
