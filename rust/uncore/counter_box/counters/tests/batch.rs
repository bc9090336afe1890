// SPDX-License-Identifier: GPL-2.0

//! Events that perf deletes in a batch of changes and adds again, and those that move to another CPU.

use kernel::prelude::*;

#[kunit_tests(uncore_box_batch)]
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
        let (bus, mut at) = fresh(&KIND)?;
        measure(&mut at, &bus);
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

    /// Deletes an event in a batch.
    fn delete(at: &mut Numbered, id: u64) -> Result {
        at.event(id).ok_or(ENODEV)?.leave();
        Ok(())
    }

    /// Deletes an event in a batch of its own, and returns the counts that perf gets.
    fn delete_alone(at: &mut Numbered, bus: &Fake, id: u64) -> Result<u64> {
        delete(at, id)?;
        at.end(bus);
        Ok(at.event(id).ok_or(ENODEV)?.reading.take())
    }

    /// Adds an event, on the new CPU of a move, and returns whether it has kept its counter.
    fn add(at: &mut Numbered, bus: &Fake, id: u64) -> Result<bool> {
        add_on(at, bus, id, true)
    }

    /// Does the same on the new CPU or on the old one.
    fn add_on(at: &mut Numbered, bus: &Fake, id: u64, new: bool) -> Result<bool> {
        let event = at.event(id).ok_or(ENODEV)?.clone();
        let left = event.come_back();
        let counts = at.take_back(bus, &event, left, || new, |_| ());
        if !counts {
            at.add_again(bus, id)?;
            at.start(bus, id)?;
        }
        Ok(counts)
    }

    /// Adds an event in a batch of its own.
    fn add_alone(at: &mut Numbered, bus: &Fake, id: u64) -> Result<bool> {
        let counts = add(at, bus, id);
        at.end(bus);
        counts
    }

    #[test]
    fn an_event_that_does_not_come_back_stops_when_the_batch_ends() -> Result {
        let (bus, mut at) = busy()?;
        delete(&mut at, 1)?;
        delete(&mut at, 2)?;
        assert!(add(&mut at, &bus, 2)?);
        advance(&bus, 5);
        at.end(&bus);
        advance(&bus, 3);
        // The box is frozen, as the event is in a group.
        let expected = [
            Write(BOX_CONTROL, FREEZE),
            Write(CONTROL[3], 0),
            Write(BOX_CONTROL, UNFREEZE),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
        assert!(!add(&mut at, &bus, 1)?);
        advance(&bus, 2);
        assert_eq!([1, 2].map(|id| at.remove(&bus, id)), [7, 10]);
        Ok(())
    }

    /// A lookup uses counter 0 or 1.
    #[test]
    fn as_few_events_as_possible_make_room_for_another() -> Result {
        const OTHER_STATE: u64 = 1 << 8;
        let (bus, mut at) = fresh(&KIND)?;
        begin(&mut at, &bus, 1, [CLOCK, 0, 0], false)?;
        begin(&mut at, &bus, 2, [LOOKUP, 0, 0], false)?;
        begin(&mut at, &bus, 3, [LOOKUP, 0, 0], false)?;
        let other = request(&KIND, [LOOKUP, 0, 0])?;
        let other_filter = request(&KIND, [LOOKUP, OTHER_STATE, 0])?;
        assert_eq!(at.add(&bus, 4, &other, false), Err(EAGAIN));
        // Without the event of counter 3 there is no room, either: it stays.
        delete(&mut at, 1)?;
        bus.take_writes();
        assert_eq!(at.add(&bus, 5, &other, false), Err(EAGAIN));
        assert!(bus.take_writes().is_empty());
        delete(&mut at, 2)?;
        delete(&mut at, 3)?;
        assert_eq!(at.add(&bus, 6, &other, false), Ok(()));
        assert_eq!(bus.take_writes().len(), 1);
        assert!(add(&mut at, &bus, 1)?);
        // The filter register can have one value only.
        assert_eq!(at.add(&bus, 7, &other_filter, false), Err(EAGAIN));
        at.remove(&bus, 6);
        assert_eq!(at.add(&bus, 8, &other_filter, false), Ok(()));
        at.end(&bus);
        assert_eq!([2, 3].map(|id| add(&mut at, &bus, id)), [Err(EAGAIN); 2]);
        Ok(())
    }

    #[test]
    fn a_stopped_event_does_not_come_back_by_itself() -> Result {
        let (bus, mut at) = busy()?;
        at.stop(&bus, 3);
        delete(&mut at, 3)?;
        assert!(!add(&mut at, &bus, 3)?);
        at.end(&bus);
        advance(&bus, 4);
        assert_eq!(at.remove(&bus, 3), 4);
        Ok(())
    }

    #[test]
    fn an_event_that_does_not_move_stops_in_the_end() -> Result {
        let (bus, mut at) = busy()?;
        at.begin_move();
        delete_alone(&mut at, &bus, 1)?;
        advance(&bus, 5);
        poll(&mut at, &bus);
        let left = at.end_move(&bus);
        let mut left = left.iter().flatten().flatten();
        assert!(left.next().is_some_and(|event| event.id == 1) && left.next().is_none());
        assert_eq!(bus.get(CONTROL[3]), 0);
        // Perf has not counted the time since it has deleted the event.
        assert!(!add_alone(&mut at, &bus, 1)?);
        advance(&bus, 2);
        assert_eq!([1, 2].map(|id| at.remove(&bus, id)), [2, 7]);
        Ok(())
    }

    #[test]
    fn an_event_that_comes_back_to_its_old_cpu_begins_anew() -> Result {
        let (bus, mut at) = busy()?;
        at.begin_move();
        delete_alone(&mut at, &bus, 1)?;
        advance(&bus, 5);
        assert!(!add_on(&mut at, &bus, 1, false)?);
        advance(&bus, 2);
        assert_eq!(at.remove(&bus, 1), 2);
        Ok(())
    }

    /// Perf lets events take turns while they move: on the old CPU, and on the new one.
    #[test]
    fn an_event_whose_turn_ends_while_events_move_stops() -> Result {
        let (bus, mut at) = busy()?;
        assert!(at.is_steady());
        at.begin_move();
        // The box has to see which events perf adds.
        assert!(!at.is_steady());
        delete_alone(&mut at, &bus, 2)?;
        delete(&mut at, 1)?;
        delete(&mut at, 3)?;
        assert!(add_alone(&mut at, &bus, 3)?);
        advance(&bus, 5);
        assert!(!add_alone(&mut at, &bus, 1)?);
        assert!(add_alone(&mut at, &bus, 2)?);
        assert!(at.end_move(&bus).is_none());
        advance(&bus, 2);
        assert_eq!([1, 2, 3].map(|id| at.remove(&bus, id)), [2, 7, 7]);
        Ok(())
    }

    #[test]
    fn an_event_on_its_way_makes_room_for_another() -> Result {
        let (bus, mut at) = busy()?;
        at.begin_move();
        delete_alone(&mut at, &bus, 3)?;
        advance(&bus, 5);
        let ticks = request(&KIND, [TICKS, 0, 0])?;
        assert_eq!(at.add(&bus, 9, &ticks, false), Ok(()));
        at.end(&bus);
        assert_eq!(add_alone(&mut at, &bus, 3), Err(EAGAIN));
        assert_eq!(at.event(3).map(|event| event.reading.take()), Some(0));
        assert!(at.end_move(&bus).is_none());
        Ok(())
    }

    /// The other CPU may find another counter under the number of the register.
    #[test]
    fn a_counter_of_a_core_does_not_stay() -> Result {
        let (bus, mut at) = busy()?;
        begin(&mut at, &bus, 4, [FREE, 0, 0], false)?;
        at.begin_move();
        delete_alone(&mut at, &bus, 4)?;
        assert!(!add_alone(&mut at, &bus, 4)?);
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
                delete_alone(&mut at, &bus, id)?;
            }
            if while_moving {
                poll(&mut at, &bus);
                assert!(at.is_modified(1));
            }
            for id in 2..=3 {
                assert!(add_alone(&mut at, &bus, id)?);
            }
            if !while_moving {
                assert!(add_alone(&mut at, &bus, 1)?);
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
        delete_alone(&mut at, &bus, 1)?;
        bus.fail_after(0);
        delete_alone(&mut at, &bus, 2)?;
        assert!(at.has_failed());
        assert_eq!(add_alone(&mut at, &bus, 1), Err(ENODEV));
        delete_alone(&mut at, &bus, 3)?;
        assert!(at.end_move(&bus).is_none() && !at.has_events());
        Ok(())
    }
}
