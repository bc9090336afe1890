// SPDX-License-Identifier: GPL-2.0

//! Counters of a box on fake registers: the writes and the counts.

use super::*;
use crate::uncore::{
    counter_box::{
        bus::fake::{
            Fake,
            Write, //
        },
        overflow::Watched, //
    },
    overflow_mode::Interrupts,
    request::parser::parse,
    table::field::Words,
    testing::numbered::Numbered, //
};

mod batch;
mod counters;
mod overflow;
mod readback;
mod router;
mod verify;

/// Makes a box that was just reset, with its filter registers among the others.
fn fresh(kind: &'static BoxType) -> Result<(Fake, Numbered)> {
    Ok((Fake::new()?, Numbered::new(kind, FilterLocation::Own)?))
}

/// Parses the request with these words `config`, `config1` and `config2`.
fn request(kind: &'static BoxType, [config, config1, config2]: [u64; 3]) -> Result<Request> {
    let words = Words {
        config,
        config1,
        config2,
        ..Words::default()
    };
    parse(kind, &words).map_err(|_| EINVAL)
}

/// Adds and starts an event with these words.
fn begin(at: &mut Numbered, bus: &Fake, id: u64, words: [u64; 3], grouped: bool) -> Result {
    at.add(bus, id, &request(at.kind(), words)?, grouped)?;
    at.start(bus, id)
}

/// Polls the box, and verifies its registers; the last poll was long ago.
fn poll(at: &mut Numbered, bus: &Fake) {
    at.take_turn(0);
    at.polled_at = 0;
    while at.poll(bus, u64::MAX) {}
}

/// Takes all steps of a box that goes away.
fn retire(at: &mut BoxCounters, bus: &Fake) {
    at.verify_all(bus);
    while at.retire_next(bus) {}
}

/// Services the box in all steps. Returns whether its status shows an overflow.
fn service(at: &mut BoxCounters, bus: &Fake, all: bool) -> bool {
    let overflows = at.service(bus, all);
    while at.rearm(bus, overflows) {}
    overflows != 0
}

/// Measures the box in all steps.
fn measure(at: &mut BoxCounters, bus: &Fake) {
    let has_filters = !at.lacks_filters();
    let measured =
        background::Measured::of(bus, at.kind(), has_filters, Tamper::End, &at.setup.lacking);
    at.set_measured(measured);
}

/// Makes counters interrupt, or not, in all steps.
fn switch(at: &mut BoxCounters, bus: &Fake, interrupts: Interrupts) {
    while at.step_interrupts(bus, interrupts) {}
}

#[kunit_tests(uncore_box)]
mod suite {
    use super::*;
    use crate::uncore::testing::{
        platform::link,
        *, //
    };

    const CLOCK: u64 = 0x00;
    const QUEUE: u64 = 0x0111;
    const DEPENDENT: u64 = 0x1f;
    const RING: u64 = 0x031b;
    const LOOKUP: u64 = 0x0334;
    const LEFT: u64 = 0x40;
    const TICKS: u64 = 0xff;
    const FREE: u64 = 0xfe;

    /// An event of the link that uses filters.
    const MESSAGE: u64 = 0x38 | 1 << 21;

    /// Events of the gate.
    const PASSED: u64 = 0x002;
    const PASSED_TICKS: u64 = 0x3be;

    /// Adds and starts a grouped event.
    fn put(at: &mut Numbered, bus: &Fake, id: u64, config: u64) -> Result {
        begin(at, bus, id, [config, 0, 0], true)
    }

    /// Adds a grouped event, which does not start.
    fn add(at: &mut Numbered, bus: &Fake, id: u64, config: u64) -> Result {
        at.add(bus, id, &request(at.kind(), [config, 0, 0])?, true)
    }

