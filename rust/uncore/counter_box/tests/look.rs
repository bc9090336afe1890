// SPDX-License-Identifier: GPL-2.0

//! Registers that somebody else changes: who ends, who goes on, and what is counted.

use kernel::prelude::*;

#[kunit_tests(uncore_box_look)]
mod suite {
    use super::super::super::super::{
        bus::fake::{
            Fake,
            Write, //
        },
        event::parse,
        field::{
            low_half,
            Words, //
        },
        testing::{
            platform::link::{
                self,
                LINK,
                MASK, //
            },
            *,
        },
    };
    use super::super::{
        super::*,
        fresh, //
    };

    const CLOCK: u64 = 0x00;
    const QUEUE: u64 = 0x0111;
    const SHOWN: u64 = 0x1f;
    const RING: u64 = 0x031b;
    const LOOKUP: u64 = 0x0334;
    const INSERT: u64 = 0x0135;
    const LEFT: u64 = 0x40;
    const TICKS: u64 = 0xff;
    const FREE: u64 = 0xfe;

    /// An opcode for [`INSERT`], and the filter register with it.
    const OPCODE: u64 = 0x80 << 48;
    const OPCODE_FILTER: u64 = 0x0080_0000;

    /// The events of a [`busy`] box with their counters and control registers, by owner from 1 on.
    const BUSY: [(u64, u16); 5] = [
        (CLOCK, COUNTER[3]),
        (LOOKUP, COUNTER[1]),
        (TICKS, FIXED_COUNTER),
        (INSERT, COUNTER[0]),
        (FREE, FREE_COUNTER),
    ];

    fn request(kind: &BoxType, config: u64, config1: u64) -> Result<Request> {
        let words = Words {
            config,
            config1,
            ..Words::default()
        };
        parse(kind, &words).map_err(|_| EINVAL)
    }

    /// A box that has come, and on which nothing counts. Not on the stack, which is short.
    fn come(bus: Fake, kind: &'static BoxType, reach: Reach) -> Result<(Fake, KBox<CounterBox>)> {
        let mut at = fresh(kind, reach)?;
        at.measure(&bus);
        bus.take_writes();
        Ok((bus, at))
    }

    /// The same with all registers in one place.
    fn idle(kind: &'static BoxType) -> Result<(Fake, KBox<CounterBox>)> {
        come(Fake::new()?, kind, Reach::Own)
    }

    /// Adds and starts an event.
    fn put(at: &mut CounterBox, bus: &Fake, owner: u64, config: u64, grouped: bool) -> Result {
        let config1 = if config == INSERT { OPCODE } else { 0 };
        at.add(bus, owner, &request(at.kind, config, config1)?, grouped)?;
        at.start(bus, owner)
    }

    /// A box on which an event of each kind counts.
    fn busy() -> Result<(Fake, KBox<CounterBox>)> {
        let (bus, mut at) = idle(&KIND)?;
        for (owner, (config, _)) in (1..).zip(BUSY) {
            put(&mut at, &bus, owner, config, false)?;
        }
        bus.take_writes();
        Ok((bus, at))
    }

    /// Moves all counters on.
    fn advance(bus: &Fake, count: u64) {
        for (_, counter) in BUSY {
            bus.set(counter, bus.get(counter) + count);
        }
    }

    /// Changes a register, and gives the change, as it is to be noted.
    fn tamper(bus: &Fake, register: Register, value: u64) -> Change {
        let (Register::Control(at) | Register::Filter(at) | Register::BoxControl(at)) = register;
        let written = bus.get(at);
        bus.set(at, value);
        Change {
            register,
            written: low_half(written),
            found: low_half(value),
        }
    }

