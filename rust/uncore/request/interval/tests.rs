// SPDX-License-Identifier: GPL-2.0

//! Ends of intervals, the values that counters start from, and the pace of reads.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_period)]
mod suite {
    use super::super::*;
    use kernel::prelude::*;

    /// After n counts, in steps of any size, as many intervals have ended as fit into n.
    #[test]
    fn intervals_do_not_drift() -> Result {
        for length in [1, 7, 1000, u64::from(u32::MAX)] {
            let mut period = Period::new(length).ok_or(EINVAL)?;
            let (mut total, mut ended) = (0, 0);
            for step in 0..1000_u64 {
                let counts = step * step * 12_345;
                total += counts;
                ended += period.advance(counts);
                assert_eq!(ended, total / length);
                assert_eq!(period.left, length - total % length);
            }
        }
        Ok(())
    }

    #[test]
    fn a_counter_overflows_when_the_interval_ends() -> Result {
        for width in [44, 48, 64] {
            for length in [1, 5_000_000, u64::from(u32::MAX)] {
                let period = Period::new(length).ok_or(EINVAL)?;
                let start = period.start(width);
                assert_eq!(start & !mask(width), 0);
                assert_eq!(start.wrapping_add(length) & mask(width), 0);
                assert_ne!(start.wrapping_add(length - 1) & mask(width), 0);
            }
        }
        Ok(())
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
