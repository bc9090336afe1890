// SPDX-License-Identifier: GPL-2.0

//! The driver under other readings of what the sources leave open: each alone, and random
//! combinations on random machines.
//!
//! A run loads the driver, counts events while their counters wrap, and unloads it. Each event
//! must count exactly, be refused, or have another meaning, as the tables say (`effects`).
//!
//! Documentation/development/readings.rst says more.

mod asked;
mod check;
mod effects;
mod list;
mod page;
mod plan;
mod survey;

use crate::panic_context::PanicContext;
use crate::table::Table;
use asked::{Asked, Places};
use check::{Outcome, Seen};
use effects::Effect;
use plan::{seen_from_start, usual, usual_parameters, Condition, Machine, Run};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use uncore_e2e::prelude::*;

pub use list::{processors, readings, Reading};
pub use page::page;
pub use survey::survey;

/// The default seed.
pub const SEED: u64 = 1;
/// The default number of random runs.
pub const RUNS: u64 = 100;
/// Failures after which a campaign ends, because more of them would repeat the same failure.
const MOST_FAILURES: usize = 20;
/// Mismatches of a run, and lines of the driver, that are shown.
const MOST_SHOWN: usize = 8;
const MOST_SAID: usize = 20;

/// Numbers of the events under a reading, by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    runs: u64,
    exact: u64,
    refused: u64,
    otherwise: u64,
}

impl Tally {
    /// Adds a run.
    fn note(&mut self, seen: &[Seen]) {
        self.runs += 1;
        for Seen { outcome, .. } in seen {
            *match outcome {
                Outcome::Exact => &mut self.exact,
                Outcome::Refused(_) => &mut self.refused,
                Outcome::Otherwise(_) => &mut self.otherwise,
            } += 1;
        }
    }
}

/// A campaign.
#[derive(Default)]
pub struct Readings {
    total: Tally,
    tallies: BTreeMap<&'static str, Tally>,
    failures: Vec<String>,
}

impl Readings {
    /// Returns the failures, each with the command line that repeats it.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Returns the number of runs so far.
    pub fn runs(&self) -> u64 {
        self.total.runs
    }

    /// Returns a table of the readings and what became of events under them.
    pub fn table(&self) -> Table {
        let rows = self.tallies.iter().map(|(name, tally)| {
            let numbers = [tally.runs, tally.exact, tally.refused, tally.otherwise];
            let [runs, exact, refused, otherwise] = numbers.map(|number| json!(number));
            [json!(name), runs, exact, refused, otherwise]
        });
        let head = ["reading", "runs", "exact", "refused", "otherwise"];
        Table::new(self.to_string(), head, rows)
    }

    /// Makes these random runs and gives `progress` the number of finished ones after each.
    /// Stops after some failures.
    pub fn random(&mut self, seed: u64, runs: Range<u64>, mut progress: impl FnMut(u64)) {
        let mut next = runs.start;
        while next < runs.end {
            let machine = Machine::of(seed, next);
            let end = runs.end.min(Machine::next(next));
            machine.processor.on(|| {
                on_new(&machine.config, |session| {
                    let places = Places::of(session);
                    for run in next..end {
                        if self.failures.len() >= MOST_FAILURES {
                            return;
                        }
                        let title = format!("run {run} of seed {seed}: {}", make_line(seed, run));
                        let plan = Run::of(&machine, seed, run);
                        self.try_run(session, &machine, &places, &title, &plan);
                        progress(run + 1 - runs.start);
                    }
                });
            });
            next = end;
        }
    }

    /// Takes the readings of these names alone, one after the other, each on the first processor
    /// that has it; all of the current processor if there are no names. Counts one event in `step`,
    /// and those that the reading changes. Gives `progress` the name of each reading first.
    pub fn alone(&mut self, names: &[&str], step: usize, mut progress: impl FnMut(&str)) {
        if names.is_empty() {
            self.each_alone(readings(), step, &mut progress);
            return;
        }
        let mut taken = BTreeSet::new();
        for processor in processors() {
            processor.on(|| {
                let mut all = readings();
                all.retain(|it| names.contains(&it.name) && taken.insert(it.name));
                self.each_alone(all, step, &mut progress);
            });
        }
    }

