// SPDX-License-Identifier: GPL-2.0

//! Days of counting on every counter of every box, in minutes: the clock of the guest
//! jumps by five minutes, and the traffic of five minutes passes.
//!
//! The hardware runs as fast as it can, so that counters wrap thousands of times. What
//! each event has counted is known, and looked at once in a while: nothing may be lost,
//! and the kernel's memory may not grow.

mod load;
mod page;

use crate::fixture::{Interrupts, Overflow, Session};
use crate::Config;
use load::{Load, STEP_UCLK};
use std::time::Duration;

pub use page::page;

/// By how many minutes the guest's clock jumps: as many as the machine lets it. No
/// counter goes round twice in that time.
const STEP: u64 = 5;
/// The same, as the machine wants it.
const STEP_MS: u64 = STEP * 60_000;
/// Minutes of a day.
const DAY: u64 = 24 * 60;
/// How often counts and memory are looked at.
const LOOKS: u64 = 8;
/// How long a jump may take the host, busy as it may be.
const PATIENCE: Duration = Duration::from_secs(2);
/// Kibibytes by which the kernel's memory may differ from one look to another.
const NOISE: u64 = 512;

/// How overflows are noticed, as the driver's parameter has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By interrupt, where a box has one.
    Pmi,
    /// By reading the counters in time.
    Poll,
}

impl Mode {
    /// As the parameter has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pmi => "pmi",
            Self::Poll => "poll",
        }
    }

    /// The machine that soaks for so many minutes.
    #[must_use]
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

/// What a type of box has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The type.
    pub unit: &'static str,
    /// Events that counted at once, in all packages.
    pub events: usize,
    /// What all of them should have counted.
    pub expected: u128,
    /// By how much they are wrong, all together.
    pub wrong: u128,
    /// How often the counters went round.
    pub wraps: u128,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How overflows were noticed.
    pub mode: Mode,
    /// For how long, in minutes of the guest.
    pub minutes: u64,
    /// By type of box.
    pub rows: Vec<Row>,
    /// Interrupts that CPUs took.
    pub interrupts: u64,
    /// Polls of all packages.
    pub polls: u64,
    /// Memory of the kernel at each look, in KiB.
    pub memory: Vec<u64>,
}

impl Outcome {
    /// What is wrong, if anything.
    #[must_use]
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

/// Counts for so many minutes of the guest; at least a step for each look.
///
/// # Panics
///
/// If the machine does not answer, or not with what was asked for.
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

/// What `perf-open` does.
///
/// A read has its CPU finish what its timers have begun: otherwise the watchdog may be
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