    /// The changes and the owners that they end.
    const CASES: [(Register, u64, &[u64]); 9] = [
        // Another event, none, one that does not count, one that interrupts.
        (Register::Control(CONTROL[3]), 0x0040_0011, &[1]),
        (Register::Control(CONTROL[3]), 0, &[1]),
        (Register::Control(CONTROL[1]), 0x0334, &[2]),
        (Register::Control(CONTROL[0]), 0x0050_0135, &[4]),
        (Register::Control(FIXED_CONTROL), 0, &[3]),
        (Register::Filter(FILTER[0]), 0x0100, &[2]),
        (Register::Filter(FILTER[1]), 0x0081_0000, &[4]),
        // What cannot be stopped goes on when the box is frozen.
        (Register::BoxControl(BOX_CONTROL), FREEZE, &[1, 2, 3, 4]),
        (Register::BoxControl(BOX_CONTROL), 0, &[1, 2, 3, 4]),
    ];

    /// Whether events have ended, and are noted with the change, once.
    fn ended_by(at: &mut CounterBox, change: Change, owners: &[u64]) -> bool {
        let mut noted = 0;
        let mut same = true;
        while let Some(tampered) = at.take_tampered() {
            noted += 1;
            same &= tampered.change == change;
        }
        let mut all = (1..).zip(BUSY).map(|(owner, _)| owner);
        same && noted == owners.len()
            && !at.has_tampered()
            && all.all(|owner| at.is_tampered(owner) == owners.contains(&owner))
    }

    #[test]
    fn a_timer_finds_a_change_of_each_register() -> Result {
        for (register, value, owners) in CASES {
            let (bus, mut at) = busy()?;
            advance(&bus, 10);
            at.poll(&bus);
            assert!(!at.has_tampered());
            advance(&bus, 7);
            let change = tamper(&bus, register, value);
            advance(&bus, 1000);
            at.poll(&bus);
            assert!(at.has_tampered() && at.holds_tampered());
            assert!(ended_by(&mut at, change, owners));
            advance(&bus, 500);
            for (owner, _) in (1..).zip(BUSY) {
                let ended = owners.contains(&owner);
                let expected = if ended { 10 } else { 1517 };
                assert_eq!((owner, at.read(&bus, owner)), (owner, expected));
                assert_eq!(at.start(&bus, owner).is_err(), ended);
            }
        }
        Ok(())
    }

    #[test]
    fn an_event_that_stops_finds_a_change_of_what_it_needs() -> Result {
        for (register, value, owners) in CASES {
            for (owner, _) in (1..).zip(BUSY) {
                let (bus, mut at) = busy()?;
                advance(&bus, 10);
                at.poll(&bus);
                let change = tamper(&bus, register, value);
                advance(&bus, 1000);
                let finds = owners.contains(&owner);
                at.stop(&bus, owner);
                let ended: &[u64] = if finds { owners } else { &[] };
                assert!(ended_by(&mut at, change, ended));
                let expected = if finds { 10 } else { 1010 };
                assert_eq!((owner, at.remove(&bus, owner)), (owner, expected));
            }
        }
        Ok(())
    }

    #[test]
    fn what_was_read_is_not_taken_back() -> Result {
        let (bus, mut at) = busy()?;
        advance(&bus, 10);
        tamper(&bus, Register::Control(CONTROL[3]), 0);
        advance(&bus, 1000);
        assert_eq!(at.read(&bus, 1), 1010);
        advance(&bus, 5);
        at.poll(&bus);
        assert_eq!(at.remove(&bus, 1), 0);
        assert_eq!(at.remove(&bus, 2), 1015);
        Ok(())
    }

    #[test]
    fn what_comes_after_counts_exactly() -> Result {
        for (register, value, owners) in CASES {
            let (bus, mut at) = busy()?;
            tamper(&bus, register, value);
            at.poll(&bus);
            let shared = [FILTER[0], FILTER[1], BOX_CONTROL].map(|register| bus.get(register));
            assert_eq!(shared, [0x3f00, OPCODE_FILTER, UNFREEZE]);
            for owner in owners {
                at.remove(&bus, *owner);
            }
            assert!(!at.holds_tampered());
            for (owner, (config, _)) in (1..).zip(BUSY) {
                if owners.contains(&owner) {
                    put(&mut at, &bus, owner + 10, config, false)?;
                    advance(&bus, 33);
                    assert_eq!((owner, at.remove(&bus, owner + 10)), (owner, 33));
                }
            }
        }
        Ok(())
    }

