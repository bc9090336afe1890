// SPDX-License-Identifier: GPL-2.0

//! A storm: CPUs go and come, PCI functions are removed and found again, the machine is
//! suspended, registers break and heal, the driver is unloaded and loaded, and meanwhile
//! programs count.
//!
//! A round is a minute of the guest's clock, which the machine helps on. What is done in
//! it, by whom and in which order, follows from a seed and the round's number (`actors`);
//! how that interleaves does not. The guest's `storm` does it and tells what came of it,
//! all of which must be known (`known`). After each round everything is put back, and
//! every box must count a burst exactly.
//!
//! Documentation/development/storm.rst says more, and has the table of a run.

mod actors;
mod calm;
mod known;
mod page;
mod reloads;
mod report;

use crate::fixture::Session;
use crate::notice::Notice;
use crate::Config;
use report::Report;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

pub use page::{page, MINUTES, RELOADS, SEED};
pub use reloads::Reloads;

/// Failures after which a run ends: more only say the same again.
const MOST_FAILURES: usize = 5;
/// How long a round lasts, if nobody says otherwise.
pub const ROUND: Duration = Duration::from_secs(60);
/// How long a step may take by the guest's clock. Processors wait for each other
/// while the host has others to do, more so on a debug kernel.
const PATIENCE: Duration = Duration::from_secs(60);
/// Where the guest has what is to be done.
const PLAN: &str = "/tmp/plan";
/// Uncore cycles of a burst, in which each event counts something of its own.
const BURST: u64 = 1_000_000;

/// The machine for a storm.
#[must_use]
pub fn config() -> Config {
    let config = Config::default();
    Config {
        timeout: Some((3 * ROUND).max(config.command_timeout())),
        ..config.with_leak_detector()
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
    /// Rounds that last so long, on a machine of [`config`], which is no good for others
    /// afterwards.
    pub fn new(session: &'a mut Session, seed: u64, time: Duration) -> Self {
        calm::prepare(session);
        Self {
            session,
            seed,
            time,
            report: Report::default(),
            memory: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// What failed, each with the line that repeats it.
    #[must_use]
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// How often this was done with that outcome.
    #[must_use]
    pub fn times(&self, what: &str, outcome: &str) -> u64 {
        self.report.times(what, outcome)
    }

    /// The machine, in calm.
    pub fn session(&mut self) -> &mut Session {
        self.session
    }

    /// Lets these rounds pass, and tells after each how many are done. Stops after some
    /// failures.
    pub fn run(&mut self, rounds: Range<u64>, mut progress: impl FnMut(u64)) {
        for round in rounds.clone() {
            if self.failures.len() >= MOST_FAILURES {
                return;
            }
            self.round(round);
            progress(round + 1 - rounds.start);
        }
        let mut last = Vec::new();
        last.extend(calm::lost(self.session));
        last.extend(calm::growth(&self.memory));
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
        let notice = Notice(title.clone());
        let mut faults = self.storm(round);
        faults.extend(calm::refusals(self.session));
        faults.extend(calm::restore(self.session));
        faults.extend(calm::miscounts(self.session));
        let complaints = self.session.faults();
        if !complaints.is_empty() {
            faults.push(complaints.to_string());
        }
        self.memory.push(calm::memory(self.session));
        drop(notice);
        if !faults.is_empty() {
            self.failures
                .push(format!("{title}\n  {}", faults.join("\n  ")));
        }
    }

    /// What went wrong in a round.
    fn storm(&mut self, round: u64) -> Vec<String> {
        let plan = actors::plan(self.seed, round, self.time);
        // Apart, so that a message about the second does not have all of it.
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

/// The command that does it again.
fn make_line(arguments: &str) -> String {
    format!("{} {arguments}", config().make("storm"))
}