    /// Takes each of these readings of the current processor alone.
    fn each_alone(&mut self, all: Vec<Reading>, step: usize, progress: &mut impl FnMut(&str)) {
        let (at_start, switched): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|reading| reading.at_start);
        if !switched.is_empty() {
            let machine = Machine::new(usual(), Vec::new());
            on_new(&machine.config, |session| {
                for reading in switched {
                    progress(reading.name);
                    self.under(session, &machine, reading, step);
                }
            });
        }
        for reading in at_start {
            progress(reading.name);
            let machine = Machine::new(seen_from_start(), vec![reading]);
            on_new(&machine.config, |session| {
                self.under(session, &machine, reading, step);
            });
        }
    }

    /// Loads the driver under one reading. Each row of the reading must be true if the machine has
    /// events of the row.
    fn under(&mut self, session: &mut Session, machine: &Machine, reading: Reading, step: usize) {
        let changed = |event: &Asked| effects::of(reading.name).any(|row| row.has(event));
        let run = Run {
            readings: if reading.at_start {
                Vec::new()
            } else {
                vec![reading]
            },
            condition: Condition::default(),
            parameters: usual_parameters(),
            events: machine.events(step, changed),
        };
        let places = Places::of(session);
        let line = format!(
            "{} ALONE={}",
            Config::default().make("readings"),
            reading.name
        );
        let title = format!("{}: {line}", reading.name);
        let seen = self.try_run(session, machine, &places, &title, &run);
        for row in effects::of(reading.name).filter(|row| machine.can_show(row)) {
            let is_true = |seen: &Seen| match (row.effect, &seen.outcome) {
                (Effect::Refused(_), Outcome::Refused(_))
                | (Effect::Meaning, Outcome::Otherwise(_))
                | (Effect::Adds(_), Outcome::Exact) => row.has(&seen.event),
                _ => false,
            };
            if !seen.iter().any(is_true) {
                let events = row.events();
                let fault = format!("{title}\n  not so: {:?} {events}", row.effect);
                self.failures.push(fault);
            }
        }
    }

    /// Makes a run, and returns what became of its events.
    fn try_run(
        &mut self,
        session: &mut Session,
        machine: &Machine,
        places: &Places,
        title: &str,
        run: &Run,
    ) -> Vec<Seen> {
        let context = PanicContext(title.to_owned());
        let mut commands = vec![run.command(machine)];
        commands.extend(run.condition.begins.iter().cloned());
        session.ok("dmesg -c > /dev/null");
        let (mut seen, mut faults) = (Vec::new(), Vec::new());
        match check::load(session, &commands, run.parameters) {
            Ok(()) => {
                let readings: Vec<&str> = in_force(machine, run).collect();
                let events = run.events.iter().cloned();
                let events = events.map(|event| effects::with_increment(event, &readings));
                seen = check::count(session, &machine.shape, places, events);
                faults.extend(judge(machine, run, &seen));
                faults.extend(unsaid(session, machine, run, &seen));
                faults.extend(check::unload(session, &run.condition.ends).err());
            }
            Err(fault) => faults.push(fault),
        }
        let complaints = session.faults();
        if !complaints.is_empty() {
            faults.push(complaints.to_string());
        }
        drop(context);
        self.note(machine, run, &seen);
        if !faults.is_empty() {
            let log = session.ok("dmesg");
            let own = log.lines().filter(|line| line.contains("uncore_rs"));
            let own = own.take(MOST_SAID);
            faults.extend(own.map(str::to_owned));
            let faults = faults.join("\n  ");
            self.failures.push(format!("{title}\n  {run}\n  {faults}"));
        }
        seen
    }

    /// Adds a run to the tallies of its readings.
    fn note(&mut self, machine: &Machine, run: &Run, seen: &[Seen]) {
        self.total.note(seen);
        for name in in_force(machine, run) {
            self.tallies.entry(name).or_default().note(seen);
        }
    }
}