    #[test]
    fn what_ended_is_left_with_nothing_selected() -> Result {
        let (bus, mut at) = busy()?;
        tamper(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
        at.check_all(&bus);
        for register in Iterator::chain(CONTROL.iter(), &[FIXED_CONTROL]) {
            assert_eq!(bus.get(*register), 0);
        }
        bus.take_writes();
        for owner in 1..=5 {
            at.remove(&bus, owner);
        }
        assert!(bus.take_writes().is_empty());
        Ok(())
    }

    /// Reads and writes of what `f` does.
    fn accesses(
        bus: &Fake,
        at: &mut CounterBox,
        f: impl FnOnce(&mut CounterBox) -> Result,
    ) -> Result<(u32, usize)> {
        bus.take_writes();
        let before = bus.reads();
        f(at)?;
        Ok((bus.reads() - before, bus.take_writes().len()))
    }

    #[test]
    fn a_look_costs_an_access_for_each_register() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        let lookup = request(&KIND, LOOKUP, 0)?;
        at.add(&bus, 1, &lookup, false)?;
        // The counter; box control, filter, control.
        let start = accesses(&bus, &mut at, |at| at.start(&bus, 1))?;
        assert_eq!(start, (1, 3));
        let read = accesses(&bus, &mut at, |at| {
            at.read(&bus, 1);
            Ok(())
        })?;
        assert_eq!(read, (1, 0));
        // Control, filter, box control, counter.
        let poll = accesses(&bus, &mut at, |at| {
            at.poll(&bus);
            Ok(())
        })?;
        assert_eq!(poll, (4, 0));
        let stop = accesses(&bus, &mut at, |at| {
            at.stop(&bus, 1);
            Ok(())
        })?;
        assert_eq!(stop, (4, 1));
        // Nothing can be changed of a counter that always runs.
        put(&mut at, &bus, 2, FREE, false)?;
        let stop = accesses(&bus, &mut at, |at| {
            at.stop(&bus, 2);
            Ok(())
        })?;
        assert_eq!(stop, (1, 0));
        Ok(())
    }

