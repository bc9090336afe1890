// SPDX-License-Identifier: GPL-2.0

//! What was asked, what was refused and why, and how often both sides agreed.

use super::operation::Operation;
use super::oracle::{Expected, Reason};
use std::collections::BTreeMap;
use std::fmt;

/// A number of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// That were made.
    pub asked: u64,
    /// To which this reason alone applied.
    pub alone: u64,
    /// To which the kernel answered as it should.
    pub agreed: u64,
}

impl Count {
    fn add(&mut self, alone: bool, agrees: bool) {
        self.asked += 1;
        self.alone += u64::from(alone);
        self.agreed += u64::from(agrees);
    }
}

/// What came of all cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Cases.
    pub cases: u64,
    /// Requests to open an event that are legal.
    pub legal: Count,
    /// Those that are not.
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

    /// Requests to open an event.
    #[must_use]
    pub fn opens(&self) -> u64 {
        self.legal.asked + self.illegal.asked
    }

    /// Whether all were answered as they should.
    #[must_use]
    pub fn agree(&self) -> bool {
        let all = [self.legal, self.illegal, self.others];
        all.iter().all(|count| count.asked == count.agreed)
    }

    /// Each kind of reason, in the order of the page.
    pub(super) fn reasons(&self) -> impl Iterator<Item = (Reason, Count)> + '_ {
        let of = |reason| self.reasons.get(&reason).copied().unwrap_or_default();
        Reason::ALL
            .into_iter()
            .map(move |reason| (reason, of(reason)))
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
