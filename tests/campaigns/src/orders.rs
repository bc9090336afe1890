// SPDX-License-Identifier: GPL-2.0

//! Orders: short scenarios of the storm in which a seed decides when each processor passes an
//! access to a register, a call of the kernel (locks among them) or the entry of an NMI.
//!
//! The machine has one thread for all processors, and its time is what they have executed, so a
//! boot with the same plans is the same to the instruction. A record is what one boot has said:
//! the points of each seed in their order, and the outcomes of its steps. Two records of the same
//! seeds must be equal; a seed that fails is repeated by the boot that it was in.
//!
//! Documentation/development/orders.rst says more.

use crate::storm::{short_plan, Report};
use crate::table::Table;
use serde_json::json;
use std::fs;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;
use uncore_e2e::prelude::*;
use uncore_runner::alone;

/// The default first seed.
pub const SEED: u64 = 1;
/// The default number of seeds of each scenario.
pub const SEEDS: u64 = 20;
/// Seeds of one boot.
const BATCH: usize = 20;
/// Length of a plan by the guest's clock.
const LENGTH: Duration = Duration::from_millis(60);
/// Time limit of a boot with all its seeds, on a busy computer.
const PATIENCE: Duration = Duration::from_secs(540);

/// A scenario and its actors (see `storm::actors`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name on command lines.
    pub name: &'static str,
    actors: &'static [&'static str],
    /// Parameter of our module.
    parameter: &'static str,
}

/// All scenarios.
pub const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "overflow",
        actors: &["traffic", "sampler", "sampler", "sampler", "reader"],
        parameter: "overflow=pmi",
    },
    Scenario {
        name: "hotplug",
        actors: &["traffic", "CPUs", "program", "program", "program"],
        parameter: "overflow=auto",
    },
    Scenario {
        name: "unload",
        actors: &["traffic", "loader", "program", "program", "reader"],
        parameter: "overflow=auto",
    },
    Scenario {
        name: "tampering",
        actors: &[
            "traffic", "tamperer", "tamperer", "victim", "victim", "program",
        ],
        parameter: "overflow=auto",
    },
    Scenario {
        name: "removal",
        actors: &["traffic", "functions", "functions", "program", "program"],
        parameter: "overflow=auto",
    },
];

/// A boot in which each seed has another of these scenarios.
pub const MIXED: Scenario = Scenario {
    name: "mixed",
    actors: &[],
    parameter: "overflow=pmi",
};

impl Scenario {
    /// Returns the plan of a seed.
    fn plan(self, seed: u64) -> String {
        let scenarios = u64::try_from(SCENARIOS.len()).unwrap_or(1);
        let actors = match self.actors {
            [] => SCENARIOS[usize::try_from(seed % scenarios).unwrap_or(0)].actors,
            actors => actors,
        };
        short_plan(seed, actors, LENGTH)
    }
}

/// Points and outcomes of the seeds of a boot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    seeds: Vec<OfSeed>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OfSeed {
    seed: u64,
    points: Vec<String>,
    said: Vec<String>,
}

impl Record {
    /// Parses the file of points that the machine has written.
    fn parse(text: &str) -> Self {
        let mut record = Self::default();
        for line in text.lines() {
            if let Some(seed) = line
                .strip_prefix("seed ")
                .and_then(|seed| seed.parse().ok())
            {
                record.seeds.push(OfSeed {
                    seed,
                    ..OfSeed::default()
                });
            } else if let Some(last) = record.seeds.last_mut() {
                match line.strip_prefix("said ") {
                    Some(said) => last.said.push(said.to_owned()),
                    None => last.points.push(line.to_owned()),
                }
            }
        }
        record
    }

    /// Returns the number of points of all seeds.
    pub fn points(&self) -> usize {
        self.seeds.iter().map(|seed| seed.points.len()).sum()
    }

    /// Returns the place where another record of the same seeds parts from this one.
    pub fn part(&self, other: &Self) -> Option<String> {
        let pairs = self.seeds.iter().zip(&other.seeds);
        let parted = pairs.clone().find(|(one, other)| one != other);
        if let Some((one, other)) = parted {
            let lines = |of: &OfSeed| [&of.points[..], &of.said[..]].concat();
            let (ours, theirs) = (lines(one), lines(other));
            let same = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
            let [ours, theirs] = [&ours, &theirs].map(|lines| lines.get(same));
            return Some(format!(
                "seed {} parted at point {same}: {ours:?} and {theirs:?}",
                one.seed
            ));
        }
        (self.seeds.len() != other.seeds.len())
            .then(|| format!("one ended after {} seeds", pairs.len()))
    }
}

