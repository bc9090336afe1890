// SPDX-License-Identifier: GPL-2.0

//! Registers that another tool modifies: which events end, which count on, and their counts.

use super::*;
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

mod looks;

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
    let mut at = Numbered::new(kind, filters)?;
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
        Register::Control(offset) | Register::BoxControl(offset) | Register::Counter(offset) => {
            offset
        }
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

#[kunit_tests(uncore_box_modified)]
mod suite {
    use super::*;

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
                    let (bus, mut at) = idle(&KIND)?;
                    at.set_tamper(tamper);
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
}
