// SPDX-License-Identifier: GPL-2.0

//! Storm: CPUs go offline and return, PCI functions are removed and found again, the
//! machine is suspended, registers fail and heal, and the driver is unloaded and loaded,
//! all while programs count.
//!
//! A round is a minute of the guest's clock, parts of which the machine skips. A seed and
//! the round's number decide the steps of each actor and their order (`actors`); the
//! interleaving of the actors is random. The guest's `storm` runs the steps and prints
//! their outcomes, each of which must be a known one (`known`). After each round
//! everything is restored, and every box must count a burst exactly.
//!
//! Documentation/development/storm.rst says more.

mod actors;
mod baseline;
mod known;
mod reloads;
mod report;

use crate::panic_context::PanicContext;
use crate::table::Table;
use known::Known;
use serde_json::json;
use std::fmt;
use std::ops::Range;
use std::time::Duration;
use uncore_e2e::prelude::*;

pub use reloads::Reloads;
use report::Report;

/// Failures after which a run ends, because more of them would repeat the same failure.
const MOST_FAILURES: usize = 5;
/// The default seed.
pub const SEED: u64 = 1;
/// The default number of rounds.
pub const MINUTES: u64 = 30;
/// The default number of loads.
pub const RELOADS: u64 = 1000;
/// The default length of a round.
pub const ROUND: Duration = Duration::from_secs(60);
/// Time limit of a step by the guest's clock. Virtual CPUs wait for each other while the
/// host is busy, longer on a debug kernel.
const PATIENCE: Duration = Duration::from_secs(60);
/// Path of the round's plan in the guest.
const PLAN: &str = "/tmp/plan";
/// Uncore cycles of a burst; each event counts a different number of events in it.
const BURST: u64 = 1_000_000;

/// Returns the machine for a storm.
pub fn config() -> Config {
    let config = Config::default();
    Config {
        timeout: Some((3 * ROUND).max(config.command_timeout())),
        ..config
    }
}

/// A run over some rounds of a seed.
pub struct Storm<'a> {
    session: &'a mut Session,
    seed: u64,
    time: Duration,
    report: Report,
    /// The kernel's memory after each round, in KiB.
    memory: Vec<u64>,
    failures: Vec<String>,
}

impl<'a> Storm<'a> {
    /// Creates a run with rounds of length `time`, on a machine of [`config`]. The
    /// machine cannot be used for other tests afterwards.
    pub fn new(session: &'a mut Session, seed: u64, time: Duration) -> Self {
        baseline::prepare(session);
        Self {
            session,
            seed,
            time,
            report: Report::default(),
            memory: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Returns the failures, each with the command line that repeats it.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Returns a table of the steps and their outcomes.
    pub fn table(&self) -> Table {
        let rows = self.report.outcomes().map(|(step, times)| {
            let Known(outcome, because) = step.outcome;
            let [who, what] = [&step.actor, &step.what].map(|text| json!(text));
            [who, what, json!(outcome), json!(because), json!(times)]
        });
        Table::new(
            self.to_string(),
            ["who", "did what", "and came to", "because", "times"],
            rows,
        )
    }

    /// Returns the number of times that a step had this outcome.
    pub fn times(&self, what: &str, outcome: &str) -> u64 {
        self.report.times(what, outcome)
    }

    /// Returns the session with the machine, for use between rounds.
    pub fn session(&mut self) -> &mut Session {
        self.session
    }

    /// Runs these rounds and gives `progress` the number of finished ones after each.
    /// Stops after some failures.
    pub fn run(&mut self, rounds: Range<u64>, mut progress: impl FnMut(u64)) {
        for round in rounds.clone() {
            if self.failures.len() >= MOST_FAILURES {
                return;
            }
            self.round(round);
            progress(round + 1 - rounds.start);
        }
        let mut last = Vec::new();
        last.extend(baseline::lost(self.session));
        last.extend(baseline::growth(&self.memory));
        self.failures.extend(last.into_iter().map(|fault| {
            let (seed, minutes) = (self.seed, rounds.end);
            format!(
                "{fault}: {}",
                make_line(&format!("SEED={seed} MINUTES={minutes}"))
            )
        }));
    }

    fn round(&mut self, round: u64) {
        let line = make_line(&format!("SEED={} ONLY={round}", self.seed));
        let title = format!("round {round} of seed {}: {line}", self.seed);
        let context = PanicContext(title.clone());
        let mut faults = self.storm(round);
        faults.extend(baseline::refusals(self.session));
        faults.extend(baseline::restore(self.session));
        faults.extend(baseline::miscounts(self.session));
        let complaints = self.session.faults();
        if !complaints.is_empty() {
            faults.push(complaints.to_string());
        }
        self.memory.push(baseline::memory(self.session));
        drop(context);
        if !faults.is_empty() {
            self.failures
                .push(format!("{title}\n  {}", faults.join("\n  ")));
        }
    }

    /// Runs a round and returns the faults.
    fn storm(&mut self, round: u64) -> Vec<String> {
        let plan = actors::plan(self.seed, round, self.time);
        // In a command of its own, so that a message about the second command does not
        // quote the whole plan.
        self.session.ok(&format!("cat > {PLAN} <<'END'\n{plan}END"));
        let output = self.session.run(&format!("storm < {PLAN}"));
        if output.status != 0 {
            return vec![output.stderr];
        }
        match Report::parse(&output.stdout) {
            Ok(report) => {
                let unknown = report.unknown();
                self.report.add(report);
                unknown
            }
            Err(error) => vec![error],
        }
    }
}

impl fmt::Display for Storm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { time, skipped, .. } = &self.report;
        write!(
            f,
            "{} s of storm, {} of them skipped; {} loads, {} unloads refused; {} events opened, {} \
             perf stats",
            time.as_secs(),
            skipped.as_secs(),
            self.times("load", "done"),
            self.times("unload", "EAGAIN"),
            self.times("open", "done"),
            self.times("perf stat", "done"),
        )
    }
}

/// Returns the command line that repeats a run.
fn make_line(arguments: &str) -> String {
    format!("{} {arguments}", config().make("storm"))
}