/// Runs of scenarios, and their failures.
#[derive(Default)]
pub struct Orders {
    rows: Vec<(&'static str, u64, usize, usize)>,
    failures: Vec<String>,
}

impl Orders {
    /// Returns the failures, each with the command line that repeats it.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Returns the number of points that were passed.
    pub fn points(&self) -> usize {
        self.rows.iter().map(|(.., points)| points).sum()
    }

    /// Returns a table of the scenarios.
    pub fn table(&self) -> Table {
        let rows = self.rows.iter().map(|(name, seeds, boots, points)| {
            [json!(name), json!(seeds), json!(boots), json!(points)]
        });
        let seeds: u64 = self.rows.iter().map(|(_, seeds, ..)| seeds).sum();
        let title = format!("{seeds} seeds, {} points", self.points());
        Table::new(title, ["scenario", "seeds", "boots", "points"], rows)
    }

    /// Runs seeds of a scenario, each boot `times` times, with files in `directory`, and tells
    /// `progress` of each batch. The files of a boot that failed stay. As many machines run at
    /// once as the computer has processors: the time of their guests does not depend on it.
    pub fn run(
        &mut self,
        scenario: Scenario,
        seeds: Range<u64>,
        times: usize,
        directory: &Path,
        mut progress: impl FnMut(&str),
    ) {
        let starts = seeds.clone().step_by(BATCH);
        let batches: Vec<_> = starts
            .map(|first| first..seeds.end.min(first + BATCH as u64))
            .collect();
        let (next, (done, results)) = (AtomicUsize::new(0), mpsc::channel());
        let work = |done: Sender<_>| {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let (points, faults) = boot_again(scenario, batch, times, directory);
                let told = done.send((batch, points, faults));
                told.expect("results are taken until all are done");
            }
        };
        let mut all: Vec<_> = thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
                let (work, done) = (&work, done.clone());
                scope.spawn(move || work(done));
            }
            drop(done);
            let told = results.into_iter().inspect(|(batch, ..)| {
                progress(&format!("{}: seeds {batch:?}", scenario.name));
            });
            told.collect()
        });
        all.sort_by_key(|(batch, ..)| batch.start);
        let points = all.iter().map(|(_, points, _)| points).sum();
        let count = seeds.end - seeds.start;
        self.rows
            .push((scenario.name, count, batches.len() * times, points));
        self.failures
            .extend(all.into_iter().flat_map(|(.., faults)| faults));
    }
}

/// Boots a machine `times` times with some seeds, with files in `directory`. Returns the number
/// of points and what is wrong.
fn boot_again(
    scenario: Scenario,
    seeds: &Range<u64>,
    times: usize,
    directory: &Path,
) -> (usize, Vec<String>) {
    let (mut points, mut wrong) = (0, Vec::new());
    let mut first: Option<Record> = None;
    for time in 0..times {
        let name = format!("{}-{}-{time}", scenario.name, seeds.start);
        let files = directory.join(name);
        let (record, mut faults) = boot(scenario, seeds.clone(), &files);
        if let Some(parted) = first.as_ref().and_then(|first| first.part(&record)) {
            faults.push(format!("{}: {parted}", scenario.name));
        }
        if faults.is_empty() && time > 0 {
            // If this fails, the files stay.
            let _ = fs::remove_dir_all(&files);
        }
        points += record.points();
        wrong.extend(faults);
        first.get_or_insert(record);
    }
    (points, wrong)
}

