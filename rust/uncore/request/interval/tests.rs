// SPDX-License-Identifier: GPL-2.0

//! Ends of intervals, and the values that counters start from.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_overflow_period)]
mod suite {
    use super::super::*;
    use kernel::prelude::*;

    #[test]
    fn an_interval_of_nothing_is_none() {
        assert!(Period::new(0).is_none());
        assert_eq!(Period::new(1).map(|period| period.left), Some(1));
    }

    #[test]
    fn intervals_end_where_they_should() -> Result {
        // Counts, intervals that end, counts left.
        let rows = [
            (0, 0, 100),
            (99, 0, 1),
            (1, 1, 100),
            (100, 1, 100),
            (101, 1, 99),
            (99, 1, 100),
            (250, 2, 50),
            (50, 1, 100),
            (1_000_000, 10_000, 100),
        ];
        let mut period = Period::new(100).ok_or(EINVAL)?;
        for (counts, ended, left) in rows {
            assert_eq!((period.advance(counts), period.left), (ended, left));
        }
        Ok(())
    }

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

    /// A start value for too many bits is right in the bits that the counter has.
    #[test]
    fn a_start_may_be_too_wide() -> Result {
        let period = Period::new(1_000_000).ok_or(EINVAL)?;
        assert_eq!(period.start(48) & mask(44), period.start(44));
        Ok(())
    }
}
