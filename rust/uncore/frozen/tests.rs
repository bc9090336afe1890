// SPDX-License-Identifier: GPL-2.0

//! Packages that are frozen for too long, interrupts that are too many, and neither.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_frozen)]
mod suite {
    use super::super::*;

    const MILLISECOND: u64 = 1_000_000;

    /// The usual limit, in percent.
    const DEFAULT_LIMIT: u8 = 5;

    /// Freezes a package again and again, each time for `ns`, as often as it may be, for `seconds`.
    /// Returns the longest time in any of the seconds, and the number of pauses.
    fn freeze(ns: u64, seconds: u64) -> (u64, u32) {
        let frozen = FrozenTime::new(DEFAULT_LIMIT);
        let (mut now, mut longest, mut pauses) = (SECOND, 0, 0);
        let (mut since, mut sum) = (now, 0);
        while now < (seconds + 1) * SECOND {
            let Some(look_after) = frozen.look_after(now) else {
                pauses += 1;
                now += frozen.pause_ns(now);
                continue;
            };
            let ns = ns.min(2 * look_after);
            now += ns;
            frozen.add(now, ns);
            if now - since >= SECOND {
                (since, sum) = (now, 0);
            }
            sum += ns;
            longest = longest.max(sum);
        }
        (longest, pauses)
    }

    #[test]
    fn no_second_is_frozen_for_more_than_half_of_the_limit() {
        for ns in [10_000, 500_000, 2 * MILLISECOND, 2 * LONGEST_LOOK_NS] {
            let (longest, pauses) = freeze(ns, 30);
            assert!(longest <= SECOND / 20 / 2 && pauses > 0);
        }
    }

    #[test]
    fn a_self_test_rests_in_proportion_and_for_a_second_at_most() {
        let rest = |limit, ns| FrozenTime::new(limit).rest_ns(ns);
        assert_eq!(rest(5, 10_000), 400_000);
        assert_eq!(rest(10, 10_000), 200_000);
        assert_eq!(rest(5, 10 * MILLISECOND), 400 * MILLISECOND);
        assert_eq!(rest(5, 30 * MILLISECOND), SECOND);
        assert_eq!(rest(0, 1), SECOND);
        assert_eq!(rest(NO_LIMIT, SECOND), 0);
    }

    #[test]
    fn a_share_that_is_given_back_in_time_goes_on_for_ever() {
        let frozen = FrozenTime::new(DEFAULT_LIMIT);
        for turn in 1..=10_000 {
            let now = turn * MILLISECOND;
            frozen.add(now, MILLISECOND / 125);
            assert!(frozen.look_after(now).is_some());
        }
    }

    #[test]
    fn the_status_is_looked_at_sooner_when_little_time_is_left() {
        let frozen = FrozenTime::new(DEFAULT_LIMIT);
        assert_eq!(frozen.look_after(0), Some(4 * MILLISECOND));
        frozen.add(0, 4 * MILLISECOND);
        assert_eq!(frozen.look_after(0), Some(2 * MILLISECOND));
        frozen.add(0, 3 * MILLISECOND);
        assert_eq!(frozen.look_after(0), Some(MILLISECOND / 2));
        frozen.add(0, 8);
        assert_eq!(frozen.look_after(0), None);
        let pause_ns = frozen.pause_ns(0);
        assert_eq!(pause_ns, 375 * MILLISECOND + 1000);
        assert_eq!(frozen.look_after(pause_ns), Some(2 * MILLISECOND));
    }

    #[test]
    fn a_user_may_choose_another_limit() {
        let frozen = FrozenTime::new(10);
        frozen.add(0, 15 * MILLISECOND);
        assert_eq!(frozen.look_after(0), Some(MILLISECOND / 2));
        frozen.add(0, MILLISECOND);
        assert_eq!(frozen.look_after(0), None);
        let frozen = FrozenTime::new(NO_LIMIT);
        frozen.add(0, 100 * SECOND);
        assert_eq!(frozen.look_after(0), Some(LONGEST_LOOK_NS));
        assert_eq!(frozen.pause_ns(0), WINDOW_NS);
        // The self-test of the interrupt may freeze the package, intervals may not.
        assert_eq!(FrozenTime::new(0).look_after(0), None);
    }

    #[test]
    fn a_storm_of_nmis_is_noticed_once_in_a_window() {
        let too_many = |count: u64, every: u64| {
            let frozen = FrozenTime::new(DEFAULT_LIMIT);
            let nmis = (1..=count).filter(|number| frozen.count_nmi(SECOND + number * every));
            nmis.count()
        };
        assert_eq!(too_many(10 * MOST_NMIS, WINDOW_NS / MOST_NMIS), 0);
        assert_eq!(too_many(MOST_NMIS, 0), 0);
        assert_eq!(too_many(MOST_NMIS + 1, 1), 1);
        assert_eq!(too_many(10 * MOST_NMIS, 1), 1);
        assert_eq!(too_many(20 * MOST_NMIS, WINDOW_NS / MOST_NMIS / 2), 10);
        // A pause lasts at least until the storm is over.
        assert_eq!(FrozenTime::new(DEFAULT_LIMIT).pause_ns(0), WINDOW_NS);
    }

    #[test]
    fn the_share_is_that_of_the_last_second() {
        let frozen = FrozenTime::new(DEFAULT_LIMIT);
        frozen.add(SECOND, 10 * MILLISECOND);
        assert_eq!(frozen.permille(SECOND), 0);
        assert_eq!(frozen.permille(2 * SECOND), 10);
        frozen.add(2 * SECOND, 20 * MILLISECOND);
        assert_eq!(frozen.permille(2 * SECOND), 10);
        assert_eq!(frozen.permille(3 * SECOND), 20);
        assert_eq!(frozen.permille(4 * SECOND), 0);
        // The second before has none.
        frozen.add(4 * SECOND, MILLISECOND);
        assert_eq!(frozen.permille(4 * SECOND), 0);
    }
}
