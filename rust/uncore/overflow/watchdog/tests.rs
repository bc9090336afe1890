// SPDX-License-Identifier: GPL-2.0

//! Intervals of the watchdog.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_watch)]
mod suite {
    use super::super::*;

    #[test]
    fn the_watchdog_comes_before_a_wrap() {
        // Time to wrap, interval of the watchdog.
        let rows = [
            (0, SHORTEST_NS),
            (SHORTEST_NS, SHORTEST_NS),
            (3 * SHORTEST_NS, SHORTEST_NS + SHORTEST_NS / 2),
            (2 * LONGEST_NS, LONGEST_NS),
            (u64::MAX, LONGEST_NS),
        ];
        for (wrap_ns, interval) in rows {
            assert_eq!(interval_ns(wrap_ns), interval);
        }
    }
}
