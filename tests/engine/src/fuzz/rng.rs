// SPDX-License-Identifier: GPL-2.0

//! Random choices that are the same for the same seed, on every host: ChaCha with eight
//! rounds makes the numbers, and this file alone turns them into choices.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// Generator of random choices.
pub(crate) struct Rng(ChaCha8Rng);

impl Rng {
    /// Creates the generator of one case, which does not depend on earlier cases.
    pub(crate) fn of_case(seed: u64, case: u64) -> Self {
        let mut numbers = ChaCha8Rng::seed_from_u64(seed);
        numbers.set_stream(case);
        Self(numbers)
    }

    /// Returns any number.
    pub(crate) fn number(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit.max(1)
    }

    /// Returns a number of a range, both ends included.
    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// Returns true with this probability.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns an item of a list, which is not empty.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.index(list.len())]
    }

    /// Returns an index into a list of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        let limit = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.below(limit)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_does_not_depend_on_those_before() {
        let first = Rng::of_case(7, 3).number();
        let mut other = Rng::of_case(7, 2);
        for _ in 0..100 {
            other.number();
        }
        assert_eq!(Rng::of_case(7, 3).number(), first);
        assert_ne!(Rng::of_case(7, 4).number(), first);
        assert_ne!(Rng::of_case(8, 3).number(), first);
    }

    #[test]
    fn numbers_are_those_they_have_always_been() {
        let mut rng = Rng::of_case(1, 0);
        let numbers: Vec<u64> = (0..4).map(|_| rng.below(1000)).collect();
        assert_eq!(numbers, [201, 795, 285, 466]);
    }

    #[test]
    fn ranges_have_both_ends() {
        let mut rng = Rng::of_case(1, 1);
        let seen: Vec<u64> = (0..200).map(|_| rng.between(3, 5)).collect();
        assert!([3, 4, 5].iter().all(|number| seen.contains(number)));
        assert!(seen.iter().all(|number| (3..=5).contains(number)));
    }
}