/// Boots a machine and runs a scenario with some seeds. Returns the record and what is wrong.
fn boot(scenario: Scenario, seeds: Range<u64>, files: &Path) -> (Record, Vec<String>) {
    // All seeds of the boot, whose number is in the kernel's command line: another number would
    // make another boot.
    let (name, first, count) = (scenario.name, seeds.start, seeds.end - seeds.start);
    let make = Config::default().make("orders");
    let repeat = format!("{make} SCENARIO={name} SEED={first} SEEDS={count}");
    let of_batch = |fault: String| format!("{name}: {fault}: {repeat}");
    let points = match lay_out(scenario, seeds.clone(), files) {
        Ok(points) => points,
        Err(error) => return (Record::default(), vec![of_batch(error.to_string())]),
    };
    let mut faults = Vec::new();
    match alone(&config(scenario, &seeds, files)) {
        Ok(complaints) if complaints.is_empty() => {}
        Ok(complaints) => faults.push(of_batch(complaints.to_string())),
        Err(error) => faults.push(of_batch(error.to_string())),
    }
    let record = Record::parse(&fs::read_to_string(points).unwrap_or_default());
    for of_seed in &record.seeds {
        let wrong = judge(&of_seed.said);
        faults.extend(wrong.into_iter().map(|fault| {
            let seed = of_seed.seed;
            of_batch(format!("seed {seed}: {fault}"))
        }));
    }
    let run = record.seeds.len();
    if u64::try_from(run) != Ok(count) {
        faults.push(of_batch(format!("only {run} seeds were run")));
    }
    (record, faults)
}

/// Writes the plans of all seeds. Returns the path of the file that the machine will write.
fn lay_out(scenario: Scenario, seeds: Range<u64>, files: &Path) -> std::io::Result<PathBuf> {
    if files.exists() {
        fs::remove_dir_all(files)?;
    }
    fs::create_dir_all(files)?;
    for seed in seeds {
        fs::write(files.join(format!("plan.{seed}")), scenario.plan(seed))?;
    }
    Ok(files.join("points"))
}

fn config(scenario: Scenario, seeds: &Range<u64>, files: &Path) -> Config {
    let mut config = Config::default().with("orders", &files.display().to_string());
    config.parameters = vec![scenario.parameter.to_owned()];
    config.append = format!("uncore.orders={},{}", seeds.start, seeds.end - 1);
    config.timeout = Some(PATIENCE);
    config
}

/// Returns what is wrong with the outcomes of a seed.
fn judge(said: &[String]) -> Vec<String> {
    let (report, mut wrong): (Vec<String>, Vec<String>) =
        said.iter().cloned().partition(|line| line.contains('\t'));
    match Report::parse(&report.join("\n")) {
        Ok(report) => wrong.extend(report.unknown()),
        Err(error) => wrong.push(error),
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use guest_tools::storm::Plan;

    const POINTS: &str =
        "said nothing yet\nseed 3\n0 rdmsr 0xd04\n1 nmi\nsaid time\t9\t0\nseed 4\n";

    #[test]
    fn a_record_has_points_and_outcomes_by_seed() {
        let record = Record::parse(POINTS);
        assert_eq!(record.points(), 2);
        assert_eq!(record.seeds[0].said, ["time\t9\t0"]);
        assert_eq!(record.seeds[1].seed, 4);
        assert_eq!(record.part(&record), None);
    }

    #[test]
    fn the_first_other_point_is_told() {
        let record = Record::parse(POINTS);
        let other = Record::parse(&POINTS.replace("1 nmi", "2 nmi"));
        let parted = record.part(&other).expect("other points");
        assert_eq!(
            parted,
            "seed 3 parted at point 1: Some(\"1 nmi\") and Some(\"2 nmi\")"
        );
        let short = Record::parse(&POINTS.replace("seed 4\n", ""));
        assert!(record.part(&short).expect("one less").contains("1 seeds"));
    }

    #[test]
    fn whatever_is_no_outcome_is_wrong() {
        let judge = |text: &str| {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            judge(&lines)
        };
        assert_eq!(judge("traffic\tburst\tdone\t4\ntime\t9\t0"), [""; 0]);
        let left = judge("time\t9\t0\nleft: package 0: BOX_CTL 0x1");
        assert_eq!(left, ["left: package 0: BOX_CTL 0x1"]);
        assert_eq!(judge("").len(), 1, "no end");
    }

    #[test]
    fn the_guest_understands_all_plans() {
        for scenario in SCENARIOS {
            let plan = scenario.plan(1);
            assert!(plan.parse::<Plan>().is_ok(), "{plan}");
            assert_eq!(plan, scenario.plan(1));
            assert_ne!(plan, scenario.plan(2));
        }
        assert_eq!(MIXED.plan(3), SCENARIOS[3].plan(3));
        assert_eq!(MIXED.plan(5), SCENARIOS[0].plan(5));
    }
}
