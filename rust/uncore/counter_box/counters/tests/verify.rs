// SPDX-License-Identifier: GPL-2.0

//! Registers that another tool modifies: which events end, which count on, and their counts.

use kernel::prelude::*;

#[kunit_tests(uncore_box_look)]
mod suite {
    use super::super::*;
    use crate::uncore::{
        counter_box::modified::{
            ModifiedRegister,
            Register, //
        },
        options::Tamper,
        table::box_type::Place,
        testing::{
            platform::link::{
                self,
                MASK, //
            },
            *, //
        }, //
    };

    const CLOCK: u64 = 0x00;
    const QUEUE: u64 = 0x0111;
    const DEPENDENT: u64 = 0x1f;
    const RING: u64 = 0x031b;
    const LOOKUP: u64 = 0x0334;
    const INSERT: u64 = 0x0135;
    const LEFT: u64 = 0x40;
    const TICKS: u64 = 0xff;
    const FREE: u64 = 0xfe;

    /// An opcode for [`INSERT`], and the filter register with it.
    const OPCODE: u64 = 0x80 << 48;
    const OPCODE_FILTER: u64 = 0x0080_0000;

    /// Events of a [`busy`] box and their counter registers. The numbers of the events begin at 1.
    const BUSY: [(u64, u16); 5] = [
        (CLOCK, COUNTER[3]),
        (LOOKUP, COUNTER[1]),
        (TICKS, FIXED_COUNTER),
        (INSERT, COUNTER[0]),
        (FREE, FREE_COUNTER),
    ];

    /// Makes a box that was just attached and has no event. It is too large for the stack.
    fn attached(
        bus: Fake,
        kind: &'static BoxType,
        filters: FilterLocation<()>,
    ) -> Result<(Fake, Numbered)> {
        let mut at = fresh(kind, filters)?;
        measure(&mut at, &bus);
        bus.take_writes();
        Ok((bus, at))
    }

    /// Makes a box that was just attached, with its filter registers among the others.
    fn idle(kind: &'static BoxType) -> Result<(Fake, Numbered)> {
        attached(Fake::new()?, kind, FilterLocation::Own)
    }

    /// Adds and starts an event.
    fn put(at: &mut Numbered, bus: &Fake, id: u64, config: u64, grouped: bool) -> Result {
        let config1 = if config == INSERT { OPCODE } else { 0 };
        begin(at, bus, id, [config, config1, 0], grouped)
    }

