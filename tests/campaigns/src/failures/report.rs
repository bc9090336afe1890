// SPDX-License-Identifier: GPL-2.0

//! Report of the injected faults: part, phase, outcome and number of times.

use super::memory::{DONE, NAMED, REFUSED};
use super::{Failure, Outcome, Phase};
use crate::table::Table;
use serde_json::json;
use std::collections::BTreeMap;

/// Part of the machine in which faults are injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Registers in MSRs.
    Registers,
    /// PCI functions.
    Functions,
    /// Allocations of the kernel.
    Memory,
}

impl Part {
    /// All parts, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::Registers, Self::Functions, Self::Memory];

    /// Returns the name of the part in titles.
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Functions => "functions",
            Self::Memory => "memory",
        }
    }
}

/// The outcomes of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Kinds of faults with an outcome, each with its number of times.
    failures: Vec<(Row, u64)>,
    pub(super) walks: Vec<Walked>,
}

/// A kind of fault, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) part: Part,
    pub(super) unit: &'static str,
    pub(super) role: &'static str,
    pub(super) phase: Phase,
    pub(super) outcome: Outcome,
}

/// A walk over the allocations of one action, with the number of times of each outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Walked {
    pub(super) what: String,
    pub(super) outcomes: BTreeMap<&'static str, u64>,
}

impl Report {
    pub(super) fn note(&mut self, failure: &Failure, phase: Phase, outcome: Outcome) {
        let row = Row {
            part: failure.part,
            unit: failure.kind.unit(),
            role: failure.role,
            phase,
            outcome,
        };
        let mut known = self.failures.iter_mut();
        match known.find(|(known, _)| *known == row) {
            Some((_, times)) => *times += 1,
            None => self.failures.push((row, 1)),
        }
    }

    pub(super) fn walked(&mut self, what: &str, outcomes: BTreeMap<&'static str, u64>) {
        let what = what.to_owned();
        self.walks.push(Walked { what, outcomes });
    }

    /// Returns the rows of a part, each with its number of times.
    pub(super) fn of(&self, part: Part) -> impl Iterator<Item = &(Row, u64)> {
        let failures = self.failures.iter();
        failures.filter(move |(row, _)| row.part == part)
    }

    /// Returns the number of faults in a part.
    pub fn times(&self, part: Part) -> u64 {
        let failures = self.of(part).map(|(_, times)| times);
        let walks = self.walks.iter().filter(|_| part == Part::Memory);
        failures.sum::<u64>() + walks.flat_map(|walk| walk.outcomes.values()).sum::<u64>()
    }

    /// Returns a table for each part in which something has failed.
    pub fn tables(&self) -> Vec<Table> {
        let parts = Part::ALL.into_iter().filter(|&part| self.times(part) > 0);
        parts.map(|part| self.table(part)).collect()
    }

    fn table(&self, part: Part) -> Table {
        if part == Part::Memory {
            let head = ["allocations of", "which", REFUSED, NAMED, DONE];
            let rows = self.walks.iter().map(|walk| {
                let times = |outcome| json!(walk.outcomes.get(outcome).copied().unwrap_or(0));
                let (what, which) = walk.what.split_once(": ").unwrap_or((&walk.what, ""));
                [
                    json!(what),
                    json!(which),
                    times(REFUSED),
                    times(NAMED),
                    times(DONE),
                ]
            });
            return Table::new(part.name(), head, rows);
        }
        let head = ["box", "what fails", "when", "and comes to", "times"];
        let rows = self.of(part).map(|(row, times)| {
            let (when, outcome) = (row.phase.name(), row.outcome.name());
            [
                json!(row.unit),
                json!(row.role),
                json!(when),
                json!(outcome),
                json!(times),
            ]
        });
        Table::new(part.name(), head, rows)
    }
}
