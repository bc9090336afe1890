// SPDX-License-Identifier: GPL-2.0

//! The allocator against every possible assignment.

use kernel::prelude::*;

#[kunit_tests(uncore_assign)]
mod suite {
    use super::super::*;
    use kernel::prelude::*;

    /// Returns `true` if there is an assignment for the events, given by the counters that each one
    /// may use. Tries all assignments.
    fn possible(free: u8, events: &[u8]) -> bool {
        let Some((first, rest)) = events.split_first() else {
            return true;
        };
        bits(first & free).any(|counter| possible(free & !bit(counter), rest))
    }

    /// Places events in turn and follows each move as hardware would; returns the number of events
    /// that got a counter, and `true` if every step was legal.
    fn place(events: &[u8]) -> (usize, bool) {
        let mut placement = Placement::new(0b1111);
        let mut on: [u8; MAX_COUNTERS] = [0; MAX_COUNTERS];
        for (placed, &allowed) in events.iter().enumerate() {
            let Some(path) = placement.find(allowed) else {
                return (placed, true);
            };
            for (from, to) in path.moves() {
                let moved = on.get(usize::from(from)).copied().unwrap_or(0);
                let free = on.get(usize::from(to)) == Some(&0);
                if !free || moved & bit(to) == 0 {
                    return (placed, false);
                }
                set(&mut on, to, moved);
                set(&mut on, from, 0);
            }
            let free = on.get(usize::from(path.counter())) == Some(&0);
            if !free || allowed & bit(path.counter()) == 0 {
                return (placed, false);
            }
            set(&mut on, path.counter(), allowed);
            placement.take(&path, allowed);
        }
        (events.len(), true)
    }

    /// Every list of up to four events on four counters, all 15 constraints, in every order.
    #[test]
    fn finds_an_assignment_exactly_where_there_is_one() -> Result {
        let mut wrong = 0;
        for number in 0..15_u32.pow(4) {
            let mut events = [0; 4];
            let mut rest = number;
            for event in &mut events {
                *event = (rest % 15) as u8 + 1;
                rest /= 15;
            }
            let (placed, legal) = place(&events);
            let with_next = events.get(..=placed);
            if !legal || with_next.is_some_and(|events| possible(0b1111, events)) {
                wrong += 1;
            }
        }
        assert_eq!(wrong, 0);
        Ok(())
    }

    #[test]
    fn events_stay_where_they_are_if_they_can() -> Result {
        let mut placement = Placement::new(0b1111);
        for allowed in [0b1111, 0b0011, 0b1100] {
            let path = placement.find(allowed).ok_or(EINVAL)?;
            assert_eq!(path.moves().count(), 0);
            placement.take(&path, allowed);
        }
        // Counter 3 was given to the first, 1 to the second, 2 to the third.
        let path = placement.find(0b0010).ok_or(EINVAL)?;
        assert_eq!(path.counter(), 1);
        assert!(path.moves().eq([(1, 0)]));
        Ok(())
    }

    #[test]
    fn moves_are_in_an_order_that_works() -> Result {
        let mut placement = Placement::new(0b111);
        for allowed in [0b011, 0b110] {
            let path = placement.find(allowed).ok_or(EINVAL)?;
            placement.take(&path, allowed);
        }
        // 1 and 2 are taken; what may only use 2 moves the second to 1, and so the first to 0.
        let path = placement.find(0b100).ok_or(EINVAL)?;
        assert!(path.moves().eq([(1, 0), (2, 1)]));
        assert_eq!(path.counter(), 2);
        placement.take(&path, 0b100);
        assert!(placement.find(0b111).is_none());
        placement.release(1);
        assert!(placement.find(0b010).is_some());
        Ok(())
    }

    #[test]
    fn counters_the_box_lacks_are_not_used() -> Result {
        let placement = Placement::new(0b0011);
        assert!(placement.find(0b1100).is_none());
        assert!(placement.find(0).is_none());
        assert_eq!(placement.find(0xff).map(|path| path.counter()), Some(1));
        Ok(())
    }
}
