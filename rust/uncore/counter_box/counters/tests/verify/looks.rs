// SPDX-License-Identifier: GPL-2.0

//! When registers are verified, and what that costs.

use kernel::prelude::*;

#[kunit_tests(uncore_box_look)]
mod suite {
    use super::super::*;

    /// An event of a link that uses filters.
    const MATCHED: [u64; 3] = [0x38 | 1 << 21, 0x1c00, 0x1e00];

    #[test]
    fn a_counter_that_ceases_to_move_is_looked_at_by_the_next_poll() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, CLOCK, false)?;
        let mut poll = |bus: &Fake| {
            at.take_turn(3);
            at.polled_at = 0;
            while at.poll(bus, u64::MAX) {}
            at.is_modified(1)
        };
        bus.set(COUNTER[3], 5);
        assert!(!poll(&bus));
        modify(&bus, Register::Control(CONTROL[3]), 0x0077);
        assert!(poll(&bus));
        Ok(())
    }

    #[test]
    fn a_start_looks_at_those_whose_filters_it_changes() -> Result {
        // Events that count, the next, reads and writes of its start.
        let rows: [(&[u64], u64, (u32, usize)); 3] = [
            // Reads the counter; writes filter, control.
            (&[CLOCK], LOOKUP, (1, 2)),
            // Reads the counter; writes control.
            (&[LOOKUP], LOOKUP, (1, 1)),
            // Reads the counter of the next, and what the first needs; writes filter, control.
            (&[LOOKUP, CLOCK], LOOKUP | 1 << 19, (4, 2)),
        ];
        for (counting, next, expected) in rows {
            let (bus, mut at) = idle(&KIND)?;
            for (id, config) in (1..).zip(counting) {
                put(&mut at, &bus, id, *config, false)?;
            }
            at.add(&bus, 9, &request(&KIND, [next, next >> 19, 0])?, false)?;
            bus.take_writes();
            let before = bus.reads();
            at.start(&bus, 9)?;
            assert_eq!((bus.reads() - before, bus.take_writes().len()), expected);
        }
        Ok(())
    }

    #[test]
    fn an_event_that_shows_nothing_is_looked_at_alone() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        for (id, config) in [(1, QUEUE), (2, LEFT), (3, DEPENDENT)] {
            put(&mut at, &bus, id, config, false)?;
        }
        modify(&bus, Register::Control(CONTROL[0]), 0);
        at.stop(&bus, 2);
        assert!(!at.has_modified_event());
        at.stop(&bus, 3);
        assert!(at.is_modified(1) && at.is_modified(3) && !at.is_modified(2));
        Ok(())
    }

    #[test]
    fn filters_of_the_box_that_do_not_answer_a_look_are_its_end() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, LOOKUP, false)?;
        bus.deny(FILTER[0]);
        poll(&mut at, &bus);
        assert!(at.has_failed());
        Ok(())
    }

    #[test]
    fn filters_that_came_later_are_looked_at() -> Result {
        let missing = FilterLocation::Missing(MissingReason::Unseen);
        let (bus, mut at) = attached(Fake::with_filters()?, &LINK, missing)?;
        at.gain_filters();
        begin(&mut at, &bus, 1, MATCHED, false)?;
        bus.filters().set(MASK, 0);
        poll(&mut at, &bus);
        assert!(at.is_modified(1));
        Ok(())
    }

    /// perf lets events take turns of some milliseconds if there are more than counters.
    #[test]
    fn events_that_take_turns_are_looked_at_after_a_while() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        bus.stop_clock();
        for turn in 1..=50 {
            let id = 1 + turn % 2;
            put(&mut at, &bus, id, CLOCK, false)?;
            modify(&bus, Register::Control(CONTROL[3]), 0x0077);
            bus.wait(4);
            at.stop(&bus, id);
            assert_eq!(at.is_modified(id), turn % 25 == 0);
            at.remove(&bus, id);
        }
        Ok(())
    }

    #[test]
    fn an_idle_box_is_unfrozen_unless_it_was_just_before() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        bus.stop_clock();
        for (ms, unfrozen) in [(0, true), (99, false), (1, true), (100, true)] {
            bus.wait(ms);
            bus.take_writes();
            put(&mut at, &bus, 1, CLOCK, false)?;
            let unfreezes = |write: &Write| write.0 == BOX_CONTROL;
            assert_eq!(bus.take_writes().iter().any(unfreezes), unfrozen);
            at.remove(&bus, 1);
        }
        Ok(())
    }

    #[test]
    fn a_group_is_looked_at_before_its_box_is_frozen() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, CLOCK, true)?;
        bus.take_writes();
        let modified = modify(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
        put(&mut at, &bus, 2, LEFT, true)?;
        assert_eq!(
            at.take_modified_event().map(|event| event.register),
            Some(modified)
        );
        assert!(at.is_modified(1) && !at.is_modified(2));
        bus.set(COUNTER[2], 8);
        // In a batch the box control register holds what the driver wrote for the batch.
        at.begin();
        assert_eq!(at.remove(&bus, 1), 0);
        assert_eq!(at.remove(&bus, 2), 8);
        at.end(&bus);
        assert!(!at.has_modified_event());
        Ok(())
    }

    #[test]
    fn what_is_still_shown_is_looked_at_when_its_event_is_gone() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, QUEUE, false)?;
        put(&mut at, &bus, 2, DEPENDENT, false)?;
        at.remove(&bus, 1);
        assert_eq!(bus.get(CONTROL[0]), QUEUE | ENABLE);
        modify(&bus, Register::Control(CONTROL[0]), 0x0040_0411);
        poll(&mut at, &bus);
        assert!(at.is_modified(2));
        assert!(at.take_modified_event().is_some() && at.take_modified_event().is_none());
        at.remove(&bus, 2);
        put(&mut at, &bus, 3, QUEUE, false)?;
        bus.set(COUNTER[0], bus.get(COUNTER[0]) + 6);
        assert_eq!(at.remove(&bus, 3), 6);
        Ok(())
    }

    #[test]
    fn a_filter_that_two_share_is_looked_at_before_the_second_changes_it() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, LOOKUP, false)?;
        bus.set(COUNTER[1], 70);
        modify(&bus, filter(FILTER[0]), 0x0100);
        begin(&mut at, &bus, 2, [LOOKUP | 1 << 19, 0x03, 0], false)?;
        assert_eq!(bus.get(FILTER[0]), 0x3f03);
        assert!(at.is_modified(1) && !at.is_modified(2));
        bus.set(COUNTER[0], 5);
        assert_eq!([1, 2].map(|id| at.remove(&bus, id)), [0, 5]);
        Ok(())
    }

    #[test]
    fn counters_that_are_switched_are_looked_at_first() -> Result {
        let (bus, mut at) = idle(&TELLING)?;
        put(&mut at, &bus, 1, LEFT, false)?;
        put(&mut at, &bus, 2, CLOCK, false)?;
        modify(&bus, Register::Control(CONTROL[2]), 0);
        switch(&mut at, &bus, Interrupts::All);
        assert!(at.is_modified(1) && !at.is_modified(2));
        assert_eq!(bus.get(CONTROL[2]), 0);
        // The control register of event 2 is as written now.
        poll(&mut at, &bus);
        assert!(!at.is_modified(2));
        bus.set(COUNTER[3], 4);
        assert_eq!(at.remove(&bus, 2), 4);
        Ok(())
    }

    #[test]
    fn filters_that_go_are_looked_at_as_long_as_they_answer() -> Result {
        let apart = FilterLocation::Function(());
        let (bus, mut at) = attached(Fake::with_filters()?, &LINK, apart)?;
        begin(&mut at, &bus, 1, MATCHED, false)?;
        bus.filters().set(MASK, 0);
        at.lose_filters(&bus);
        assert!(at.is_modified(1) && at.lacks_filters());
        Ok(())
    }
}
