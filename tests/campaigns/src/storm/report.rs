// SPDX-License-Identifier: GPL-2.0

//! Outcomes of the steps of all actors.

use super::known::{explain, Known};
use std::collections::BTreeMap;
use std::time::Duration;

/// Outcomes by actor and step, with equal ones counted together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    outcomes: BTreeMap<Step, u64>,
    unknown: Vec<String>,
    /// Length of the round.
    pub(super) time: Duration,
    /// Part of the length that the clock skipped.
    pub(super) skipped: Duration,
}

/// A step of an actor, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) actor: String,
    pub(super) what: String,
    pub(super) outcome: Known,
}

impl Report {
    /// Parses the output of the guest's `storm`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut report = Self::default();
        for line in text.lines() {
            let wrong = || format!("`{line}` is no line of a report");
            let fields: Vec<&str> = line.split('\t').collect();
            let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
            match fields[..] {
                ["time", time, skipped] => {
                    report.time = Duration::from_millis(number(time)?);
                    report.skipped = Duration::from_millis(number(skipped)?);
                }
                [actor, what, outcome, times] => {
                    report.note(actor, what, outcome, number(times)?);
                }
                _ => return Err(wrong()),
            }
        }
        if report.time.is_zero() {
            return Err(format!("a report without an end: {text}"));
        }
        Ok(report)
    }

    fn note(&mut self, actor: &str, what: &str, outcome: &str, times: u64) {
        match explain(actor, what, outcome) {
            Some(known) => {
                let step = Step {
                    actor: actor.to_owned(),
                    what: what.to_owned(),
                    outcome: known,
                };
                *self.outcomes.entry(step).or_default() += times;
            }
            None => self
                .unknown
                .push(format!("{actor}: {what}: {outcome} ({times} times)")),
        }
    }

    /// Returns the outcomes that are not allowed.
    pub(crate) fn unknown(&self) -> Vec<String> {
        self.unknown.clone()
    }

    /// Returns the number of times that a step had this outcome.
    pub(super) fn times(&self, what: &str, outcome: &str) -> u64 {
        let all = self.outcomes.iter();
        all.filter(|(step, _)| step.what == what && step.outcome.0 == outcome)
            .map(|(_, times)| times)
            .sum()
    }

    /// Returns all steps, each with its number of times.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = (&Step, u64)> {
        self.outcomes.iter().map(|(step, &times)| (step, times))
    }

    /// Adds the outcomes of another round.
    pub(super) fn add(&mut self, other: Self) {
        for (step, times) in other.outcomes {
            *self.outcomes.entry(step).or_default() += times;
        }
        self.time += other.time;
        self.skipped += other.skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_add_up() {
        let round = "loader\tunload\tEAGAIN\t3\nloader\tunload\tdone\t1\ntime\t1000\t700\n";
        let mut report = Report::parse(round).expect("a report");
        report.add(report.clone());
        assert_eq!(report.times("unload", "done"), 2);
        assert_eq!(report.time, Duration::from_secs(2));
        assert_eq!(report.outcomes().count(), 2);
        assert!(report.unknown().is_empty());
    }

    #[test]
    fn what_nobody_knows_is_kept() {
        let report = Report::parse("program\topen\tEIO\t3\ntime\t1\t0\n").expect("a report");
        assert_eq!(report.unknown(), ["program: open: EIO (3 times)"]);
        assert!(Report::parse("program\topen\tEIO\t3\n").is_err(), "no end");
    }
}
