// SPDX-License-Identifier: GPL-2.0

//! Sums of all intervals. They never go back, whatever becomes of the counters.

use std::collections::BTreeMap;

/// Sums since the start.
#[derive(Debug, Default)]
pub(super) struct Totals {
    sums: BTreeMap<Place, Sum>,
}

/// Metric and box of a sum.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) metric: String,
    pub(super) package: u32,
    pub(super) box_name: String,
}

/// A sum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    whole: u128,
    /// The rest: less than 1. It is below 0 if an interval had less than nothing, as a difference
    /// of two counts may have, until later intervals make up for it.
    rest: f64,
}

impl Totals {
    /// Adds what an interval had.
    pub(super) fn add(&mut self, place: Place, amount: f64) {
        if amount.is_finite() {
            self.sums.entry(place).or_default().add(amount);
        }
    }

    /// Returns a sum, unless nothing was counted yet, or the sum has gone back.
    pub(super) fn get(&self, place: &Place) -> Option<u128> {
        let sum = self.sums.get(place)?;
        (sum.rest >= 0.0).then_some(sum.whole)
    }
}

impl Sum {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is whole and not negative"
    )]
    fn add(&mut self, amount: f64) {
        let rest = self.rest + amount;
        let whole = rest.floor().max(0.0);
        self.whole = self.whole.saturating_add(whole as u128);
        self.rest = rest - whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sum after each of the intervals.
    fn sums(amounts: &[f64]) -> Vec<Option<u128>> {
        let mut totals = Totals::default();
        let place = Place {
            metric: "memory_read_bytes".to_owned(),
            package: 1,
            box_name: "imc_0".to_owned(),
        };
        let after = |amount: &f64| {
            totals.add(place.clone(), *amount);
            totals.get(&place)
        };
        amounts.iter().map(after).collect()
    }

    #[test]
    fn sums_grow_by_what_was_counted() {
        let steps = [f64::NAN, 0.0, 64.0, 0.5, f64::INFINITY, 0.75];
        let expected = [None, Some(0), Some(64), Some(64), Some(64), Some(65)];
        assert_eq!(sums(&steps), expected);
    }

    /// A difference of two counts that are read one after the other may be negative. If it is so each
    /// time, the counts are wrong.
    #[test]
    fn a_sum_that_goes_back_is_left_out_until_it_is_right() {
        let expected = [Some(10), None, None, Some(11)];
        assert_eq!(sums(&[10.0, -3.0, 2.0, 2.0]), expected);
    }

    /// A number of Prometheus has 53 bits; a channel moves as many bytes in days.
    #[test]
    fn a_large_sum_takes_each_byte() {
        let expected = (1u128 << 60) + 1;
        assert_eq!(sums(&[2f64.powi(60), 1.0])[1], Some(expected));
    }
}
