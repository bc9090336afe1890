// SPDX-License-Identifier: GPL-2.0

//! What failed, when, and what came of it, how often.

use super::{Came, Failure, Moment};
use std::collections::BTreeMap;

/// What is had fail one after the other.
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
    /// All, in the page's order.
    pub const ALL: [Self; 3] = [Self::Registers, Self::Functions, Self::Memory];

    /// Its name in titles.
    #[must_use]
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
    /// Failures of a kind, and how often that came of them.
    failures: Vec<(Row, u64)>,
    pub(super) walks: Vec<Walked>,
    /// Of which not everything failed.
    partial: Vec<Part>,
}

/// Failures of a kind, and what came of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) part: Part,
    pub(super) unit: &'static str,
    pub(super) role: &'static str,
    pub(super) moment: Moment,
    pub(super) came: Came,
}

/// Something that was tried with one allocation failing, then with the next: how often that
/// came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Walked {
    pub(super) what: String,
    pub(super) outcomes: BTreeMap<&'static str, u64>,
}

impl Report {
    pub(super) fn note(&mut self, failure: &Failure, moment: Moment, came: Came) {
        let row = Row {
            part: failure.part,
            unit: failure.kind.unit(),
            role: failure.role,
            moment,
            came,
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

    /// Something of a part has not failed.
    pub(super) fn leave_out(&mut self, part: Part) {
        if !self.partial.contains(&part) {
            self.partial.push(part);
        }
    }

    /// Rows of a part, and how often that came.
    pub(super) fn of(&self, part: Part) -> impl Iterator<Item = &(Row, u64)> {
        let failures = self.failures.iter();
        failures.filter(move |(row, _)| row.part == part)
    }

    /// How many things of a part have failed.
    #[must_use]
    pub fn times(&self, part: Part) -> u64 {
        let failures = self.of(part).map(|(_, times)| times);
        let walks = self.walks.iter().filter(|_| part == Part::Memory);
        failures.sum::<u64>() + walks.flat_map(|walk| walk.outcomes.values()).sum::<u64>()
    }

    /// Whether everything of a part has.
    #[must_use]
    pub fn is_whole(&self, part: Part) -> bool {
        self.times(part) > 0 && !self.partial.contains(&part)
    }
}
