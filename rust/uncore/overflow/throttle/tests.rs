// SPDX-License-Identifier: GPL-2.0

//! Interrupts that are too many, take too long, or do neither.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_throttle)]
mod suite {
    use super::super::*;

    const MOST: u64 = COUNTED.most;

    /// Number of times that `count` interrupts, one every `every` nanoseconds, are too many.
    fn too_many(count: u64, every: u64) -> usize {
        let throttle = Throttle::new();
        (1..=count)
            .filter(|number| throttle.count(number * every))
            .count()
    }

    /// Number of times that `count` interrupts, one every `every` nanoseconds, take too long if each
    /// takes `each`.
    fn busy(count: u64, every: u64, each: u64) -> usize {
        let throttle = Throttle::new();
        (1..=count)
            .filter(|number| throttle.add_time(number * every, each))
            .count()
    }

    #[test]
    fn what_is_allowed_goes_on_for_ever() {
        let allowed = COUNTED.window_ns / MOST;
        assert_eq!(too_many(10 * MOST, allowed), 0);
        assert_eq!(too_many(MOST, 0), 0);
        assert_eq!(busy(10_000, 1_000_000, 500_000), 0);
        assert_eq!(busy(1, 0, TIMED.most), 0);
    }

    #[test]
    fn a_storm_is_noticed_once_in_a_window() {
        assert_eq!(too_many(MOST + 1, 1), 1);
        assert_eq!(too_many(10 * MOST, 1), 1);
        let twice_too_many = COUNTED.window_ns / MOST / 2;
        assert_eq!(too_many(20 * MOST, twice_too_many), 10);
    }

    #[test]
    fn interrupts_that_take_all_the_time_are_noticed_once_in_a_window() {
        assert_eq!(busy(1, 0, TIMED.most + 1), 1);
        assert_eq!(busy(1, 0, u64::MAX), 1);
        assert_eq!(busy(10_000, 1_000_000, 999_999), 10);
        assert_eq!(busy(10, TIMED.window_ns, TIMED.window_ns), 10);
    }
}
