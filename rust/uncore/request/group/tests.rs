// SPDX-License-Identifier: GPL-2.0

//! Groups that fit into one box and groups that do not.

use kernel::prelude::*;

#[kunit_tests(uncore_group)]
mod suite {
    use super::super::{
        super::parser::parse, //
        *,
    };
    use crate::uncore::{
        table::field::Words,
        testing::{
            KIND,
            ONE_FILTER, //
        }, //
    };
    use kernel::prelude::*;

    /// Requests of a group: config and config1 of each.
    type Group = &'static [(u64, u64)];

    const TICKS: (u64, u64) = (0xff, 0);
    const FREE: (u64, u64) = (0xfe, 0);
    const CLOCK: (u64, u64) = (0x00, 0);
    const QUEUE: (u64, u64) = (0x0111, 0);
    const RING: (u64, u64) = (0x031b, 0);
    const SHOWN: (u64, u64) = (0x1f, 0);
    const LOOKUP: (u64, u64) = (0x0334, 0);
    const LOOKUP_ONE: (u64, u64) = (0x0534, 0x100);
    const INSERT: (u64, u64) = (0x0135, 0x80 << 48);
    const INSERT_OTHER: (u64, u64) = (0x0135, 0x81 << 48);
    const INSERT_BOTH: (u64, u64) = (0x4135, 0x80 << 48 | 3 << 32);
    const LOOKUP_WHO: (u64, u64) = (0x0008_0334, 3);

    /// What a group lacks, and the event that is told.
    type Verdict = (&'static str, &'static str);

    const FITS: Verdict = ("", "");
    const OTHER_CRITERIA: Verdict = ("criteria", "");

    fn verdict(group: Group) -> Verdict {
        verdict_on(&KIND, Criteria::One, group)
    }

    fn verdict_on(kind: &'static BoxType, criteria: Criteria, group: Group) -> Verdict {
        let mut requests = KVec::new();
        for &(config, config1) in group {
            let words = Words {
                config,
                config1,
                ..Words::default()
            };
            match parse(kind, &words) {
                Ok(request) => match requests.push(request, GFP_KERNEL) {
                    Ok(()) => {}
                    Err(_) => return ("memory", ""),
                },
                Err(_) => return ("sense", ""),
            }
        }
        let checked = check(kind, criteria, requests.iter());
        if let [request] = &*requests {
            assert_eq!(check_alone(kind, request).is_ok(), checked.is_ok());
        }
        match checked {
            Ok(()) => FITS,
            Err(GroupFault::NoCounter(name, _) | GroupFault::FixedTaken(name)) => ("counter", name),
            Err(GroupFault::SourceMissing(event)) => ("source", event.name),
            Err(GroupFault::Filters(_, _, Some(holder))) => ("filter", holder.name),
            Err(GroupFault::Criteria(..)) => OTHER_CRITERIA,
            Err(_) => ("?", ""),
        }
    }