    #[test]
    fn starts_write_whole_words_and_freeze_a_group_once() -> Result {
        // Type of the box, whether the events are grouped, their words, and the writes.
        let rows: [(&'static BoxType, bool, &[u64], &[Write]); 5] = [
            (
                &KIND,
                true,
                &[CLOCK, LOOKUP, TICKS],
                &[
                    Write(BOX_CONTROL, FREEZE),
                    Write(CONTROL[3], CLOCK | ENABLE),
                    Write(FILTER[0], 0x3f00),
                    Write(CONTROL[1], LOOKUP | ENABLE),
                    Write(FIXED_CONTROL, ENABLE),
                    Write(BOX_CONTROL, UNFREEZE),
                ],
            ),
            // The first event of a box releases it.
            (
                &KIND,
                false,
                &[CLOCK, LEFT],
                &[
                    Write(BOX_CONTROL, UNFREEZE),
                    Write(CONTROL[3], CLOCK | ENABLE),
                    Write(CONTROL[2], LEFT | ENABLE),
                ],
            ),
            // A counter that always runs is not frozen.
            (&KIND, false, &[FREE], &[]),
            (
                &UNFROZEN,
                true,
                &[CLOCK],
                &[Write(CONTROL[3], CLOCK | ENABLE)],
            ),
            // The box control enables the counters. What they hold may be misread.
            (
                &GATE,
                true,
                &[PASSED, PASSED_TICKS],
                &[
                    Write(gate::BOX_CONTROL, 0),
                    Write(gate::COUNTER[0], gate::MISREAD.values),
                    Write(gate::CONTROL[0], PASSED | u64::from(gate::ENABLE)),
                    Write(gate::FIXED_COUNTER, gate::MISREAD.values),
                    Write(gate::FIXED_CONTROL, 1),
                    Write(gate::BOX_CONTROL, gate::ALL_RUN.into()),
                ],
            ),
        ];
        for (kind, grouped, events, expected) in rows {
            let (bus, mut at) = fresh(kind)?;
            at.begin();
            for (id, config) in (1..).zip(events) {
                begin(&mut at, &bus, id, [*config, 0, 0], grouped)?;
            }
            at.end(&bus);
            assert!(bus.take_writes().iter().eq(expected));
        }
        Ok(())
    }

    #[test]
    fn a_box_that_groups_have_frozen_for_too_long_is_not_frozen() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        at.set_frozen_limit(5);
        bus.stop_clock();
        let starts = [Write(CONTROL[3], CLOCK | ENABLE)];
        let freeze = [Write(BOX_CONTROL, FREEZE)];
        let unfreeze = [Write(BOX_CONTROL, UNFREEZE)];
        let frozen = [&freeze[..], &starts, &unfreeze].into_iter().flatten();
        for (wait_ms, is_frozen) in [(0, true), (0, false), (1000, true)] {
            bus.wait(wait_ms);
            at.begin();
            put(&mut at, &bus, 1, CLOCK)?;
            bus.wait(8);
            at.end(&bus);
            let writes = bus.take_writes();
            if is_frozen {
                assert!(writes.iter().eq(frozen.clone()));
            } else {
                assert!(writes.iter().eq(&starts));
            }
            // It is told once.
            assert_eq!(at.take_reached_limit(), !is_frozen);
            at.remove(&bus, 1);
            bus.take_writes();
        }
        Ok(())
    }

    /// Events on counters 3, 2 and 1 make room for one that needs counter 2 or 3.
    #[test]
    fn moves_happen_while_the_box_is_frozen() -> Result {
        for (others, grouped) in [(true, true), (true, false), (false, true)] {
            let (bus, mut at) = fresh(&KIND)?;
            for (id, config) in [(1, CLOCK), (2, LEFT), (3, LEFT)] {
                begin(&mut at, &bus, id, [config, 0, 0], others)?;
            }
            bus.take_writes();
            begin(&mut at, &bus, 4, [RING, 0, 0], grouped)?;
            let writes = bus.take_writes();
            assert_eq!(writes.first(), Some(&Write(BOX_CONTROL, FREEZE)));
            assert!(writes.contains(&Write(CONTROL[0], CLOCK | ENABLE)));
            assert!(writes.contains(&Write(CONTROL[3], RING | ENABLE)));
            assert_eq!(bus.get(BOX_CONTROL), UNFREEZE);
        }
        Ok(())
    }

