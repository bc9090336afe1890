// SPDX-License-Identifier: GPL-2.0

//! Intervals of requests: the events that take one, and the shortest one of each.

use kernel::prelude::*;

#[kunit_tests(uncore_event_intervals)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        overflow_mode::PollReason,
        testing::*, //
    };

    /// The clock adds 1 in a clock, the queue 20.
    const CLOCK: u64 = 0x00;
    const QUEUE: u64 = 0x11;
    const TICKS: u64 = 0xff;
    const FREE: u64 = 0xfe;
    const THRESH: u64 = 1 << 24;

    const fn every(counts: u64) -> u64 {
        counts << 32
    }

    #[test]
    fn short_intervals_are_refused_with_the_shortest() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (CLOCK | every(SHORTEST), 0, ""),
            (CLOCK | every(0xffff_ffff), 0, ""),
            (CLOCK | every(SHORTEST - 1), 0,
             "interval 199999 is too short: at its fastest the event would interrupt more often \
              than 20000 times a second, so use 200000 or more"),
            (CLOCK | every(1), 0,
             "interval 1 is too short: at its fastest the event would interrupt more often than \
              20000 times a second, so use 200000 or more"),
            (QUEUE | every(20 * SHORTEST), 0, ""),
            (QUEUE | every(20 * SHORTEST - 1), 0,
             "interval 3999999 is too short: at its fastest the event would interrupt more often \
              than 20000 times a second, so use 4000000 or more"),
            // With a threshold it adds 1.
            (QUEUE | THRESH | every(SHORTEST), 0, ""),
            (TICKS | every(SHORTEST), 0, ""),
            (TICKS | every(7), 0,
             "interval 7 is too short: at its fastest the event would interrupt more often than \
              20000 times a second, so use 200000 or more"),
            (FREE | every(SHORTEST), 0,
             "free is a fixed counter, which takes no other field, and interval is set"),
            (TICKS | THRESH | every(SHORTEST), 0,
             "ticks is a fixed counter, which takes no other field, and thresh is set"),
        ];
        check_verdicts(&TELLING, ROWS)
    }

    #[test]
    fn the_first_fault_is_the_one_that_is_told() -> Result {
        const LAST: u64 = every(1) | 21 << 24;
        // Each request has the faults of the next one, and one that is checked before them.
        #[rustfmt::skip]
        const ROWS: &[(u64, u64, &str)] = &[
            (1 << 16 | 0x77 | LAST, 0, "config has bits that belong to no field (0x10000)"),
            (0x0177 | LAST, 0, "there is no event 0x77"),
            (0x0100 | QUEUE | LAST, 0, "umask 0x01 is set, but queue takes none"),
            (QUEUE | LAST, 0, "thresh 21 is never reached: queue adds at most 20 in a clock"),
            (QUEUE | every(1), 0,
             "interval 1 is too short: at its fastest the event would interrupt more often than \
              20000 times a second, so use 4000000 or more"),
            (TICKS | LAST, 0, "ticks is a fixed counter, which takes no other field, and thresh is set"),
        ];
        check_verdicts(&TELLING, ROWS)
    }

    #[test]
    fn an_interval_is_no_part_of_what_is_counted() -> Result {
        for config in [CLOCK, QUEUE | THRESH, TICKS] {
            let [without, with] = [0, SHORTEST].map(|counts| {
                parse(&TELLING, &words(config | every(counts), 0)).map_err(|_| EINVAL)
            });
            let (without, with) = (without?, with?);
            assert_eq!((without.interval, with.interval), (0, SHORTEST));
            assert_eq!((without.config, with.config), (config, config));
            assert_eq!(with.enabled(&TELLING), without.enabled(&TELLING));
        }
        Ok(())
    }

    #[test]
    fn a_package_that_polls_has_no_intervals() -> Result {
        let field = TELLING.field(Role::Interval).ok_or(EINVAL)?;
        let sentence = "interval needs overflow interrupts, which package 1 does without: chosen \
                        with overflow=poll";
        let rejection = RejectReason::NoInterrupt(field, 1, PollReason::Chosen);
        assert_eq!(text(&rejection)?.as_str(), sentence);
        assert_eq!(rejection.errno().1, "EINVAL");
        Ok(())
    }
}