    #[test]
    fn groups_fit_or_are_told_why_not() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(Group, Verdict)] = &[
            (&[], FITS),
            (&[CLOCK, CLOCK, CLOCK, CLOCK, TICKS], FITS),
            (&[CLOCK, CLOCK, CLOCK, CLOCK, CLOCK], ("counter", "clock")),
            (&[TICKS, TICKS], ("counter", "ticks")),
            (&[CLOCK, CLOCK, FREE, CLOCK, CLOCK, TICKS], FITS),
            // A counter that always runs takes as many events as there is room for.
            (&[FREE, TICKS, FREE], FITS),
            (&[FREE; 8], FITS),
            (&[FREE; 9], ("counter", "free")),
            (&[QUEUE, QUEUE], ("counter", "queue")),
            // Those that can go anywhere make way.
            (&[CLOCK, CLOCK, RING, QUEUE], FITS),
            (&[CLOCK, CLOCK, RING, RING, QUEUE], ("counter", "queue")),
            (&[LOOKUP, CLOCK, RING, QUEUE], FITS),
            (&[RING, RING, RING], ("counter", "ring")),
            (&[SHOWN], ("source", "shown")),
            (&[SHOWN, QUEUE], ("source", "shown")),
            (&[QUEUE, SHOWN, SHOWN, SHOWN], FITS),
            (&[CLOCK, QUEUE, SHOWN, RING], FITS),
            (&[QUEUE, SHOWN, SHOWN, SHOWN, SHOWN], ("counter", "shown")),
            (&[LOOKUP, LOOKUP], FITS),
            // The event that has a filter is told.
            (&[LOOKUP, LOOKUP_ONE], ("filter", "lookup")),
            (&[CLOCK, LOOKUP, RING, LOOKUP_ONE], ("filter", "lookup")),
            (&[LOOKUP, INSERT], FITS),
            (&[CLOCK, INSERT, RING, INSERT_OTHER], ("filter", "insert")),
        ];
        for &(group, told) in ROWS {
            assert_eq!(verdict(group), told);
        }
        Ok(())
    }

    #[test]
    fn other_filters_count_together_where_they_certainly_can_or_the_user_says_so() -> Result {
        #[rustfmt::skip]
        const ROWS: &[(Group, Verdict)] = &[
            (&[LOOKUP, LOOKUP], FITS),
            (&[LOOKUP, CLOCK, TICKS, LOOKUP], FITS),
            (&[INSERT_BOTH, INSERT_BOTH], FITS),
            (&[LOOKUP, INSERT], OTHER_CRITERIA),
            (&[INSERT, INSERT_BOTH], OTHER_CRITERIA),
            (&[CLOCK, LOOKUP, RING, LOOKUP_WHO], OTHER_CRITERIA),
            // Two values cannot be had either way.
            (&[INSERT_OTHER, INSERT_BOTH], ("filter", "insert")),
        ];
        for &(group, told) in ROWS {
            let free = if told == OTHER_CRITERIA { FITS } else { told };
            assert_eq!(verdict_on(&ONE_FILTER, Criteria::One, group), told);
            assert_eq!(verdict_on(&ONE_FILTER, Criteria::Several, group), free);
            assert_eq!(verdict_on(&KIND, Criteria::One, group), free);
        }
        Ok(())
    }

    #[test]
    fn other_filters_take_turns_unless_the_user_says_they_need_not() -> Result {
        let parsed = |(config, config1)| {
            let words = Words {
                config,
                config1,
                ..Words::default()
            };
            parse(&ONE_FILTER, &words).map_err(|_| EINVAL)
        };
        let (lookup, insert, clock) = (parsed(LOOKUP)?, parsed(INSERT)?, parsed(CLOCK)?);
        let mut allocation = Allocation::new(&ONE_FILTER);
        let first = allocation.find(&ONE_FILTER, &lookup).map_err(|_| EINVAL)?;
        allocation.take(&lookup, &first);
        assert!(allocation.find(&ONE_FILTER, &lookup).is_ok());
        assert!(allocation.find(&ONE_FILTER, &clock).is_ok());
        assert!(allocation.find(&ONE_FILTER, &insert).is_err());
        allocation.set_criteria(&ONE_FILTER, Criteria::Several);
        assert!(allocation.find(&ONE_FILTER, &insert).is_ok());
        allocation.set_criteria(&ONE_FILTER, Criteria::One);
        allocation.release(&lookup, first.counter());
        assert!(allocation.find(&ONE_FILTER, &insert).is_ok());
        Ok(())
    }

    #[test]
    fn a_plan_is_as_before_when_all_are_gone() -> Result {
        for (config, _) in [LOOKUP, QUEUE, TICKS] {
            let words = Words {
                config,
                ..Words::default()
            };
            let request = parse(&KIND, &words).map_err(|_| EINVAL)?;
            let mut allocation = Allocation::new(&KIND);
            let assignment = allocation.find(&KIND, &request).map_err(|_| EINVAL)?;
            allocation.take(&request, &assignment);
            assert!(allocation != Allocation::new(&KIND));
            allocation.release(&request, assignment.counter());
            assert_eq!(allocation, Allocation::new(&KIND));
        }
        Ok(())
    }
}
