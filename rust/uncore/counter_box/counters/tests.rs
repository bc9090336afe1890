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
mod filters;
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
    use crate::uncore::testing::*;

    const CLOCK: u64 = 0x00;
    const QUEUE: u64 = 0x0111;
    const DEPENDENT: u64 = 0x1f;
    const LOOKUP: u64 = 0x0334;
    const LOOKUP_WHO: u64 = 0x0008_0334;
    const LEFT: u64 = 0x40;
    const TICKS: u64 = 0xff;
    const FREE: u64 = 0xfe;

    /// Adds and starts a grouped event.
    fn put(at: &mut Numbered, bus: &Fake, id: u64, config: u64) -> Result {
        begin(at, bus, id, [config, 0, 0], true)
    }

    /// Adds and starts an event in no group.
    fn put_single(at: &mut Numbered, bus: &Fake, id: u64, config: u64) -> Result {
        begin(at, bus, id, [config, 0, 0], false)
    }

    /// Returns the general counter whose control register has this word.
    fn counter_with(bus: &Fake, config: u64) -> Option<usize> {
        CONTROL
            .iter()
            .position(|&control| bus.get(control) == config | ENABLE)
    }

    #[test]
    fn a_batch_freezes_once_and_writes_whole_words() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        at.begin();
        put(&mut at, &bus, 1, CLOCK)?;
        put(&mut at, &bus, 2, LOOKUP)?;
        put(&mut at, &bus, 3, TICKS)?;
        at.end(&bus);
        let expected = [
            Write(BOX_CONTROL, FREEZE),
            Write(CONTROL[3], CLOCK | ENABLE),
            Write(FILTER[0], 0x3f00),
            Write(CONTROL[1], LOOKUP | ENABLE),
            Write(FIXED_CONTROL, ENABLE),
            Write(BOX_CONTROL, UNFREEZE),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
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

    #[test]
    fn a_batch_without_changes_writes_nothing() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, CLOCK)?;
        bus.take_writes();
        at.begin();
        at.read(&bus, 1);
        poll(&mut at, &bus);
        at.end(&bus);
        assert!(bus.take_writes().is_empty());
        Ok(())
    }

    #[test]
    fn a_change_outside_a_batch_is_a_batch_of_its_own() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, CLOCK)?;
        let expected = [
            Write(BOX_CONTROL, FREEZE),
            Write(CONTROL[3], CLOCK | ENABLE),
            Write(BOX_CONTROL, UNFREEZE),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
        Ok(())
    }

    #[test]
    fn a_box_on_which_nothing_counts_is_released_first() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        bus.set(BOX_CONTROL, FREEZE);
        put_single(&mut at, &bus, 1, CLOCK)?;
        put_single(&mut at, &bus, 2, LEFT)?;
        let expected = [
            Write(BOX_CONTROL, UNFREEZE),
            Write(CONTROL[3], CLOCK | ENABLE),
            Write(CONTROL[2], LEFT | ENABLE),
        ];
        assert!(bus.take_writes().iter().eq(&expected));
        Ok(())
    }

    #[test]
    fn a_counter_that_always_runs_releases_no_box() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put_single(&mut at, &bus, 1, FREE)?;
        assert!(bus.take_writes().is_empty());
        Ok(())
    }

    #[test]
    fn an_event_beside_a_queue_that_is_shown_is_cleared_when_it_stops() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        for (id, config) in [(1, QUEUE), (2, DEPENDENT), (3, CLOCK)] {
            put_single(&mut at, &bus, id, config)?;
        }
        let counter = counter_with(&bus, CLOCK).ok_or(EINVAL)?;
        at.remove(&bus, 3);
        assert_eq!(bus.get(CONTROL[counter]), 0);
        assert_eq!(counter_with(&bus, QUEUE), Some(0));
        Ok(())
    }

    #[test]
    fn a_group_that_has_a_single_event_move_is_frozen_all_the_same() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put_single(&mut at, &bus, 1, CLOCK)?;
        put_single(&mut at, &bus, 2, LEFT)?;
        put_single(&mut at, &bus, 3, LEFT)?;
        put(&mut at, &bus, 4, 0x031b)?;
        let writes = bus.take_writes();
        let frozen = writes
            .iter()
            .position(|write| *write == Write(BOX_CONTROL, FREEZE));
        let moved = writes
            .iter()
            .position(|write| *write == Write(CONTROL[3], 0));
        assert!(frozen.is_some() && frozen < moved);
        Ok(())
    }

    #[test]
    fn a_box_without_control_register_is_not_frozen() -> Result {
        let (bus, mut at) = fresh(&UNFROZEN)?;
        at.begin();
        put(&mut at, &bus, 1, CLOCK)?;
        at.end(&bus);
        let expected = [Write(CONTROL[3], CLOCK | ENABLE)];
        assert!(bus.take_writes().iter().eq(&expected));
        Ok(())
    }

    #[test]
    fn the_fixed_counter_wraps_at_its_own_width() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        bus.set(FIXED_COUNTER, (1 << 40) - 1);
        put(&mut at, &bus, 1, TICKS)?;
        bus.set(FIXED_COUNTER, 1 << 40 | 2);
        assert_eq!(at.remove(&bus, 1), 3);
        assert_eq!(bus.get(FIXED_CONTROL), 0);
        Ok(())
    }

    #[test]
    fn events_that_move_lose_nothing() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        // The events get counters 3, 2 and 1. Then an event needs counter 1 and can use no other.
        for id in [1, 2, 3] {
            put(&mut at, &bus, id, CLOCK)?;
        }
        for (counter, count) in COUNTER.iter().zip([0, 100, 200, 300]) {
            bus.advance(&KIND, *counter, count);
        }
        bus.set(COUNTER[0], 0xdead);
        at.begin();
        put(&mut at, &bus, 4, LOOKUP)?;
        put(&mut at, &bus, 5, QUEUE).err().ok_or(EINVAL)?;
        at.end(&bus);
        // The lookup has counter 0, which the queue needs. Both fit once an event is removed.
        at.begin();
        assert_eq!(at.remove(&bus, 1), 300);
        put(&mut at, &bus, 5, QUEUE)?;
        at.end(&bus);
        assert_eq!(counter_with(&bus, QUEUE), Some(0));
        assert_eq!(counter_with(&bus, LOOKUP), Some(1));
        for counter in COUNTER {
            bus.advance(&KIND, counter, 10);
        }
        assert_eq!(at.read(&bus, 2), 210);
        assert_eq!(at.read(&bus, 3), 110);
        assert_eq!(at.read(&bus, 4), 10);
        assert_eq!(at.read(&bus, 5), 10);
        Ok(())
    }

    #[test]
    fn moves_happen_while_the_box_is_frozen() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, CLOCK)?;
        put(&mut at, &bus, 2, LEFT)?;
        put(&mut at, &bus, 3, LEFT)?;
        bus.take_writes();
        // Numbered 3, 2 and 1 are taken. An event that needs 2 or 3 makes others move.
        put(&mut at, &bus, 4, 0x031b)?;
        let writes = bus.take_writes();
        assert_eq!(writes.first().copied(), Some(Write(BOX_CONTROL, FREEZE)));
        assert!(writes
            .iter()
            .any(|write| *write == Write(CONTROL[0], CLOCK | ENABLE)));
        assert!(writes
            .iter()
            .any(|write| *write == Write(CONTROL[3], 0x031b | ENABLE)));
        assert_eq!(writes.last().copied(), Some(Write(BOX_CONTROL, UNFREEZE)));
        Ok(())
    }

    #[test]
    fn filters_are_shared_or_refused_for_now() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        begin(&mut at, &bus, 1, [LOOKUP_WHO, 0x103, 0], true)?;
        assert_eq!(
            at.add(&bus, 2, &request(&KIND, [LOOKUP_WHO, 0x104, 0])?, true),
            Err(EAGAIN)
        );
        assert_eq!(
            at.add(&bus, 3, &request(&KIND, [LOOKUP, 0x200, 0])?, true),
            Err(EAGAIN)
        );
        begin(&mut at, &bus, 4, [LOOKUP, 0x100, 0], true)?;
        at.remove(&bus, 1);
        assert_eq!(bus.get(FILTER[0]), 0x103);
        // The next start clears the filter unit that no event uses any more.
        begin(&mut at, &bus, 5, [CLOCK, 0, 0], true)?;
        assert_eq!(bus.get(FILTER[0]), 0x100);
        Ok(())
    }

    #[test]
    fn a_filter_is_written_before_the_word_that_needs_it() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, LOOKUP)?;
        let writes = bus.take_writes();
        let position = |wanted| writes.iter().position(|write| write.0 == wanted);
        assert!(position(FILTER[0]) < position(CONTROL[1]));
        assert!(position(FILTER[0]).is_some());
        Ok(())
    }

    #[test]
    fn a_filter_that_nobody_used_is_written_anew() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        for (id, other) in [(1, 0), (2, 0x0100)] {
            bus.set(FILTER[0], other);
            put(&mut at, &bus, id, LOOKUP)?;
            assert_eq!(bus.get(FILTER[0]), 0x3f00);
            at.remove(&bus, id);
        }
        Ok(())
    }

    #[test]
    fn what_is_shown_stays_selected_until_nobody_shows_it() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        assert_eq!(
            at.add(&bus, 2, &request(&KIND, [DEPENDENT, 0, 0])?, true),
            Err(EAGAIN)
        );
        // The first slot is free again.
        put(&mut at, &bus, 6, LEFT)?;
        put(&mut at, &bus, 1, QUEUE)?;
        put(&mut at, &bus, 2, DEPENDENT)?;
        at.remove(&bus, 6);
        bus.advance(&KIND, COUNTER[0], 50);
        assert_eq!(at.remove(&bus, 1), 50);
        assert_eq!(bus.get(CONTROL[0]), QUEUE | ENABLE);
        // Its counter is still taken, except for an event with an equal request.
        assert_eq!(
            at.add(&bus, 3, &request(&KIND, [0x0411, 0, 0])?, true),
            Err(EAGAIN)
        );
        bus.advance(&KIND, COUNTER[0], 1000);
        put(&mut at, &bus, 4, QUEUE)?;
        bus.advance(&KIND, COUNTER[0], 5);
        assert_eq!(at.remove(&bus, 4), 5);
        at.remove(&bus, 2);
        assert_eq!(bus.get(CONTROL[0]), 0);
        put(&mut at, &bus, 5, 0x0411)?;
        assert_eq!(counter_with(&bus, 0x0411), Some(0));
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
            assert_eq!(
                at.add(&bus, 9, &request(&KIND, [CLOCK, 0, 0])?, true),
                Err(ENODEV)
            );
            assert_eq!(at.read(&bus, 0), 0);
        }
        Ok(())
    }

    #[test]
    fn a_box_that_is_about_to_go_counts_on_and_takes_nobody() -> Result {
        let (bus, mut at) = fresh(&KIND)?;
        put(&mut at, &bus, 1, CLOCK)?;
        at.close();
        assert_eq!(
            at.add(&bus, 2, &request(&KIND, [CLOCK, 0, 0])?, true),
            Err(ENODEV)
        );
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
        assert_eq!(
            at.add(&bus, 2, &request(&KIND, [CLOCK, 0, 0])?, true),
            Err(ENODEV)
        );
        Ok(())
    }
}
