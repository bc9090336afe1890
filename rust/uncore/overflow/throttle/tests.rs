// SPDX-License-Identifier: GPL-2.0

//! Interrupts that come in storms, and interrupts that do not.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_throttle)]
mod suite {
    use super::super::*;

    /// How many of so many interrupts, one every so many nanoseconds, are too many.
    fn storms(count: u64, every: u64) -> usize {
        let throttle = Throttle::new();
        let times = (1..=count).map(|number| number * every);
        times.filter(|&now| throttle.count(now)).count()
    }

    #[test]
    fn what_is_allowed_goes_on_for_ever() {
        let allowed = WINDOW_NS / MOST;
        assert_eq!(storms(10 * MOST, allowed), 0);
        assert_eq!(storms(MOST, 0), 0);
    }

    #[test]
    fn a_storm_is_noticed_once_in_a_window() {
        assert_eq!(storms(MOST + 1, 1), 1);
        assert_eq!(storms(10 * MOST, 1), 1);
        let twice_too_many = WINDOW_NS / MOST / 2;
        assert_eq!(storms(20 * MOST, twice_too_many), 10);
    }
}
