// SPDX-License-Identifier: GPL-2.0

//! The number of transactions in a span that meet all conditions, in closed form.
//!
//! Definition: Documentation/development/traffic.rst, "Transactions and
//! filters". A condition looks at the number of the transaction modulo some
//! period; the periods of the conditions of one box have no common divisors, so
//! "how many of the first n pass" is answered without looking at each:
//!
//! * conditions are split in an *inner* group, whose period (the product of its
//!   moduli) is at most [`TABLE_LIMIT`], and an *outer* group, the rest;
//! * every residue c of the outer period that passes the outer conditions
//!   stands for the transactions c, c + P, c + 2P, ... (P the outer period).
//!   Their inner residues run through the whole inner period in one fixed
//!   cyclic order, so a table of prefix sums in that order answers for each c.
//!
//! Limits: an answer costs one step per outer residue: 1 for the usual filters,
//! some thousand at worst. The values that pass: `transaction.rs`.

#![expect(
    clippy::cast_possible_truncation,
    reason = "residues are below their periods, at most TABLE_LIMIT where they index"
)]

use std::sync::OnceLock;

/// Largest period of the inner group.
const TABLE_LIMIT: u64 = 1 << 17;

/// Spans up to this length are counted one transaction at a time.
const SCAN_LIMIT: u64 = 256;

/// The values of one attribute that pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    /// Its name in traffic.rst.
    pub(crate) attribute: &'static str,
    modulus: u32,
    passing: Vec<bool>,
}

impl Condition {
    /// A condition on an attribute, by the transaction's number modulo `modulus`.
    pub(crate) fn new(attribute: &'static str, modulus: u32, passes: impl Fn(u32) -> bool) -> Self {
        Self {
            attribute,
            modulus,
            passing: (0..modulus).map(passes).collect(),
        }
    }

    /// Tells if one transaction passes.
    pub(crate) fn passes(&self, transaction: u64) -> bool {
        self.passing[(transaction % u64::from(self.modulus)) as usize]
    }

    fn residues(&self) -> impl Iterator<Item = u64> + '_ {
        let passing = |&(_, &passes): &(u64, &bool)| passes;
        (0..)
            .zip(&self.passing)
            .filter(passing)
            .map(|(slot, _)| slot)
    }

    fn passing_count(&self) -> u64 {
        self.residues().count() as u64
    }
}

/// All conditions that are in force for one counter.
#[derive(Debug)]
pub(crate) struct Filter {
    conditions: Vec<Condition>,
    table: OnceLock<Table>,
}

impl Filter {
    /// `None` if there is no condition, so that everything passes.
    pub(crate) fn new(conditions: Vec<Condition>) -> Option<Self> {
        let table = OnceLock::new();
        (!conditions.is_empty()).then_some(Self { conditions, table })
    }

    /// Tells if one transaction passes.
    pub(crate) fn passes(&self, transaction: u64) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.all(|condition| condition.passes(transaction))
    }

    /// Returns the number of transactions in `from..to` that pass.
    pub(crate) fn passing(&self, from: u64, to: u64) -> u64 {
        if to - from <= SCAN_LIMIT {
            return (from..to).filter(|&m| self.passes(m)).count() as u64;
        }
        let table = self.table.get_or_init(|| Table::new(&self.conditions));
        table.passing_before(to) - table.passing_before(from)
    }
}

/// The two groups of conditions, prepared for counting.
#[derive(Debug)]
struct Table {
    /// Product of the outer moduli.
    outer_period: u64,
    /// Outer residues that pass, each with its place in the inner order.
    outer: Vec<(u64, usize)>,
    /// Element j: how many of the first j places of the inner order pass.
    inner: Vec<u32>,
}

impl Table {
    fn new(conditions: &[Condition]) -> Self {
        let (inner, outer) = split(conditions);
        let outer_period = period(&outer);
        let inner_period = period(&inner);
        let back = inverse(outer_period, inner_period);
        let place = |residue: u64| (residue % inner_period * back % inner_period) as usize;
        let outer = residues(&outer).into_iter().map(|r| (r, place(r)));
        Self {
            outer_period,
            outer: outer.collect(),
            inner: prefix_sums(&inner, inner_period, outer_period % inner_period),
        }
    }