    #[test]
    fn a_start_clears_filters_that_no_event_uses_any_more() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, LOOKUP)?;
        at.remove(&bus, 1);
        assert_eq!(bus.get(FILTER[0]), 0x3f00);
        put(&mut at, &bus, 2, CLOCK)?;
        assert_eq!(bus.get(FILTER[0]), 0);
        Ok(())
    }

    #[test]
    fn what_is_shown_stays_selected_until_nobody_shows_it() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        assert_eq!(add(&mut at, &bus, 2, DEPENDENT), Err(EAGAIN));
        // The first slot is free again.
        put(&mut at, &bus, 6, LEFT)?;
        put(&mut at, &bus, 1, QUEUE)?;
        put(&mut at, &bus, 2, DEPENDENT)?;
        at.remove(&bus, 6);
        bus.advance(&KIND, COUNTER[0], 50);
        assert_eq!(at.remove(&bus, 1), 50);
        assert_eq!(bus.get(CONTROL[0]), QUEUE | ENABLE);
        // Its counter is still taken, except for an event with an equal request.
        assert_eq!(add(&mut at, &bus, 3, 0x0411), Err(EAGAIN));
        bus.advance(&KIND, COUNTER[0], 1000);
        put(&mut at, &bus, 4, QUEUE)?;
        bus.advance(&KIND, COUNTER[0], 5);
        assert_eq!(at.remove(&bus, 4), 5);
        at.remove(&bus, 2);
        assert_eq!(bus.get(CONTROL[0]), 0);
        put(&mut at, &bus, 5, 0x0411)?;
        assert_eq!(bus.get(CONTROL[0]), 0x0411 | ENABLE);
        Ok(())
    }

    #[test]
    fn what_is_shown_without_filters_counts_on_when_their_function_goes() -> Result {
        let apart = FilterLocation::Function(());
        let (bus, mut at) = (Fake::with_filters()?, Numbered::new(&KIND, apart)?);
        for (id, config) in [(1, QUEUE), (2, DEPENDENT), (3, LOOKUP)] {
            begin(&mut at, &bus, id, [config, 0, 0], false)?;
        }
        at.lose_filters(&bus);
        for (control, counter) in CONTROL.into_iter().zip(COUNTER) {
            if bus.get(control) != 0 {
                bus.set(counter, 5);
            }
        }
        assert_eq!([1, 2, 3].map(|id| at.read(&bus, id)), [5, 5, 0]);
        Ok(())
    }

    /// A function drops what is written and gives one value for all reads, or fails at an access.
    #[test]
    fn filters_that_do_not_take_their_values_are_lost_alone() -> Result {
        const CLOCK: u64 = 0x14;
        let silent = [0, u64::MAX, 0x1c00].map(|reads| (Some(reads), u32::MAX));
        let failing = [0, 1, 2, 3].map(|allowed| (None, allowed));
        for (reads, allowed) in Iterator::chain(silent.into_iter(), failing) {
            let apart = FilterLocation::Function(());
            let (bus, mut at) = (Fake::with_filters()?, Numbered::new(&LINK, apart)?);
            begin(&mut at, &bus, 2, [CLOCK, 0, 0], false)?;
            if let Some(reads) = reads {
                bus.filters().silence(reads);
            }
            bus.filters().fail_after(allowed);
            at.add(&bus, 1, &request(&LINK, [MESSAGE, 0x1800, 0x1e00])?, false)?;
            assert_eq!(at.start(&bus, 1), Err(ENODEV));
            assert!(at.lacks_filters() && !at.has_failed());
            let mut controls = link::CONTROL.iter().map(|&control| bus.get(control));
            assert!(controls.all(|word| word & MESSAGE != MESSAGE));
            for counter in link::COUNTER {
                bus.advance(&LINK, counter, 11);
            }
            assert_eq!([1, 2].map(|id| at.remove(&bus, id)), [0, 11]);
        }
        Ok(())
    }

    #[test]
    fn filters_of_its_own_that_fail_are_the_end_of_the_box() -> Result {
        let (bus, mut at) = fresh(&LINK)?;
        at.add(&bus, 1, &request(&LINK, [MESSAGE, 0x1c00, 0x1f80])?, false)?;
        bus.deny(link::MATCH);
        assert_eq!(at.start(&bus, 1), Err(ENODEV));
        assert!(at.has_failed());
        Ok(())
    }

    /// Adds, reads and removes three events, and returns their counts. Accesses may fail.
    fn life(bus: &Fake, at: &mut Numbered) -> Result<[u64; 3]> {
        let mut counts = [0; 3];
        at.begin();
        for (id, config) in (0..).zip([CLOCK, LOOKUP, TICKS]) {
            put(at, bus, id, config)?;
        }
        at.end(bus);
        for counter in Iterator::chain(COUNTER.iter(), &[FIXED_COUNTER]) {
            bus.set(*counter, 40);
        }
        for (id, count) in (0..).zip(&mut counts) {
            *count = at.read(bus, id);
        }
        poll(at, bus);
        at.begin();
        for (id, count) in (0..).zip(&mut counts) {
            *count += at.remove(bus, id);
        }
        at.end(bus);
        Ok(counts)
    }

    #[test]
    fn a_box_that_fails_never_counts_wrong() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        assert_eq!(life(&bus, &mut at)?, [40; 3]);
        assert!(!at.has_failed());
        let accesses = bus.reads() + bus.take_writes().len() as u32;
        for allowed in 0..accesses {
            let (bus, mut at) = fresh(&KIND)?;
            bus.fail_after(allowed);
            let counts = life(&bus, &mut at).unwrap_or([0; 3]);
            assert!(counts.iter().all(|&count| count == 0 || count == 40));
            assert!(at.has_failed());
            assert!(!at.poll(&bus, 0));
            assert_eq!(at.watched(&bus), Watched::default());
            assert_eq!(add(&mut at, &bus, 9, CLOCK), Err(ENODEV));
            assert_eq!(at.read(&bus, 0), 0);
        }
        Ok(())
    }

    #[test]
    fn a_box_that_is_about_to_go_counts_on_and_takes_nobody() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, CLOCK)?;
        at.close();
        assert_eq!(add(&mut at, &bus, 2, CLOCK), Err(ENODEV));
        bus.advance(&KIND, COUNTER[3], 12);
        assert_eq!(at.remove(&bus, 1), 12);
        assert!(!at.has_failed());
        Ok(())
    }

    #[test]
    fn a_box_that_retires_has_its_counts_and_is_left_alone() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, CLOCK)?;
        bus.advance(&KIND, COUNTER[3], 12);
        retire(&mut at, &bus);
        assert_eq!(bus.get(CONTROL[3]), 0);
        assert_eq!(bus.get(BOX_CONTROL), UNFREEZE);
        bus.take_writes();
        assert_eq!(at.remove(&bus, 1), 12);
        assert!(bus.take_writes().is_empty());
        assert_eq!(add(&mut at, &bus, 2, CLOCK), Err(ENODEV));
        Ok(())
    }
}
