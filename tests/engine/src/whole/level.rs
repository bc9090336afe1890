// SPDX-License-Identifier: GPL-2.0

//! Counters of a package whose sleep clears the level that lets them count, and other registers.

use super::*;
use crate::{
    computer::{on_each_with, usual_machine},
    platforms,
};
use uncore_catalogue::{At, Facts, What};
use uncore_e2e::{
    fixture::samples,
    prelude::{Config, Platform, Probe, Shape},
    sweep::events,
};

/// Differences between readings: a sleep clears control registers, and counters, too.
const CONTROLS: &str = "SleepLosesControls";
const COUNTERS: &str = "SleepLosesAll";

/// Opens an event, and returns it with what it counts in a [`BURST`].
fn open_one(probe: Probe) -> (Event, u64) {
    (open_probe(&probe, 0), probe.count(0, BURST))
}

/// Opens an event of each box and of each fixed counter, in this order.
fn open_all() -> Vec<(Event, u64)> {
    let fixed = events::fixed(&Shape::of(&Config::default()));
    samples().chain(fixed).map(open_one).collect()
}

/// Runs `test` on each machine whose reading has a difference, with all events open, which have
/// counted a burst.
fn under_each(difference: &str, test: impl Fn(&Host, &str, Vec<(Event, u64)>)) {
    on_each_with(difference, |shape, reading| {
        with_driver(shape, "auto", |host| {
            let events = open_all();
            kernel::print::take();
            host.traffic(BURST);
            have_counted(&events, 1);
            test(host, reading, events);
            assert_eq!(host.command("violations"), "");
        });
    });
}

/// Checks that each event has counted so many bursts.
fn have_counted(events: &[(Event, u64)], bursts: u64) {
    let found: Vec<u64> = events.iter().map(|(event, _)| event.read()).collect();
    let expected: Vec<u64> = events.iter().map(|(_, count)| bursts * count).collect();
    assert_eq!(found, expected);
}

/// Lets the driver notice that the level is lost.
fn notice(host: &Host) {
    pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
}

#[test]
fn registers_that_a_sleep_has_cleared_are_programmed_again() {
    under_each(CONTROLS, |host, _, events| {
        for times in 1..4 {
            host.command("lose-enable 0");
            have_counted(&events, times);
            // It waits while the counters stand still.
            host.traffic(BURST);
            have_counted(&events, times);
            notice(host);
            have_counted(&events, times + 1);
        }
        assert!(events.iter().all(|(event, _)| event.is_active()));
        assert_eq!((statistic("level_lost"), statistic("tampered")), (3, 0));
        host.settle();
        assert_eq!(usize::try_from(statistic("cleared")), Ok(events.len()));
        let log = kernel::print::take();
        let told = |line: &&String| {
            line.contains("may be wrong: a sleep of the package or another tool changed its")
                && line.contains("to 0x0; it is set back")
        };
        assert_eq!(log.iter().filter(told).count(), events.len(), "{log:?}");
    });
}

#[test]
fn what_was_counted_before_a_sleep_is_lost_with_the_counter_only() {
    under_each(CONTROLS, |host, reading, events| {
        let name = Platform::current().name();
        let is_lost = uncore_catalogue::readings_with(COUNTERS, name).contains(&reading.to_owned());
        host.traffic(BURST);
        host.command("lose-enable 0");
        notice(host);
        host.traffic(BURST);
        have_counted(&events, if is_lost { 2 } else { 3 });
    });
}

#[test]
fn a_counter_is_no_wrap_if_its_level_cannot_be_read() {
    under_each(COUNTERS, |host, _, events| {
        let name = Platform::current().name();
        let mut all = platforms::ALL
            .iter()
            .filter(|platform| platform.name == name);
        let global = all.find_map(|platform| platform.global.as_ref());
        let level = global.expect("global registers").control;
        host.command("lose-enable 0");
        host.command(&format!("fail-msr 0 {level:#x}"));
        have_counted(&events, 1);
        host.command(&format!("heal-msr 0 {level:#x}"));
        notice(host);
        host.traffic(BURST);
        have_counted(&events, 2);
    });
}

#[test]
fn an_event_that_starts_programs_what_a_sleep_has_cleared() {
    under_each(CONTROLS, |host, _, events| {
        host.command("lose-enable 0");
        let late: Vec<_> = samples().take(1).map(open_one).collect();
        host.traffic(BURST);
        have_counted(&events, 2);
        have_counted(&late, 1);
    });
}

#[test]
fn an_event_that_stops_after_a_sleep_keeps_its_count() {
    // At once, and when a stop verifies the registers.
    for waited_ns in [0, 2 * LONGEST_LEVEL_NS] {
        under_each(CONTROLS, |host, _, events| {
            pass_slowly(host, waited_ns);
            host.command("lose-enable 0");
            events.iter().for_each(|(event, _)| event.stop());
            have_counted(&events, 1);
            events.iter().for_each(|(event, _)| event.start());
            host.traffic(BURST);
            have_counted(&events, 2);
            assert_eq!(statistic("tampered"), 0);
        });
    }
}

/// The level is there, so that the package has not slept.
#[test]
fn an_event_whose_register_somebody_cleared_ends() {
    under_each(CONTROLS, |host, _, events| {
        let facts = Facts::of(Platform::current().name());
        let mut registers = facts.registers.iter();
        let control = registers.find(|register| register.what == What::FixedCtl);
        let control = control.expect("a fixed counter");
        let At::Msr(msr) = control.place(facts.box_of(&control.kind), 0, 0) else {
            panic!("{control:?}");
        };
        host.command(&format!("poke-msr 0 {msr:#x} 0"));
        verify(host);
        let active = events.iter().filter(|(event, _)| event.is_active());
        assert_eq!(active.count(), events.len() - 1);
        assert!(!events[events.len() - 1].0.is_active());
        assert_eq!((statistic("level_lost"), statistic("tampered")), (0, 1));
    });
}

/// Runs `test` on the usual machine of each processor on which some bits of the level may read 0, by
/// either reading.
fn by_either_level(test: impl Fn(&str)) {
    for difference in ["NoBitsAboveCores", "UboxEnableUnread"] {
        on_each_with(difference, |shape, _| {
            test(&usual_machine());
            test(shape);
        });
    }
}

/// A counter that reads lower than before has wrapped while the level is there, as far as it can be
/// read.
#[test]
fn a_counter_wraps_while_its_level_is_there() {
    by_either_level(|shape| {
        on_computer(shape, |host| {
            host.command("preload-all 1000");
            let _driver = load("auto").expect("the driver loads");
            let events = open_all();
            host.traffic(BURST);
            have_counted(&events, 1);
            assert_eq!(statistic("level_lost"), 0);
        });
    });
}

#[test]
fn a_lost_level_is_set_again() {
    by_either_level(|shape| {
        with_driver(shape, "auto", |host| {
            let events = open_all();
            host.traffic(BURST);
            host.command("lose-enable 0");
            // It waits while the counters stand still.
            host.traffic(BURST);
            have_counted(&events, 1);
            notice(host);
            have_counted(&events, 2);
            assert_eq!(host.command("violations"), "");
        });
    });
}
