// SPDX-License-Identifier: GPL-2.0

//! Numbers of requests: made, refused by reason, and answered as expected.

use super::operation::Operation;
use super::oracle::{Expected, Reason};
use crate::table::Table;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fmt;

/// A number of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Requests that were made.
    pub asked: u64,
    /// Requests that only this reason applies to.
    pub alone: u64,
    /// Requests that the kernel answered as expected.
    pub agreed: u64,
}

impl Count {
    fn add(&mut self, alone: bool, agrees: bool) {
        self.asked += 1;
        self.alone += u64::from(alone);
        self.agreed += u64::from(agrees);
    }
}

/// Totals of all cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of cases.
    pub cases: u64,
    /// Valid requests to open an event.
    pub legal: Count,
    /// Invalid requests to open an event.
    pub illegal: Count,
    /// Operations of other kinds.
    pub others: Count,
    reasons: BTreeMap<Reason, Count>,
}

impl Totals {
    pub(super) fn add(&mut self, operation: &Operation, expected: &Expected, agrees: bool) {
        if !is_open(operation) {
            return self.others.add(true, agrees);
        }
        let Expected::Refused(reasons) = expected else {
            return self.legal.add(true, agrees);
        };
        self.illegal.add(reasons.len() == 1, agrees);
        for &reason in reasons {
            let count = self.reasons.entry(reason).or_default();
            count.add(reasons.len() == 1, agrees);
        }
    }

    /// Returns the number of requests to open an event.
    pub fn opens(&self) -> u64 {
        self.legal.asked + self.illegal.asked
    }

    /// Returns whether all answers were the expected ones.
    pub fn agree(&self) -> bool {
        let all = [self.legal, self.illegal, self.others];
        all.iter().all(|count| count.asked == count.agreed)
    }

    /// Returns the requests by kind, and the invalid ones by reason. A request that is
    /// invalid for several reasons is in several rows.
    pub fn table(&self) -> Table {
        let all = [
            ("legal requests to open an event".to_owned(), self.legal),
            ("illegal ones".to_owned(), self.illegal),
            ("other operations".to_owned(), self.others),
        ];
        let reasons = self
            .reasons()
            .map(|(reason, count)| (reason.to_owned(), count));
        let rows = all.into_iter().chain(reasons).map(|(what, count)| {
            let [asked, alone, agreed] = [count.asked, count.alone, count.agreed].map(Value::from);
            [json!(what), asked, alone, agreed]
        });
        let head = ["requests", "tried", "for this alone", "as they should"];
        Table::new(self.to_string(), head, rows)
    }

    /// Returns the reasons that applied to no request.
    pub fn untried(&self) -> Vec<String> {
        let untried = self.reasons().filter(|(_, count)| count.asked == 0);
        untried.map(|(reason, _)| reason.to_owned()).collect()
    }

    /// Returns each reason that the platform has, in words, with its count, in the order of
    /// [`Reason::ALL`].
    pub(super) fn reasons(&self) -> impl Iterator<Item = (&'static str, Count)> + '_ {
        let of = |reason| self.reasons.get(&reason).copied().unwrap_or_default();
        let all = Reason::ALL
            .into_iter()
            .filter(|(reason, _)| reason.occurs());
        all.map(move |(reason, words)| (words, of(reason)))
    }
}

fn is_open(operation: &Operation) -> bool {
    match operation {
        Operation::Open(_) => true,
        Operation::Child(operation) => is_open(operation),
        _ => false,
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (legal, illegal) = (self.legal, self.illegal);
        write!(
            f,
            "{} cases, {} opens: {} of {} legal ones accepted, {} of {} others refused; {} of {} \
             other operations as they should be",
            self.cases,
            self.opens(),
            legal.agreed,
            legal.asked,
            illegal.agreed,
            illegal.asked,
            self.others.agreed,
            self.others.asked
        )
    }
}