    /// Makes a box on which an event of each kind counts.
    fn busy() -> Result<(Fake, Numbered)> {
        let (bus, mut at) = idle(&KIND)?;
        for (id, (config, _)) in (1..).zip(BUSY) {
            put(&mut at, &bus, id, config, false)?;
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

    /// Returns the offset of a register.
    fn offset(register: Register) -> u16 {
        match register {
            Register::Control(offset)
            | Register::BoxControl(offset)
            | Register::Counter(offset) => offset,
            Register::Filter(place) => place.offset().unwrap_or(0),
        }
    }

    /// The filter register at this offset.
    const fn filter(offset: u16) -> Register {
        Register::Filter(Place::Offset(offset))
    }

    /// Modifies a register, and returns the record that verification must make.
    fn modify(bus: &Fake, register: Register, value: u64) -> ModifiedRegister {
        let at = offset(register);
        let written = bus.get(at);
        bus.set(at, value);
        ModifiedRegister {
            register,
            written,
            found: value,
        }
    }

    /// Modifications and the events that they end.
    const CASES: [(Register, u64, &[u64]); 9] = [
        // Another event, no event, a disabled counter, a counter of edges.
        (Register::Control(CONTROL[3]), 0x0040_0011, &[1]),
        (Register::Control(CONTROL[3]), 0, &[1]),
        (Register::Control(CONTROL[1]), 0x0334, &[2]),
        (Register::Control(CONTROL[0]), 0x0044_0135, &[4]),
        (Register::Control(FIXED_CONTROL), 0, &[3]),
        (filter(FILTER[0]), 0x0100, &[2]),
        (filter(FILTER[1]), 0x0081_0000, &[4]),
        // A counter that always runs counts on in a frozen box.
        (Register::BoxControl(BOX_CONTROL), FREEZE, &[1, 2, 3, 4]),
        (Register::BoxControl(BOX_CONTROL), 0, &[1, 2, 3, 4]),
    ];

    /// Returns whether these events have ended, and each was recorded once with the register.
    fn ended_by(at: &mut Numbered, register: ModifiedRegister, ids: &[u64]) -> bool {
        let mut recorded = 0;
        let mut same = true;
        while let Some(event) = at.take_modified_event() {
            recorded += 1;
            same &= event.register == register;
        }
        let mut all = (1..).zip(BUSY).map(|(id, _)| id);
        same && recorded == ids.len()
            && !at.has_modified_event()
            && all.all(|id| at.is_modified(id) == ids.contains(&id))
    }

    #[test]
    fn a_timer_finds_a_change_of_each_register() -> Result {
        for (register, value, ids) in CASES {
            let (bus, mut at) = busy()?;
            advance(&bus, 10);
            poll(&mut at, &bus);
            assert!(!at.has_modified_event());
            advance(&bus, 7);
            let modified = modify(&bus, register, value);
            advance(&bus, 1000);
            poll(&mut at, &bus);
            assert!(at.has_modified_event() && at.holds_modified_event());
            assert!(ended_by(&mut at, modified, ids));
            advance(&bus, 500);
            for (id, _) in (1..).zip(BUSY) {
                let ended = ids.contains(&id);
                let expected = if ended { 10 } else { 1517 };
                assert_eq!((id, at.read(&bus, id)), (id, expected));
                assert_eq!(at.start(&bus, id).is_err(), ended);
            }
        }
        Ok(())
    }

    #[test]
    fn an_event_that_stops_finds_a_change_of_what_it_needs() -> Result {
        for (register, value, ids) in CASES {
            for (id, _) in (1..).zip(BUSY) {
                let (bus, mut at) = busy()?;
                advance(&bus, 10);
                poll(&mut at, &bus);
                let modified = modify(&bus, register, value);
                advance(&bus, 1000);
                let finds = ids.contains(&id);
                at.stop(&bus, id);
                let ended: &[u64] = if finds { ids } else { &[] };
                assert!(ended_by(&mut at, modified, ended));
                let expected = if finds { 10 } else { 1010 };
                assert_eq!((id, at.remove(&bus, id)), (id, expected));
            }
        }
        Ok(())
    }

    #[test]
    fn what_was_read_is_not_taken_back() -> Result {
        let (bus, mut at) = busy()?;
        advance(&bus, 10);
        modify(&bus, Register::Control(CONTROL[3]), 0);
        advance(&bus, 1000);
        assert_eq!(at.read(&bus, 1), 1010);
        advance(&bus, 5);
        poll(&mut at, &bus);
        assert_eq!(at.remove(&bus, 1), 0);
        assert_eq!(at.remove(&bus, 2), 1015);
        Ok(())
    }

    #[test]
    fn what_comes_after_counts_exactly() -> Result {
        for (register, value, ids) in CASES {
            let (bus, mut at) = busy()?;
            modify(&bus, register, value);
            poll(&mut at, &bus);
            let shared = [FILTER[0], FILTER[1], BOX_CONTROL].map(|register| bus.get(register));
            assert_eq!(shared, [0x3f00, OPCODE_FILTER, UNFREEZE]);
            for id in ids {
                at.remove(&bus, *id);
            }
            assert!(!at.holds_modified_event());
            for (id, (config, _)) in (1..).zip(BUSY) {
                if ids.contains(&id) {
                    put(&mut at, &bus, id + 10, config, false)?;
                    advance(&bus, 33);
                    assert_eq!((id, at.remove(&bus, id + 10)), (id, 33));
                }
            }
        }
        Ok(())
    }

    #[test]
    fn all_registers_that_were_modified_are_found_at_once() -> Result {
        const SHARED: [Register; 3] = [
            filter(FILTER[0]),
            filter(FILTER[1]),
            Register::BoxControl(BOX_CONTROL),
        ];
        let (bus, mut at) = busy()?;
        for register in SHARED {
            modify(&bus, register, 0);
        }
        let modified = modify(&bus, Register::Control(CONTROL[3]), 0);
        poll(&mut at, &bus);
        let shared = SHARED.map(|register| bus.get(offset(register)));
        assert_eq!(shared, [0x3f00, OPCODE_FILTER, UNFREEZE]);
        let first = at.take_modified_event().map(|event| event.register);
        assert_eq!(first, Some(modified));
        let ended = (1..).zip(BUSY).filter(|&(id, _)| at.is_modified(id));
        assert!(ended.map(|(id, _)| id).eq([1, 2, 3, 4]));
        Ok(())
    }

    /// Makes a box that was just attached and has no event, with this treatment.
    fn idle_with(tamper: Tamper) -> Result<(Fake, Numbered)> {
        let (bus, mut at) = (Fake::new()?, fresh(&KIND, FilterLocation::Own)?);
        at.set_tamper(tamper);
        measure(&mut at, &bus);
        Ok((bus, at))
    }

    /// Makes a [`busy`] box with this treatment.
    fn busy_with(tamper: Tamper) -> Result<(Fake, Numbered)> {
        let (bus, mut at) = idle_with(tamper)?;
        for (id, (config, _)) in (1..).zip(BUSY) {
            put(&mut at, &bus, id, config, false)?;
        }
        Ok((bus, at))
    }

    #[test]
    fn a_warning_is_given_once_for_an_event() -> Result {
        let (bus, mut at) = idle_with(Tamper::Warn)?;
        for known in [false, true] {
            if known {
                at.add_again(&bus, 1)?;
                at.start(&bus, 1)?;
            } else {
                put(&mut at, &bus, 1, LOOKUP, false)?;
            }
            for first in [true, false] {
                modify(&bus, filter(FILTER[0]), 0);
                poll(&mut at, &bus);
                assert_eq!(at.take_modified_event().is_some(), first && !known);
                assert_eq!(bus.get(FILTER[0]), 0x3f00);
            }
            at.remove(&bus, 1);
        }
        Ok(())
    }

    #[test]
    fn without_verification_no_register_is_read_but_counters() -> Result {
        let (bus, mut at) = busy_with(Tamper::Off)?;
        for (register, value, _) in CASES {
            modify(&bus, register, value);
        }
        bus.take_writes();
        let before = bus.reads();
        poll(&mut at, &bus);
        for (id, _) in (1..).zip(BUSY) {
            at.stop(&bus, id);
        }
        // The poll reads each counter, and so does each stop.
        assert_eq!(bus.reads() - before, 10);
        assert!(!at.has_modified_event());
        Ok(())
    }

    /// Treatments, with whether the event ends and whether that is told.
    const TREATMENTS: [(Tamper, bool, bool); 3] = [
        (Tamper::End, true, true),
        (Tamper::Warn, false, true),
        (Tamper::Off, false, false),
    ];

    /// Reads an event twice without the lock, which finds nothing, and then has the registers looked
    /// at; or polls, or stops the event.
    const WAYS: [fn(&mut Numbered, &Fake) -> u64; 3] = [
        |at, bus| {
            let found = at.read(bus, 1) + at.read(bus, 1);
            assert!(at.event(1).is_some_and(|event| event.reach.take_look()));
            at.read_all(bus);
            at.verify_all(bus);
            found
        },
        |at, bus| {
            poll(at, bus);
            0
        },
        |at, bus| {
            at.stop(bus, 1);
            0
        },
    ];

    /// Values of a counter of 44 bits, and others to which it cannot have counted.
    const STEPS: [(u64, u64); 5] = [
        (1_000_000, 0),
        (1_000_000, 999_999),
        (1_000_000, (1 << 43) + 1_000_000),
        // From the upper half of its range.
        (3 << 42, 0),
        (3 << 42, 17),
    ];

    #[test]
    fn a_counter_that_another_tool_has_changed_is_no_count() -> Result {
        for (tamper, ends, told) in TREATMENTS {
            for way in WAYS {
                for (value, changed) in STEPS {
                    let (bus, mut at) = idle_with(tamper)?;
                    bus.set(COUNTER[3], value - 1000);
                    put(&mut at, &bus, 1, CLOCK, false)?;
                    bus.set(COUNTER[3], value);
                    assert_eq!(at.read(&bus, 1), 1000);
                    let modified = modify(&bus, Register::Counter(COUNTER[3]), changed);
                    assert_eq!(way(&mut at, &bus), 0);
                    let event = at.take_modified_event();
                    assert_eq!(event.map(|event| event.register), told.then_some(modified));
                    assert_eq!((at.is_modified(1), at.is_warned(1)), (ends, told && !ends));
                    if at.start(&bus, 1).is_err() {
                        assert!(ends);
                        assert_eq!(at.remove(&bus, 1), 0);
                        continue;
                    }
                    assert!(!ends);
                    bus.set(COUNTER[3], changed + 50);
                    assert_eq!(at.read(&bus, 1), 50);
                    assert_eq!(at.remove(&bus, 1), 0);
                }
            }
        }
        Ok(())
    }

    /// Counts that were read before the counter was changed, and not verified, are discarded as with
    /// any other register.
    #[test]
    fn a_changed_counter_ends_an_event_with_its_last_verified_count() -> Result {
        let (bus, mut at) = busy()?;
        advance(&bus, 17);
        poll(&mut at, &bus);
        advance(&bus, 1000);
        at.read_all(&bus);
        bus.set(COUNTER[1], 0);
        at.read_all(&bus);
        assert!(at.is_modified(2) && !at.is_modified(1));
        assert_eq!(at.remove(&bus, 2), 17);
        assert_eq!(at.remove(&bus, 1), 1017);
        Ok(())
    }

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

    /// If the hardware shows the freeze of the package in each box, nobody has modified anything.
    #[test]
    fn a_freeze_that_the_driver_cannot_end_ends_no_event() -> Result {
        let (bus, mut at) = busy()?;
        bus.stick_in(BOX_CONTROL, 1 << 8);
        poll(&mut at, &bus);
        assert!(!at.has_modified_event() && !at.holds_modified_event());
        bus.stick_in(BOX_CONTROL, 0);
        modify(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
        poll(&mut at, &bus);
        assert!(at.has_modified_event());
        Ok(())
    }

    #[test]
    fn bits_that_do_not_read_back_end_no_event() -> Result {
        for hidden in [ENABLE, FREEZE, 0xff00_0000] {
            let bus = Fake::new()?;
            bus.hide(hidden);
            let (bus, mut at) = attached(bus, &KIND, FilterLocation::Own)?;
            for (id, (config, _)) in (1..).zip(BUSY) {
                put(&mut at, &bus, id, config, false)?;
            }
            poll(&mut at, &bus);
            for id in 1..=5 {
                at.stop(&bus, id);
            }
            assert!(!at.has_modified_event());
        }
        Ok(())
    }

    #[test]
    fn what_ended_is_left_with_nothing_selected() -> Result {
        let (bus, mut at) = busy()?;
        modify(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
        poll(&mut at, &bus);
        for register in Iterator::chain(CONTROL.iter(), &[FIXED_CONTROL]) {
            assert_eq!(bus.get(*register), 0);
        }
        bus.take_writes();
        for id in 1..=5 {
            at.remove(&bus, id);
        }
        assert!(bus.take_writes().is_empty());
        Ok(())
    }

    /// Returns the numbers of reads and writes of `f`.
    fn accesses(
        bus: &Fake,
        at: &mut Numbered,
        f: impl FnOnce(&mut Numbered) -> Result,
    ) -> Result<(u32, usize)> {
        bus.take_writes();
        let before = bus.reads();
        f(at)?;
        Ok((bus.reads() - before, bus.take_writes().len()))
    }

    #[test]
    fn a_look_costs_an_access_for_each_register() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        let lookup = request(&KIND, [LOOKUP, 0, 0])?;
        at.add(&bus, 1, &lookup, false)?;
        // Reads the counter; writes box control, filter, control.
        let start = accesses(&bus, &mut at, |at| at.start(&bus, 1))?;
        assert_eq!(start, (1, 3));
        let read = accesses(&bus, &mut at, |at| {
            at.read(&bus, 1);
            Ok(())
        })?;
        assert_eq!(read, (1, 0));
        // Reads counter, control, filter, box control.
        let poll = accesses(&bus, &mut at, |at| {
            poll(at, &bus);
            Ok(())
        })?;
        assert_eq!(poll, (4, 0));
        let stop = accesses(&bus, &mut at, |at| {
            at.stop(&bus, 1);
            Ok(())
        })?;
        assert_eq!(stop, (4, 1));
        // A counter that always runs has no register to verify.
        put(&mut at, &bus, 2, FREE, false)?;
        let stop = accesses(&bus, &mut at, |at| {
            at.stop(&bus, 2);
            Ok(())
        })?;
        assert_eq!(stop, (1, 0));
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
            let start = accesses(&bus, &mut at, |at| at.start(&bus, 9))?;
            assert_eq!(start, expected);
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
    fn what_shows_a_queue_counts_on_when_another_event_ends() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        for (id, config) in [(1, QUEUE), (2, LEFT), (3, DEPENDENT)] {
            put(&mut at, &bus, id, config, false)?;
        }
        modify(&bus, Register::Control(CONTROL[2]), 0);
        poll(&mut at, &bus);
        assert!(at.is_modified(2) && !at.is_modified(1) && !at.is_modified(3));
        Ok(())
    }

    #[test]
    fn as_many_events_as_a_box_has_can_end_at_once() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        for (id, config) in (1..).zip([CLOCK, CLOCK, CLOCK, CLOCK, TICKS]) {
            put(&mut at, &bus, id, config, false)?;
        }
        modify(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
        poll(&mut at, &bus);
        let ended = core::iter::from_fn(|| at.take_modified_event());
        assert_eq!(ended.count(), 5);
        Ok(())
    }

    #[test]
    fn a_log_that_is_late_is_of_as_many_events_as_a_box_can_have() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        for id in 0..20 {
            put(&mut at, &bus, id, CLOCK, false)?;
            modify(&bus, Register::Control(CONTROL[3]), 0);
            at.remove(&bus, id);
        }
        let recorded = core::iter::from_fn(|| at.take_modified_event()).count();
        // Eight general and five fixed counters.
        assert_eq!(recorded, 8 + 5);
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
        begin(&mut at, &bus, 1, [0x38 | 1 << 21, 0x1c00, 0x1e00], false)?;
        bus.filters().set(MASK, 0);
        poll(&mut at, &bus);
        assert!(at.is_modified(1));
        Ok(())
    }

    #[test]
    fn an_enable_bit_of_the_box_that_was_cleared_is_found() -> Result {
        const PASSED: u64 = 0x002;
        let (bus, mut at) = idle(&GATE)?;
        put(&mut at, &bus, 1, PASSED, false)?;
        poll(&mut at, &bus);
        assert!(!at.is_modified(1));
        let cleared = u64::from(gate::ALL_RUN & !0b01);
        modify(&bus, Register::BoxControl(gate::BOX_CONTROL), cleared);
        poll(&mut at, &bus);
        assert!(at.is_modified(1));
        assert_eq!(bus.get(gate::BOX_CONTROL), u64::from(gate::ALL_RUN));
        Ok(())
    }

    #[test]
    fn one_of_four_polls_looks_at_the_registers() -> Result {
        for turn in 0..4 {
            let (bus, mut at) = idle(&KIND)?;
            put(&mut at, &bus, 1, CLOCK, false)?;
            at.take_turn(turn);
            let mut poll = |bus: &Fake| {
                at.polled_at = 0;
                while at.poll(bus, u64::MAX) {}
                at.is_modified(1)
            };
            (0..=turn).for_each(|_| assert!(!poll(&bus)));
            modify(&bus, Register::Control(CONTROL[3]), 0x0077);
            (0..3).for_each(|_| assert!(!poll(&bus)));
            assert!(poll(&bus));
        }
        Ok(())
    }

    #[test]
    fn an_event_that_stops_at_once_is_not_looked_at() -> Result {
        for (ms, found) in [(99, false), (100, true)] {
            let (bus, mut at) = idle(&KIND)?;
            bus.stop_clock();
            put(&mut at, &bus, 1, CLOCK, false)?;
            modify(&bus, Register::Control(CONTROL[3]), 0x0077);
            bus.set(COUNTER[3], 5);
            bus.wait(ms);
            at.stop(&bus, 1);
            assert_eq!((at.is_modified(1), at.read(&bus, 1) == 5), (found, !found));
            assert_eq!(bus.get(CONTROL[3]), 0);
        }
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
    fn what_shows_another_event_ends_with_it() -> Result {
        for (config, ends) in [(QUEUE, true), (DEPENDENT, false)] {
            let (bus, mut at) = idle(&KIND)?;
            put(&mut at, &bus, 1, QUEUE, false)?;
            put(&mut at, &bus, 2, DEPENDENT, false)?;
            let register = CONTROL
                .into_iter()
                .find(|at| bus.get(*at) == config | ENABLE);
            modify(
                &bus,
                Register::Control(register.ok_or(EINVAL)?),
                0x0040_0000,
            );
            at.stop(&bus, 2);
            assert!(at.is_modified(2));
            assert_eq!(at.is_modified(1), ends);
        }
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
    fn nothing_is_shown_of_an_event_that_has_ended() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, QUEUE, false)?;
        at.add(&bus, 2, &request(&KIND, [DEPENDENT, 0, 0])?, false)?;
        modify(&bus, Register::Control(CONTROL[0]), 0);
        poll(&mut at, &bus);
        assert_eq!(at.start(&bus, 2), Err(ENODEV));
        assert!(!at.is_modified(2));
        Ok(())
    }

    #[test]
    fn an_event_that_is_shown_while_it_stands_does_not_hide_a_change() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        put(&mut at, &bus, 1, QUEUE, false)?;
        put(&mut at, &bus, 2, DEPENDENT, false)?;
        at.stop(&bus, 1);
        modify(&bus, Register::Control(CONTROL[0]), 0);
        assert_eq!(at.start(&bus, 1), Err(ENODEV));
        assert!(at.is_modified(1) && at.is_modified(2));
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
    fn an_event_that_moves_does_not_take_a_change_with_it() -> Result {
        let (bus, mut at) = idle(&KIND)?;
        for (id, config) in [(1, CLOCK), (2, LEFT), (3, LEFT)] {
            put(&mut at, &bus, id, config, false)?;
        }
        modify(&bus, Register::Control(CONTROL[3]), 0x0040_0011);
        bus.set(COUNTER[3], 99);
        put(&mut at, &bus, 4, RING, false)?;
        assert!(at.is_modified(1) && !at.is_modified(4));
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
    fn a_box_that_retires_drops_what_is_not_certain() -> Result {
        let (bus, mut at) = busy()?;
        advance(&bus, 10);
        modify(&bus, Register::Control(CONTROL[3]), 0);
        retire(&mut at, &bus);
        assert_eq!([1, 2].map(|id| at.remove(&bus, id)), [0, 10]);
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
            poll(&mut at, &bus);
            assert!(!at.has_modified_event());
        }
        Ok(())
    }

    /// Makes a link with filter registers in a PCI function of their own. Event 1 counts with
    /// filters, event 2 without.
    fn linked() -> Result<(Fake, Numbered)> {
        let (bus, mut at) = attached(Fake::with_filters()?, &LINK, FilterLocation::Function(()))?;
        begin(&mut at, &bus, 1, [0x38 | 1 << 21, 0x1c00, 0x1e00], false)?;
        put(&mut at, &bus, 2, 0x14, false)?;
        Ok((bus, at))
    }

    #[test]
    fn filters_in_a_function_of_their_own_are_looked_at() -> Result {
        let (bus, mut at) = linked()?;
        bus.filters().set(MASK, 0);
        at.stop(&bus, 2);
        assert!(!at.has_modified_event());
        at.stop(&bus, 1);
        let expected = ModifiedRegister {
            register: filter(MASK),
            written: 0x1e00,
            found: 0,
        };
        assert_eq!(
            at.take_modified_event().map(|event| event.register),
            Some(expected)
        );
        assert_eq!(bus.filters().get(MASK), 0x1e00);
        assert!(!at.lacks_filters() && !at.is_modified(2));
        Ok(())
    }

    #[test]
    fn filters_that_do_not_answer_a_look_are_lost() -> Result {
        for allowed in 0..2 {
            let (bus, mut at) = linked()?;
            bus.filters().fail_after(allowed);
            poll(&mut at, &bus);
            assert!(at.lacks_filters() && !at.has_failed() && !at.has_modified_event());
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
        assert!(at.is_modified(1) && at.lacks_filters());
        Ok(())
    }

    #[test]
    fn bits_that_are_not_kept_are_not_compared() -> Result {
        let bus = Fake::new()?;
        bus.narrow(FILTER[0], 8);
        let (bus, mut at) = attached(bus, &KIND, FilterLocation::Own)?;
        put(&mut at, &bus, 1, LOOKUP, false)?;
        assert_eq!(bus.get(FILTER[0]), 0);
        poll(&mut at, &bus);
        assert!(!at.has_modified_event());
        Ok(())
    }

    /// Fails each access of a verification that finds a modified register: no unverified count is
    /// given to perf.
    #[test]
    fn a_box_that_fails_meanwhile_gives_nothing_out() -> Result {
        for allowed in 0..40 {
            let (bus, mut at) = busy()?;
            advance(&bus, 10);
            poll(&mut at, &bus);
            advance(&bus, 1000);
            modify(&bus, Register::BoxControl(BOX_CONTROL), FREEZE);
            bus.fail_after(allowed);
            at.stop(&bus, 1);
            for id in 1..=4 {
                assert_eq!(at.remove(&bus, id), 10);
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
