// SPDX-License-Identifier: GPL-2.0

//! Events that move to another CPU: what they count, and what is written meanwhile.

use kernel::prelude::*;

#[kunit_tests(uncore_box_move)]
mod suite {
    use super::super::*;
    use crate::uncore::testing::*;

    const CLOCK: u64 = 0x00;
    const LOOKUP: u64 = 0x0334;
    const TICKS: u64 = 0xff;
    const FREE: u64 = 0xfe;

    /// The events of a [`busy`] box with their counter registers. Their numbers begin at 1.
    const BUSY: [(u64, u16); 3] = [
        (CLOCK, COUNTER[3]),
        (LOOKUP, COUNTER[1]),
        (TICKS, FIXED_COUNTER),
    ];

    /// Makes a box on which a group of events counts.
    fn busy() -> Result<(Fake, Numbered)> {
        let (bus, mut at) = (Fake::new()?, fresh(&KIND, FilterLocation::Own)?);
        at.measure(&bus);
        for (id, (config, _)) in (1..).zip(BUSY) {
            begin(&mut at, &bus, id, [config, 0, 0], true)?;
        }
        bus.take_writes();
        Ok((bus, at))
    }

    /// Advances all counters.
    fn advance(bus: &Fake, count: u64) {
        for (_, counter) in BUSY {
            bus.set(counter, bus.get(counter) + count);
        }
    }

    /// Deletes an event on the old CPU, and returns its counts since the last read.
    fn delete(at: &mut Numbered, bus: &Fake, id: u64) -> Result<u64> {
        let event = at.event(id).ok_or(ENODEV)?.clone();
        at.delete(bus, &event);
        Ok(event.reading.take())
    }

    /// Adds an event on the new CPU, and returns whether it has kept its counter.
    fn add(at: &mut Numbered, bus: &Fake, id: u64) -> Result<bool> {
        let event = at.event(id).ok_or(ENODEV)?.clone();
        let has_stayed = at.take_back(bus, &event);
        if !has_stayed {
            at.add_again(bus, id)?;
        }
        at.start(bus, id)?;
        Ok(has_stayed)
    }

    #[test]
    fn events_that_move_count_on_without_a_write() -> Result {
        let (bus, mut at) = busy()?;
        advance(&bus, 10);
        at.begin_move();
        for (id, _) in (1..).zip(BUSY) {
            assert_eq!(delete(&mut at, &bus, id)?, 10);
        }
        advance(&bus, 5);
        for (id, _) in (1..).zip(BUSY) {
            assert!(add(&mut at, &bus, id)?);
        }
        assert!(at.end_move(&bus).is_none());
        advance(&bus, 2);
        assert!(bus.take_writes().is_empty());
        for (id, _) in (1..).zip(BUSY) {
            assert_eq!(at.remove(&bus, id), 7);
        }
        assert!(!at.has_events());
        Ok(())
    }

    #[test]
    fn an_event_that_perf_does_not_add_again_stops() -> Result {
        let (bus, mut at) = busy()?;
        at.begin_move();
        delete(&mut at, &bus, 1)?;
        advance(&bus, 5);
        poll(&mut at, &bus);
        let left = at.end_move(&bus);
        let mut left = left.iter().flatten().flatten();
        assert!(left.next().is_some_and(|event| event.id == 1) && left.next().is_none());
        assert_eq!(bus.get(CONTROL[3]), 0);
        // Perf has not counted the time since it has deleted the event.
        assert!(!add(&mut at, &bus, 1)?);
        advance(&bus, 2);
        assert_eq!([1, 2].map(|id| at.remove(&bus, id)), [2, 7]);
        Ok(())
    }

    #[test]
    fn other_events_do_not_get_the_counter_meanwhile() -> Result {
        let (bus, mut at) = busy()?;
        at.begin_move();
        delete(&mut at, &bus, 3)?;
        let ticks = request(&KIND, [TICKS, 0, 0])?;
        assert_eq!(at.add(&bus, 9, &ticks, false), Err(EAGAIN));
        assert!(at.end_move(&bus).is_some());
        assert_eq!(at.add(&bus, 9, &ticks, false), Ok(()));
        Ok(())
    }

    #[test]
    fn a_stopped_event_frees_its_counter() -> Result {
        let (bus, mut at) = busy()?;
        at.stop(&bus, 3);
        at.begin_move();
        delete(&mut at, &bus, 3)?;
        assert_eq!(
            at.add(&bus, 9, &request(&KIND, [TICKS, 0, 0])?, false),
            Ok(())
        );
        assert!(at.end_move(&bus).is_none());
        Ok(())
    }

    /// The other CPU may find another counter under the number of the register.
    #[test]
    fn a_counter_of_a_core_does_not_stay() -> Result {
        let (bus, mut at) = busy()?;
        begin(&mut at, &bus, 4, [FREE, 0, 0], false)?;
        at.begin_move();
        delete(&mut at, &bus, 4)?;
        assert!(!add(&mut at, &bus, 4)?);
        assert!(at.end_move(&bus).is_none());
        Ok(())
    }

    #[test]
    fn a_move_hides_no_modified_register() -> Result {
        for while_moving in [false, true] {
            let (bus, mut at) = busy()?;
            at.begin_move();
            bus.set(CONTROL[3], 0x0077);
            for (id, _) in (1..).zip(BUSY) {
                delete(&mut at, &bus, id)?;
            }
            if while_moving {
                poll(&mut at, &bus);
                assert!(at.is_modified(1));
            }
            for id in 2..=3 {
                assert!(add(&mut at, &bus, id)?);
            }
            if !while_moving {
                assert!(add(&mut at, &bus, 1)?);
                poll(&mut at, &bus);
                assert!(at.is_modified(1));
            }
            assert_eq!(at.end_move(&bus).is_some(), while_moving);
            assert!(!at.is_modified(2) && !at.is_modified(3));
            assert_eq!(at.holds_modified_event(), !while_moving);
        }
        Ok(())
    }

    #[test]
    fn a_box_that_fails_meanwhile_lets_its_events_go() -> Result {
        let (bus, mut at) = busy()?;
        at.begin_move();
        delete(&mut at, &bus, 1)?;
        bus.fail_after(0);
        delete(&mut at, &bus, 2)?;
        assert!(at.has_failed());
        assert_eq!(add(&mut at, &bus, 1), Err(ENODEV));
        delete(&mut at, &bus, 3)?;
        assert!(at.end_move(&bus).is_none() && !at.has_events());
        Ok(())
    }
}