    #[test]
    fn a_group_is_looked_at_before_its_box_is_frozen() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, CLOCK, true)?;
        bus.take_writes();
        let change = tamper(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
        put(&mut at, &bus, 2, LEFT, true)?;
        assert_eq!(at.take_tampered().map(|event| event.change), Some(change));
        assert!(at.is_tampered(1) && !at.is_tampered(2));
        bus.set(COUNTER[2], 8);
        // In a batch the box control register is what the batch has written.
        at.begin();
        assert_eq!(at.remove(&bus, 1), 0);
        assert_eq!(at.remove(&bus, 2), 8);
        at.end(&bus);
        assert!(!at.has_tampered());
        Ok(())
    }

    #[test]
    fn what_shows_another_event_ends_with_it() -> Result {
        for (config, ends) in [(QUEUE, true), (SHOWN, false)] {
            let (bus, mut at) = idle(&KIND)?;
            put(&mut at, &bus, 1, QUEUE, false)?;
            put(&mut at, &bus, 2, SHOWN, false)?;
            let mut registers = CONTROL.into_iter();
            let register = registers.find(|at| bus.get(*at) == config | ENABLE);
            tamper(
                &bus,
                Register::Control(register.ok_or(EINVAL)?),
                0x0040_0000,
            );
            at.stop(&bus, 2);
            assert!(at.is_tampered(2));
            assert_eq!(at.is_tampered(1), ends);
        }
        Ok(())
    }

    #[test]
    fn what_is_still_shown_is_looked_at_when_its_event_is_gone() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, QUEUE, false)?;
        put(&mut at, &bus, 2, SHOWN, false)?;
        at.remove(&bus, 1);
        assert_eq!(bus.get(CONTROL[0]), QUEUE | ENABLE);
        tamper(&bus, Register::Control(CONTROL[0]), 0x0040_0411);
        at.poll(&bus);
        assert!(at.is_tampered(2));
        assert!(at.take_tampered().is_some() && at.take_tampered().is_none());
        at.remove(&bus, 2);
        put(&mut at, &bus, 3, QUEUE, false)?;
        bus.set(COUNTER[0], bus.get(COUNTER[0]) + 6);
        assert_eq!(at.remove(&bus, 3), 6);
        Ok(())
    }

    #[test]
    fn nothing_is_shown_of_an_event_that_has_ended() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, QUEUE, false)?;
        at.add(&bus, 2, &request(&KIND, SHOWN, 0)?, false)?;
        tamper(&bus, Register::Control(CONTROL[0]), 0);
        at.poll(&bus);
        assert_eq!(at.start(&bus, 2), Err(ENODEV));
        assert!(!at.is_tampered(2));
        Ok(())
    }

    #[test]
    fn an_event_that_is_shown_while_it_stands_does_not_hide_a_change() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, QUEUE, false)?;
        put(&mut at, &bus, 2, SHOWN, false)?;
        at.stop(&bus, 1);
        tamper(&bus, Register::Control(CONTROL[0]), 0);
        assert_eq!(at.start(&bus, 1), Err(ENODEV));
        assert!(at.is_tampered(1) && at.is_tampered(2));
        Ok(())
    }

    #[test]
    fn a_filter_that_two_share_is_looked_at_before_the_second_changes_it() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, LOOKUP, false)?;
        bus.set(COUNTER[1], 70);
        tamper(&bus, Register::Filter(FILTER[0]), 0x0100);
        let thread = request(&KIND, LOOKUP | 1 << 19, 0x03)?;
        at.add(&bus, 2, &thread, false)?;
        at.start(&bus, 2)?;
        assert_eq!(bus.get(FILTER[0]), 0x3f03);
        assert!(at.is_tampered(1) && !at.is_tampered(2));
        bus.set(COUNTER[0], 5);
        assert_eq!([1, 2].map(|owner| at.remove(&bus, owner)), [0, 5]);
        Ok(())
    }

    #[test]
    fn an_event_that_moves_does_not_take_a_change_with_it() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        for (owner, config) in [(1, CLOCK), (2, LEFT), (3, LEFT)] {
            put(&mut at, &bus, owner, config, false)?;
        }
        tamper(&bus, Register::Control(CONTROL[3]), 0x0040_0011);
        bus.set(COUNTER[3], 99);
        put(&mut at, &bus, 4, RING, false)?;
        assert!(at.is_tampered(1) && !at.is_tampered(4));
        assert_eq!(bus.get(CONTROL[0]), 0);
        assert_eq!(bus.get(CONTROL[3]), RING | ENABLE);
        assert_eq!(at.remove(&bus, 1), 0);
        bus.set(COUNTER[3], 104);
        assert_eq!(at.remove(&bus, 4), 5);
        Ok(())
    }

    #[test]
    fn counters_that_are_switched_are_looked_at_first() -> Result {
        let (bus, mut at) = idle(&TELLING)?;
        put(&mut at, &bus, 1, LEFT, false)?;
        put(&mut at, &bus, 2, CLOCK, false)?;
        tamper(&bus, Register::Control(CONTROL[2]), 0);
        at.set_interrupts(&bus, true);
        assert!(at.is_tampered(1) && !at.is_tampered(2));
        assert_eq!(bus.get(CONTROL[2]), 0);
        // It is as written now.
        at.check_all(&bus);
        assert!(!at.is_tampered(2));
        bus.set(COUNTER[3], 4);
        assert_eq!(at.remove(&bus, 2), 4);
        Ok(())
    }

    #[test]
    fn a_box_that_retires_drops_what_is_not_certain() -> Result {
        let (bus, mut at) = busy()?;
        advance(&bus, 10);
        tamper(&bus, Register::Control(CONTROL[3]), 0);
        at.retire(&bus);
        assert_eq!([1, 2].map(|owner| at.remove(&bus, owner)), [0, 10]);
        Ok(())
    }

    #[test]
    fn a_bit_that_clears_a_queue_is_no_change() -> Result {
        const OCCUPANCY: u64 = 0x0b;
        for reads_back in [false, true] {
            let (bus, mut at) = idle(&LINK)?;
            put(&mut at, &bus, 1, OCCUPANCY, false)?;
            let word = OCCUPANCY | link::ENABLE;
            let more = if reads_back { link::QUEUE_RESET } else { 0 };
            bus.set(link::CONTROL[1], word | more);
            at.poll(&bus);
            assert!(!at.has_tampered());
        }
        Ok(())
    }

    /// A link with filters in a function of their own, on which an event with filters, 1, and one
    /// without, 2, count.
    fn linked() -> Result<(Fake, KBox<CounterBox>)> {
        let (bus, mut at) = come(Fake::with_filters()?, &LINK, Reach::Apart)?;
        let message = Words {
            config: 0x38 | 1 << 21,
            config1: 0x1c00,
            config2: 0x1e00,
            ..Words::default()
        };
        at.add(&bus, 1, &parse(&LINK, &message).map_err(|_| EINVAL)?, false)?;
        at.start(&bus, 1)?;
        put(&mut at, &bus, 2, 0x14, false)?;
        Ok((bus, at))
    }

    #[test]
    fn filters_in_a_function_of_their_own_are_looked_at() -> Result {
        let (bus, mut at) = linked()?;
        bus.filters().set(MASK, 0);
        at.stop(&bus, 2);
        assert!(!at.has_tampered());
        at.stop(&bus, 1);
        let expected = Change {
            register: Register::Filter(MASK),
            written: 0x1e00,
            found: 0,
        };
        assert_eq!(at.take_tampered().map(|event| event.change), Some(expected));
        assert_eq!(bus.filters().get(MASK), 0x1e00);
        assert!(!at.lacks_filters() && !at.is_tampered(2));
        Ok(())
    }

    #[test]
    fn filters_that_do_not_answer_a_look_are_lost() -> Result {
        for allowed in 0..2 {
            let (bus, mut at) = linked()?;
            bus.filters().fail_after(allowed);
            at.poll(&bus);
            assert!(at.lacks_filters() && !at.has_failed() && !at.has_tampered());
            assert_eq!(at.start(&bus, 1), Err(ENODEV));
            assert!(at.start(&bus, 2).is_ok());
        }
        Ok(())
    }

    #[test]
    fn filters_that_go_are_looked_at_as_long_as_they_answer() -> Result {
        let (bus, mut at) = linked()?;
        bus.filters().set(MASK, 0);
        at.lose_filters(&bus);
        assert!(at.is_tampered(1) && at.lacks_filters());
        Ok(())
    }

    #[test]
    fn bits_that_are_not_kept_are_not_compared() -> Result {
        let bus = Fake::new()?;
        bus.narrow(FILTER[0], 8);
        let (bus, mut at) = come(bus, &KIND, Reach::Own)?;
        put(&mut at, &bus, 1, LOOKUP, false)?;
        assert_eq!(bus.get(FILTER[0]), 0);
        at.poll(&bus);
        assert!(!at.has_tampered());
        Ok(())
    }

    /// Whatever fails while a change is looked for and answered: nothing is counted that is not
    /// certain.
    #[test]
    fn a_box_that_fails_meanwhile_gives_nothing_out() -> Result {
        for allowed in 0..40 {
            let (bus, mut at) = busy()?;
            advance(&bus, 10);
            at.poll(&bus);
            advance(&bus, 1000);
            tamper(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
            bus.fail_after(allowed);
            at.stop(&bus, 1);
            for owner in 1..=4 {
                assert_eq!(at.remove(&bus, owner), 10);
            }
        }
        Ok(())
    }

    #[test]
    fn a_stop_writes_nothing_but_the_control_register() -> Result {
        let (bus, mut at) = busy()?;
        at.stop(&bus, 1);
        assert!(bus.take_writes().iter().eq(&[Write(CONTROL[3], 0)]));
        Ok(())
    }
}