impl fmt::Display for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            runs,
            exact,
            refused,
            otherwise,
        } = self.total;
        write!(
            f,
            "{runs} runs; {exact} events counted exactly, {refused} were refused, {otherwise} \
             counted otherwise; {} failures",
            self.failures.len()
        )
    }
}

/// Returns the names of the readings in force.
fn in_force<'a>(machine: &'a Machine, run: &'a Run) -> impl Iterator<Item = &'static str> + 'a {
    let all = machine.at_start.iter().chain(&run.readings);
    all.map(|reading| reading.name)
}

/// Returns the rows of the readings in force that an event is in.
fn rows_of<'a>(
    machine: &'a Machine,
    run: &'a Run,
    event: &'a Asked,
) -> impl Iterator<Item = &'static effects::Row> + 'a {
    let rows = effects::together(in_force(machine, run).collect());
    rows.filter(|row| row.has(event))
}

/// Tells if the condition of a run takes away the box of an event.
fn is_of_lost_box(run: &Run, seen: &Seen) -> bool {
    run.condition.lacks == Some((seen.event.site().0, seen.package))
}

/// Returns the outcomes that must not be.
fn judge(machine: &Machine, run: &Run, seen: &[Seen]) -> Vec<String> {
    let is_wrong = |seen: &&Seen| {
        if is_of_lost_box(run, seen) {
            return !matches!(seen.outcome, Outcome::Refused(_));
        }
        let mut rows = rows_of(machine, run, &seen.event);
        match seen.outcome {
            Outcome::Exact => false,
            Outcome::Refused(_) => !rows.any(|row| matches!(row.effect, Effect::Refused(_))),
            Outcome::Otherwise(_) => !rows.any(|row| row.effect == Effect::Meaning),
        }
    };
    let wrong: Vec<&Seen> = seen.iter().filter(is_wrong).collect();
    let shown = wrong.iter().take(MOST_SHOWN);
    let mut lines: Vec<String> = shown
        .map(|seen| {
            format!(
                "{} in package {}: {:?}",
                seen.event.text(),
                seen.package,
                seen.outcome
            )
        })
        .collect();
    if wrong.len() > MOST_SHOWN {
        lines.push(format!("and {} more", wrong.len() - MOST_SHOWN));
    }
    lines
}

/// Returns the sentences of rows that no refusal has. The driver remembers only some refusals, so
/// that one of each row is enough; one that several rows refuse has the sentence of any of them.
fn unsaid(session: &mut Session, machine: &Machine, run: &Run, seen: &[Seen]) -> Vec<String> {
    let refused = seen
        .iter()
        .filter(|seen| matches!(seen.outcome, Outcome::Refused(_)) && !is_of_lost_box(run, seen));
    let sentences = refused.map(|seen| {
        let rows = rows_of(machine, run, &seen.event);
        let sentences = rows.filter_map(|row| match row.effect {
            Effect::Refused(words) => Some(words),
            _ => None,
        });
        sentences.collect::<Vec<_>>()
    });
    let mut wanted: BTreeSet<Vec<&str>> = sentences.filter(|any| !any.is_empty()).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let log = session.ok("dmesg");
    let said = [session.rejections().join("\n"), log];
    let is_said = |words: &&str| said.iter().any(|text| text.contains(words));
    wanted.retain(|any| !any.iter().any(is_said));
    wanted
        .into_iter()
        .map(|any| format!("no refusal says `{}`", any.join("` or `")))
        .collect()
}

/// Returns the command line that repeats a run.
fn make_line(seed: u64, run: u64) -> String {
    let line = Config::default().make("readings");
    format!("{line} SEED={seed} ONLY={run}")
}
