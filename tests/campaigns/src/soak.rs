// SPDX-License-Identifier: GPL-2.0

//! Days of counting on every counter of every box, run in minutes: the clock of the guest
//! jumps by five minutes at a time, and five minutes' worth of traffic passes.
//!
//! The hardware counts at its highest rate, so that counters wrap thousands of times. The
//! expected count of each event is known and compared a few times in a run: no count may
//! be lost, and the kernel's memory may not grow.

mod load;

use crate::table::Table;
use load::{Load, STEP_UCLK};
use serde_json::json;
use std::time::Duration;
use uncore_e2e::fixture::{Interrupts, Overflow, Session};
use uncore_runner::Config;

/// Minutes of one jump of the guest's clock. No counter wraps twice in that time, and none counts
/// more than between two polls of the driver.
const STEP: u64 = 2;
/// Milliseconds of one jump, for the machine's command.
const STEP_MS: u64 = STEP * 60_000;
/// Minutes of a day.
const DAY: u64 = 24 * 60;
/// Number of times that counts and memory are read.
const LOOKS: u64 = 8;
/// Time limit of a jump, enough for a busy host.
const PATIENCE: Duration = Duration::from_secs(2);
/// Kibibytes by which the kernel's memory may differ between two readings.
const NOISE: u64 = 512;

/// Overflow mode, as in the driver's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By interrupt, for boxes that have one.
    Pmi,
    /// By reading the counters often enough.
    Poll,
}

impl Mode {
    /// Returns the value of the driver's parameter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pmi => "pmi",
            Self::Poll => "poll",
        }
    }

    /// Returns the machine for a run of this many minutes.
    pub fn config(self, minutes: u64) -> Config {
        let steps = u32::try_from(minutes / STEP).unwrap_or(u32::MAX);
        let config = Config {
            parameters: vec![format!("overflow={}", self.name())],
            ..Config::default().with_jumps()
        };
        let timeout = config.command_timeout().max(PATIENCE * steps);
        Config {
            timeout: Some(timeout),
            ..config
        }
    }
}

/// Results of one type of box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name of the type.
    pub unit: &'static str,
    /// Number of events that counted at the same time, in all packages.
    pub events: usize,
    /// Expected sum of all counts.
    pub expected: u128,
    /// Sum of all differences from the expected counts.
    pub wrong: u128,
    /// Number of times that the counters wrapped.
    pub wraps: u128,
}

/// Results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Overflow mode of the run.
    pub mode: Mode,
    /// Length of the run, in minutes of the guest.
    pub minutes: u64,
    /// Results by type of box.
    pub rows: Vec<Row>,
    /// Interrupts that CPUs took.
    pub interrupts: u64,
    /// Polls of all packages.
    pub polls: u64,
    /// The kernel's memory at each reading, in KiB.
    pub memory: Vec<u64>,
}

impl Outcome {
    /// Returns a table of the results by type of box.
    pub fn table(&self) -> Table {
        let (days, minutes) = (self.minutes / DAY, self.minutes % DAY);
        let title = format!(
            "overflow={}: {days} days and {minutes} minutes, {} interrupts, {} polls, memory {:?} KiB",
            self.mode.name(),
            self.interrupts,
            self.polls,
            self.memory,
        );
        let rows = self.rows.iter().map(|row| {
            let [counted, wraps, lost] =
                [row.expected, row.wraps, row.wrong].map(|number| json!(number.to_string()));
            [json!(row.unit), json!(row.events), counted, wraps, lost]
        });
        Table::new(title, ["box", "events", "counted", "wraps", "lost"], rows)
    }

    /// Returns a description of each fault.
    pub fn faults(&self) -> Vec<String> {
        let wrong = self.rows.iter().filter(|row| row.wrong > 0);
        let wrong = wrong.map(|row| format!("{} is wrong by {}", row.unit, row.wrong));
        let mut faults: Vec<String> = wrong.collect();
        if let [first, .., last] = self.memory[..] {
            if last > first + NOISE && Config::default().flavour.frees_at_once() {
                faults.push(format!("memory grew: {:?} KiB", self.memory));
            }
        }
        faults
    }
}

/// Counts for this many minutes of the guest, in at least one step for each reading.
pub fn soak(session: &mut Session, mode: Mode, minutes: u64) -> Outcome {
    let load = Load::full();
    let rounds = (minutes / STEP / LOOKS).max(1);
    let before = (session.interrupts(), session.overflow());
    let answers = session.perf_open(&steps(&load, rounds));
    let after = (session.interrupts(), session.overflow());
    let steps = rounds * LOOKS;
    Outcome {
        mode,
        minutes: steps * STEP,
        rows: load.rows(&answers, steps),
        interrupts: delivered(&after.0) - delivered(&before.0),
        polls: polls(&after.1) - polls(&before.1),
        memory: load::memory(&answers),
    }
}

/// Returns the steps of `perf-open`.
///
/// A read makes the CPU finish the work of its timers. Without it, the timer may be
/// between the two halves of a counter when the next five minutes pass at once.
fn steps(load: &Load, rounds: u64) -> Vec<String> {
    let mut steps = load.opens();
    let finish = load.one_of_each_package();
    for _ in 0..LOOKS {
        steps.push(format!(
            "times {rounds} machine burst-through {STEP_UCLK}; settle; poll {STEP_MS}; {finish}"
        ));
        steps.push(load::MEMORY.to_owned());
    }
    steps.extend(load.reads());
    steps
}

fn delivered(interrupts: &Interrupts) -> u64 {
    interrupts.of_cpus("delivered")
}

fn polls(packages: &[Overflow]) -> u64 {
    packages
        .iter()
        .map(|package| package.numbers["polls"])
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(wrong: u128, memory: &[u64]) -> Outcome {
        let row = Row {
            unit: "ha",
            events: 1,
            expected: 10,
            wrong,
            wraps: 0,
        };
        Outcome {
            mode: Mode::Poll,
            minutes: 1,
            rows: vec![row],
            interrupts: 0,
            polls: 0,
            memory: memory.to_vec(),
        }
    }

    #[test]
    fn a_lost_count_is_a_fault() {
        assert_eq!(outcome(3, &[]).faults(), ["ha is wrong by 3"]);
        assert!(outcome(0, &[]).faults().is_empty());
    }

    #[test]
    fn memory_that_grows_is_a_fault() {
        assert!(outcome(0, &[1000, 1900, 1000 + NOISE]).faults().is_empty());
        assert_eq!(outcome(0, &[1000, 1001 + NOISE]).faults().len(), 1);
    }
}
