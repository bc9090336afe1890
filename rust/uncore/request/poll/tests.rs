// SPDX-License-Identifier: GPL-2.0

//! Poll intervals.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_request_poll)]
mod suite {
    use super::super::*;

    #[test]
    fn interval_follows_width_clock_and_increment() {
        // 2^44 / (4 GHz * 20) is 219.9 s, and 2^40 / 4 GHz 274.9 s.
        assert_eq!(wrap_ns(1 << 44, 4000 * 20), 219_902_325_555);
        assert_eq!(wrap_ns(1 << 40, 4000), 274_877_906_944);
        assert_eq!(wrap_ns(u64::MAX, 1), u64::MAX);
        assert_eq!(wrap_ns(1 << 44, 0), u64::MAX);
        let interval_ns = |width, mhz, increment| Pace::new(width, mhz, increment).poll_ns;
        // 2^32 at 1 GHz is 4.29 s.
        assert_eq!(interval_ns(32, 1000, 1), 1_073_741_823);
        assert_eq!(interval_ns(44, 4000, 20), 219_902_325_555 / 4);
        assert_eq!(interval_ns(48, 4000, 1), LONGEST_NS);
    }

    #[test]
    fn nothing_counts_half_of_its_range_between_two_reads() {
        let most = |width, mhz, increment| Pace::new(width, mhz, increment).most();
        // Two minutes at 4 GHz.
        assert_eq!(most(48, 4000, 1), 480_000_000_000);
        // Half of what is counted in 4.29 s.
        assert_eq!(most(32, 1000, 1), (1 << 31) - 2);
        assert!(most(44, 4000, 20) < 1 << 43);
        assert_eq!(Pace::new(64, 4000, 1).half(), (1 << 47) - 1);
    }
}