    fn passing_before(&self, end: u64) -> u64 {
        let (rounds, rest) = (end / self.outer_period, end % self.outer_period);
        let passing = |&(residue, place)| {
            let steps = rounds + u64::from(residue < rest);
            self.inner_passing(place, steps)
        };
        self.outer.iter().map(passing).sum()
    }

    /// Returns how many of `steps` places of the inner order from `place` on pass.
    fn inner_passing(&self, place: usize, steps: u64) -> u64 {
        let period = self.inner.len() - 1;
        let all = u64::from(self.inner[period]);
        let whole = steps / period as u64 * all;
        let end = place + (steps % period as u64) as usize;
        let before = u64::from(self.inner[place]);
        let part = match end.checked_sub(period) {
            None => u64::from(self.inner[end]) - before,
            Some(wrapped) => all - before + u64::from(self.inner[wrapped]),
        };
        whole + part
    }
}

fn period(conditions: &[&Condition]) -> u64 {
    let moduli = conditions.iter().map(|c| u64::from(c.modulus));
    moduli.product()
}

/// The split with the fewest outer residues: (inner, outer).
fn split(conditions: &[Condition]) -> (Vec<&Condition>, Vec<&Condition>) {
    let pick = |set: u32, wanted: bool| -> Vec<&Condition> {
        let all = conditions.iter().enumerate();
        let picked = all.filter(|(i, _)| (set >> i & 1 == 1) == wanted);
        picked.map(|(_, condition)| condition).collect()
    };
    let cost = |set: &u32| -> u64 {
        let outer = pick(*set, false);
        outer.iter().map(|c| c.passing_count()).product()
    };
    let sets =
        (0..1_u32 << conditions.len()).filter(|&set| period(&pick(set, true)) <= TABLE_LIMIT);
    let best = sets.min_by_key(cost).unwrap_or(0);
    (pick(best, true), pick(best, false))
}

/// All residues of the conditions' common period that pass all of them.
fn residues(conditions: &[&Condition]) -> Vec<u64> {
    let mut passing = vec![0];
    let mut period = 1;
    for condition in conditions {
        let modulus = u64::from(condition.modulus);
        let back = inverse(period, modulus);
        let join = |x: u64, residue: u64| {
            let steps = (residue + modulus - x % modulus) % modulus * back % modulus;
            x + period * steps
        };
        let pairs = passing
            .iter()
            .flat_map(|&x| condition.residues().map(move |r| join(x, r)));
        passing = pairs.collect();
        period *= modulus;
    }
    passing
}

/// Prefix sums over the residues 0, step, 2 * step, ... of the inner period.
fn prefix_sums(conditions: &[&Condition], period: u64, step: u64) -> Vec<u32> {
    let mut sums = vec![0];
    let (mut sum, mut residue) = (0, 0);
    for _ in 0..period {
        sum += u32::from(conditions.iter().all(|c| c.passes(residue)));
        sums.push(sum);
        residue = (residue + step) % period;
    }
    sums
}

/// The inverse of `a` modulo `m`; both have no common divisor.
fn inverse(a: u64, m: u64) -> u64 {
    let (mut old, mut rest) = (i128::from(a % m.max(1)), i128::from(m));
    let (mut x, mut next) = (1, 0);
    while rest != 0 {
        let quotient = old / rest;
        (old, rest) = (rest, old - quotient * rest);
        (x, next) = (next, x - quotient * next);
    }
    x.rem_euclid(i128::from(m)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_period_has_the_product_of_the_shares() {
        let filter = Filter::new(vec![
            Condition::opcode(0x1e6),
            Condition::non_coherent(),
            Condition::isochronous(),
            Condition::miss(),
            Condition::local(true),
            Condition::node(0xffff),
            Condition::thread(31),
        ]);
        let filter = filter.expect("seven conditions");
        let period = 235 * 13 * 19 * 29 * 31 * 136 * 529;
        let share = 21 * 2 * 3 * 7 * 11 * 136 * 33;
        assert_eq!(filter.passing(0, period), share);
        assert_eq!(filter.passing(12_345, 12_345 + 3 * period), 3 * share);
    }
}
