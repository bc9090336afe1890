// SPDX-License-Identifier: GPL-2.0

//! Counters that interrupt when they overflow, and events with intervals.

use kernel::prelude::*;

#[kunit_tests(uncore_box_overflow)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        counter_box::overflow::{
            EventCount,
            Watched, //
        },
        testing::*, //
    };

    const CLOCK: u64 = 0x00;
    const QUEUE: u64 = 0x11;
    const LEFT: u64 = 0x40;
    const TICKS: u64 = 0xff;
    const FREE: u64 = 0xfe;

    /// Largest value of a general counter.
    const TOP: u64 = (1 << 44) - 1;

    fn put(at: &mut Numbered, bus: &Fake, id: u64, config: u64) -> Result {
        begin(at, bus, id, [config, 0, 0], false)
    }

    /// Makes a box whose counters interrupt.
    fn interrupting() -> Result<(Fake, Numbered)> {
        let (bus, mut at) = fresh(&TELLING)?;
        bus.clear_by_ones(STATUS);
        switch(&mut at, &bus, Interrupts::All);
        bus.take_writes();
        Ok((bus, at))
    }

    /// Returns `config` of the clock with an interval.
    fn clock_every(counts: u64) -> u64 {
        CLOCK | counts << 32
    }

    #[test]
    fn counters_can_be_switched_while_they_count() -> Result {
        let (bus, mut at) = fresh(&TELLING)?;
        bus.clear_by_ones(STATUS);
        bus.set(STATUS, OVERFLOWED[0]);
        put(&mut at, &bus, 1, LEFT)?;
        bus.take_writes();
        // As far as a counter may go unread.
        let most = TOP / 2;
        bus.advance(&TELLING, COUNTER[2], most);
        switch(&mut at, &bus, Interrupts::All);
        bus.advance(&TELLING, COUNTER[2], most);
        switch(&mut at, &bus, Interrupts::All);
        switch(&mut at, &bus, Interrupts::Off);
        bus.advance(&TELLING, COUNTER[2], 7);
        let expected = [
            // Old overflow bits would hide later overflows.
            Write(STATUS, 0b1_1111),
            Write(CONTROL[2], LEFT | ENABLE | TELL),
            Write(CONTROL[2], LEFT | ENABLE),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
        assert_eq!(at.remove(&bus, 1), 2 * most + 7);
        Ok(())
    }

    #[test]
    fn a_box_that_overflowed_is_read_before_its_status_is_cleared() -> Result {
        let (bus, mut at) = interrupting()?;
        bus.set(COUNTER[2], TOP - 9);
        put(&mut at, &bus, 1, LEFT)?;
        put(&mut at, &bus, 2, TICKS)?;
        bus.take_writes();
        bus.advance(&TELLING, COUNTER[2], 15);
        bus.set(FIXED_COUNTER, 3);
        bus.set(STATUS, OVERFLOWED[0] | 1 << 9);
        assert!(service(&mut at, &bus, false));
        // Bits that belong to no counter are not cleared.
        let expected = [Write(STATUS, OVERFLOWED[0])];
        assert!(bus.take_writes().iter().eq(&expected));
        // Both counters were read.
        bus.set(COUNTER[2], 0);
        bus.set(FIXED_COUNTER, 0);
        at.stop(&bus, 1);
        assert!(at.take_finished_interval().is_none());
        Ok(())
    }

    #[test]
    fn a_box_without_status_is_read_if_it_is_said_to_have_overflowed() -> Result {
        let (bus, mut at) = interrupting()?;
        put(&mut at, &bus, 1, TICKS)?;
        bus.take_writes();
        let reads = bus.reads();
        assert!(!service(&mut at, &bus, false));
        assert_eq!(bus.reads(), reads + 1);
        bus.set(FIXED_COUNTER, 7);
        assert!(!service(&mut at, &bus, true));
        assert_eq!(bus.reads(), reads + 3);
        assert!(bus.take_writes().is_empty());
        assert_eq!(at.read(&bus, 1), 7);
        Ok(())
    }

    #[test]
    fn an_uncertain_width_is_measured() -> Result {
        // Width of the counter, bits above it that read as 1, and the measured width.
        for (bits, stuck, width) in [(40, 0, 40), (40, 0xf << 40, 40), (44, 0, 44), (48, 0, 44)] {
            let (bus, mut at) = interrupting()?;
            bus.narrow(FIXED_COUNTER, bits);
            bus.stick_in(FIXED_COUNTER, stuck);
            measure(&mut at, &bus);
            bus.stick_in(FIXED_COUNTER, 0);
            assert_eq!(bus.get(FIXED_COUNTER), 0);
            put(&mut at, &bus, 1, TICKS | SHORTEST << 32)?;
            let start = (1 << width) - SHORTEST;
            assert_eq!(bus.get(FIXED_COUNTER), start);
            bus.set(FIXED_COUNTER, 3);
            bus.set(STATUS, OVERFLOWED[1]);
            assert!(service(&mut at, &bus, false));
            assert_eq!(at.remove(&bus, 1), SHORTEST + 3);
        }
        Ok(())
    }

    #[test]
    fn a_box_is_polled_at_the_pace_of_its_events() -> Result {
        // 2^44 counts, 20 a clock, 4 clocks a nanosecond, and a margin of 4.
        const QUEUE_NS: u64 = 219_902_325_555 / 4;
        // 2^40 counts, 4 clocks a nanosecond; 60 s at most.
        const TICKS_NS: u64 = 60_000_000_000;
        let (bus, mut at) = fresh(&TELLING)?;
        assert!(!at.poll(&bus, 7));
        assert_eq!(at.watched(&bus), Watched::default());
        put(&mut at, &bus, 1, TICKS)?;
        let polled = |at: &mut Numbered, now: u64| {
            let reads = bus.reads();
            let was_read = at.poll(&bus, now);
            assert_eq!(was_read, bus.reads() > reads);
            while at.poll(&bus, now) {}
            let watched = at.watched(&bus);
            assert!(!watched.interrupts);
            (watched.poll_ns, was_read)
        };
        // A timer fires some time before or after it is due.
        let early = |interval_ns| interval_ns - interval_ns / 16;
        let mut now = 1 << 40;
        assert_eq!(polled(&mut at, now), (Some(TICKS_NS), true));
        assert_eq!(
            polled(&mut at, now + early(QUEUE_NS)),
            (Some(TICKS_NS), false)
        );
        put(&mut at, &bus, 2, QUEUE)?;
        for is_due in [false, true] {
            let at_time = now + early(QUEUE_NS) - u64::from(!is_due);
            assert_eq!(polled(&mut at, at_time), (Some(QUEUE_NS), is_due));
        }
        now += early(QUEUE_NS);
        assert_eq!(polled(&mut at, now + 1), (Some(QUEUE_NS), false));
        at.stop(&bus, 2);
        for is_due in [false, true] {
            let at_time = now + early(TICKS_NS) - u64::from(!is_due);
            assert_eq!(polled(&mut at, at_time), (Some(TICKS_NS), is_due));
        }
        Ok(())
    }

    #[test]
    fn counters_interrupt_that_were_chosen() -> Result {
        for (interrupts, config, tells) in [
            (Interrupts::Off, clock_every(SHORTEST), false),
            (Interrupts::OfIntervals, clock_every(SHORTEST), true),
            (Interrupts::OfIntervals, CLOCK, false),
            (Interrupts::All, CLOCK, true),
            (Interrupts::All, FREE, false),
        ] {
            let (bus, mut at) = fresh(&TELLING)?;
            bus.clear_by_ones(STATUS);
            switch(&mut at, &bus, interrupts);
            assert!(!at.interrupt(&bus));
            put(&mut at, &bus, 1, config)?;
            assert_eq!(at.interrupt(&bus), tells);
            assert_eq!(at.watched(&bus).interrupts, tells);
            if config != FREE {
                let enabled = bus.get(CONTROL[3]) & TELL != 0;
                assert_eq!(enabled, tells);
            }
            at.stop(&bus, 1);
            assert!(!at.interrupt(&bus));
        }
        Ok(())
    }

    #[test]
    fn old_overflows_are_cleared_before_the_first_counter_interrupts() -> Result {
        let (bus, mut at) = interrupting()?;
        let clears = |bus: &Fake| {
            let writes = bus.take_writes();
            writes.iter().filter(|write| write.0 == STATUS).count()
        };
        bus.set(STATUS, OVERFLOWED[0]);
        put(&mut at, &bus, 1, CLOCK)?;
        assert_eq!((clears(&bus), bus.get(STATUS)), (1, 0));
        put(&mut at, &bus, 2, LEFT)?;
        assert_eq!(clears(&bus), 0);
        Ok(())
    }

    #[test]
    fn a_reserved_counter_goes_to_no_event() -> Result {
        let (bus, mut at) = fresh(&TELLING)?;
        assert!(at.reserve_fixed(0) && !at.reserve_fixed(0));
        assert_eq!(put(&mut at, &bus, 1, TICKS), Err(EAGAIN));
        put(&mut at, &bus, 2, FREE)?;
        at.release_fixed();
        put(&mut at, &bus, 1, TICKS)?;
        assert!(!at.reserve_fixed(0));
        at.remove(&bus, 1);
        assert!(at.reserve_fixed(0));
        let mut absent = KBox::init(BoxCounters::absent(&TELLING), GFP_KERNEL)?;
        assert!(!absent.reserve_fixed(0));
        Ok(())
    }

    /// Another core's counter of this number has another value.
    #[test]
    fn a_counter_of_a_core_is_not_read_on_another() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        let counts = |at: &BoxCounters| {
            let mut counts = at.counts().map(|event| event.count);
            (counts.next(), counts.next())
        };
        put(&mut at, &bus, 1, CLOCK)?;
        put(&mut at, &bus, 2, FREE)?;
        bus.set(COUNTER[3], 5);
        bus.set(FREE_COUNTER, 5);
        at.read_all(&bus);
        assert_eq!(counts(&at), (Some(5), Some(5)));
        bus.go_to(1);
        bus.set(COUNTER[3], 8);
        bus.set(FREE_COUNTER, 1 << 40);
        at.read_all(&bus);
        poll(&mut at, &bus);
        assert_eq!(counts(&at), (Some(8), Some(5)));
        bus.go_to(0);
        bus.set(FREE_COUNTER, 9);
        at.read_all(&bus);
        assert_eq!(counts(&at), (Some(8), Some(9)));
        assert_eq!(at.remove(&bus, 2), 9);
        Ok(())
    }

    #[test]
    fn an_interval_ends_with_an_overflow() -> Result {
        let (bus, mut at) = interrupting()?;
        put(&mut at, &bus, 1, clock_every(SHORTEST))?;
        let expected = [
            Write(BOX_CONTROL, UNFREEZE),
            Write(STATUS, 0b1_1111),
            Write(COUNTER[3], TOP + 1 - SHORTEST),
            Write(CONTROL[3], CLOCK | ENABLE | TELL),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
        at.credit(1, 1000);
        assert!(!at.has_finished_interval());

        bus.advance(&TELLING, COUNTER[3], SHORTEST + 7);
        assert_eq!(bus.get(COUNTER[3]), 7);
        bus.set(STATUS, 1 << 4);
        assert!(service(&mut at, &bus, false));
        // Counts after the overflow belong to the next interval.
        let expected = [
            Write(STATUS, 1 << 4),
            Write(COUNTER[3], TOP + 1 - (SHORTEST - 7)),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
        let finished = EventCount {
            event_id: 1,
            config: CLOCK,
            count: 1000 + SHORTEST + 7,
        };
        assert!(at.has_finished_interval());
        assert_eq!(at.take_finished_interval(), Some(finished));
        assert!(!at.has_finished_interval());
        assert_eq!(at.take_finished_interval(), None);
        bus.advance(&TELLING, COUNTER[3], 2);
        assert_eq!(at.read(&bus, 1), SHORTEST + 9);
        assert_eq!(at.take_finished_interval(), None);
        Ok(())
    }

    #[test]
    fn a_reader_that_comes_first_does_not_take_the_end_of_an_interval() -> Result {
        let (bus, mut at) = interrupting()?;
        put(&mut at, &bus, 1, clock_every(SHORTEST))?;
        bus.advance(&TELLING, COUNTER[3], SHORTEST);
        assert_eq!(at.read(&bus, 1), SHORTEST);
        bus.set(STATUS, 1 << 4);
        service(&mut at, &bus, false);
        assert_eq!(bus.get(COUNTER[3]), TOP + 1 - SHORTEST);
        assert_eq!(
            at.take_finished_interval().map(|ended| ended.count),
            Some(SHORTEST)
        );
        Ok(())
    }

    #[test]
    fn an_interval_goes_on_where_it_was_stopped() -> Result {
        let (bus, mut at) = interrupting()?;
        put(&mut at, &bus, 1, clock_every(SHORTEST))?;
        bus.advance(&TELLING, COUNTER[3], 1000);
        at.stop(&bus, 1);
        // The counter is not left near its overflow.
        assert_eq!(bus.get(COUNTER[3]), 0);
        bus.set(COUNTER[3], 5);
        at.start(&bus, 1)?;
        assert_eq!(bus.get(COUNTER[3]), TOP + 1 - (SHORTEST - 1000));
        assert_eq!(at.read(&bus, 1), 1000);
        Ok(())
    }

    #[test]
    fn an_interval_is_preset_while_the_box_interrupts() -> Result {
        let (bus, mut at) = fresh(&TELLING)?;
        put(&mut at, &bus, 1, clock_every(SHORTEST))?;
        bus.advance(&TELLING, COUNTER[3], 1000);
        switch(&mut at, &bus, Interrupts::All);
        assert_eq!(bus.get(COUNTER[3]), TOP + 1 - (SHORTEST - 1000));
        bus.advance(&TELLING, COUNTER[3], 500);
        bus.take_writes();
        switch(&mut at, &bus, Interrupts::Off);
        // It runs on without a gap, through the end of the interval.
        let expected = [Write(CONTROL[3], CLOCK | ENABLE)];
        assert!(bus.take_writes().iter().eq(&expected));
        bus.advance(&TELLING, COUNTER[3], SHORTEST);
        poll(&mut at, &bus);
        assert_eq!(at.take_finished_interval(), None);
        assert_eq!(at.read(&bus, 1), 1500 + SHORTEST);
        at.stop(&bus, 1);
        assert_eq!(bus.get(COUNTER[3]), 0);
        Ok(())
    }

    #[test]
    fn an_interval_that_has_not_ended_is_not_preset_anew() -> Result {
        let (bus, mut at) = interrupting()?;
        put(&mut at, &bus, 1, clock_every(SHORTEST))?;
        put(&mut at, &bus, 2, clock_every(2 * SHORTEST))?;
        for counter in [COUNTER[3], COUNTER[2]] {
            bus.advance(&TELLING, counter, SHORTEST);
        }
        bus.take_writes();
        bus.set(STATUS, 1 << 4);
        assert!(service(&mut at, &bus, false));
        let expected = [Write(STATUS, 1 << 4), Write(COUNTER[3], TOP + 1 - SHORTEST)];
        assert!(bus.take_writes().iter().eq(&expected));
        Ok(())
    }

    #[test]
    fn an_interval_of_an_event_in_the_place_of_another_begins_anew() -> Result {
        const VIEW: u64 = 0x1e | SHORTEST << 32;
        const SHOWN: u64 = 0x1f;
        let (bus, mut at) = interrupting()?;
        put(&mut at, &bus, 1, VIEW)?;
        put(&mut at, &bus, 2, SHOWN)?;
        bus.advance(&TELLING, COUNTER[0], 1000);
        assert_eq!(at.remove(&bus, 1), 1000);
        put(&mut at, &bus, 3, VIEW)?;
        assert_eq!(bus.get(COUNTER[0]), TOP + 1 - SHORTEST);
        assert_eq!(at.read(&bus, 3), 0);
        Ok(())
    }

    #[test]
    fn a_box_that_does_not_interrupt_is_not_asked_for_its_status() -> Result {
        let (bus, mut at) = fresh(&TELLING)?;
        put(&mut at, &bus, 1, CLOCK)?;
        bus.set(STATUS, OVERFLOWED[0]);
        let reads = bus.reads();
        assert!(!service(&mut at, &bus, false));
        assert_eq!(bus.reads(), reads);
        Ok(())
    }

    #[test]
    fn a_counter_that_does_not_interrupt_is_not_set_and_ends_no_interval() -> Result {
        let (bus, mut at) = fresh(&TELLING)?;
        put(&mut at, &bus, 1, clock_every(SHORTEST))?;
        bus.advance(&TELLING, COUNTER[3], 3 * SHORTEST + 5);
        poll(&mut at, &bus);
        // Nobody knows when it ended.
        assert_eq!(at.take_finished_interval(), None);
        let writes = bus.take_writes();
        assert!(writes.iter().all(|write| write.0 != COUNTER[3]));
        // The fourth ends where it would have.
        switch(&mut at, &bus, Interrupts::All);
        assert_eq!(bus.get(COUNTER[3]), TOP + 1 - (SHORTEST - 5));
        Ok(())
    }
}
