// SPDX-License-Identifier: GPL-2.0

//! Counters of a client, whose package sleeps.

use super::*;
use crate::computer::client_pmu;

/// Cycles of a burst on a client.
const CLIENT_BURST: u64 = 1_000_000;

/// Events of a client that count at the same time, with what each counts in a [`CLIENT_BURST`]:
/// CACHE_LOOKUP.READ_ES, TRK_OCCUPANCY.ALL, the clock.
const CLIENT_EVENTS: [(&str, u64, u64); 3] = [
    ("cbox_2", 0x1634, 31_290),
    ("arb", 0x180, 885_484),
    ("arb", 0xff, CLIENT_BURST),
];

/// Runs `test` on a client under a reading, with all [`CLIENT_EVENTS`] open.
fn on_client(reading: &str, test: impl FnOnce(&Host, Vec<Event>)) {
    let options = format!("platform=snb,packages=1,cores=4,cboxes=4,reading={reading}");
    on_computer(&options, |host| {
        let driver = load("auto").expect("the driver loads");
        let events = CLIENT_EVENTS.map(|(boxes, config, _)| {
            let pmu = client_pmu(boxes);
            pmu.open(&attr(0, config), None).expect("an event")
        });
        kernel::print::take();
        test(host, events.into());
        assert_eq!(host.command("violations"), "");
        drop(driver);
    });
}

/// Checks that each event of a client has counted so many bursts.
fn have_counted(events: &[Event], bursts: u64) {
    let found: Vec<u64> = events.iter().map(Event::read).collect();
    let expected = CLIENT_EVENTS.map(|(_, _, count)| bursts * count);
    assert_eq!(found, expected);
}

/// Readings of which registers a sleep of the package clears.
const SLEEPS: [&str; 2] = ["S-7:b", "S-7:c"];

#[test]
fn registers_that_a_sleep_has_cleared_are_programmed_again() {
    for reading in SLEEPS {
        on_client(reading, |host, events| {
            host.traffic(CLIENT_BURST);
            have_counted(&events, 1);
            for times in 1..4 {
                host.command("lose-enable 0");
                have_counted(&events, times);
                // It waits while the counters stand still.
                host.traffic(CLIENT_BURST);
                have_counted(&events, times);
                pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
                have_counted(&events, times + 1);
            }
            assert!(events.iter().all(Event::is_active));
            assert_eq!((statistic("level_lost"), statistic("tampered")), (3, 0));
            host.settle();
            let log = kernel::print::take();
            let told = |line: &&String| {
                line.contains("may be wrong: a sleep of the package changed its control register")
                    && line.contains("to 0x0; it is set back")
            };
            assert_eq!(log.iter().filter(told).count(), events.len(), "{log:?}");
        });
    }
}

#[test]
fn what_was_counted_before_a_sleep_is_lost_with_the_counter_only() {
    for (reading, kept) in [("S-7:b", 1), ("S-7:c", 0)] {
        on_client(reading, |host, events| {
            host.traffic(CLIENT_BURST);
            have_counted(&events, 1);
            host.traffic(CLIENT_BURST);
            host.command("lose-enable 0");
            pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
            host.traffic(CLIENT_BURST);
            have_counted(&events, 2 + kept);
        });
    }
}

#[test]
fn an_event_that_starts_programs_what_a_sleep_has_cleared() {
    for reading in SLEEPS {
        on_client(reading, |host, events| {
            host.traffic(CLIENT_BURST);
            have_counted(&events, 1);
            host.command("lose-enable 0");
            let pmu = client_pmu("cbox_0");
            let late = pmu.open(&attr(0, 0x1634), None).expect("an event");
            host.traffic(CLIENT_BURST);
            have_counted(&events, 2);
            assert!(late.read() > 0);
        });
    }
}

#[test]
fn an_event_that_stops_after_a_sleep_keeps_its_count() {
    for reading in SLEEPS {
        on_client(reading, |host, events| {
            host.traffic(CLIENT_BURST);
            have_counted(&events, 1);
            host.command("lose-enable 0");
            events.iter().for_each(Event::stop);
            have_counted(&events, 1);
            events.iter().for_each(Event::start);
            host.traffic(CLIENT_BURST);
            have_counted(&events, 2);
        });
    }
}

/// The level is there, so that the package has not slept.
#[test]
fn an_event_of_a_client_whose_register_somebody_cleared_ends() {
    on_client("S-7:b", |host, events| {
        host.traffic(CLIENT_BURST);
        have_counted(&events, 1);
        let written = host.machine().wrmsr(host.place(0), 0x394, 0);
        assert_eq!(written, Some(Ok(())));
        (0..POLLS_PER_VERIFICATION).for_each(|_| host.pass(LONGEST_POLL_NS));
        host.settle();
        let active: Vec<bool> = events.iter().map(Event::is_active).collect();
        assert_eq!(active, [true, true, false]);
        assert_eq!((statistic("level_lost"), statistic("tampered")), (0, 1));
    });
}

/// A counter that reads lower than before has wrapped while the level is there.
#[test]
fn a_counter_of_a_client_wraps() {
    on_computer("platform=snb,packages=1,cores=4,cboxes=4", |host| {
        host.command("preload-all 1000 arb");
        let driver = load("auto").expect("the driver loads");
        let pmu = client_pmu("arb");
        let events = [0x180, 0xff].map(|config| pmu.open(&attr(0, config), None));
        host.traffic(CLIENT_BURST);
        let found = events.map(|event| event.expect("an event").read());
        assert_eq!(found, [885_484, CLIENT_BURST]);
        drop(driver);
    });
}

/// The numbers are the worked examples of traffic.rst.
#[test]
fn sandy_bridge_client_counts_and_gets_a_lost_level_back() {
    const BURST: u64 = 1_000_000;
    const EVENTS: [(&str, u64, u64); 4] = [
        // CACHE_LOOKUP.READ_ES; TRK_OCCUPANCY.ALL without and with CMASK 10; the clock.
        ("cbox_2", 0x1634, 31_290),
        ("arb", 0x180, 885_484),
        ("arb", 0x0a00_0180, 57_128),
        ("arb", 0xff, BURST),
    ];
    on_computer("platform=snb,packages=1,cores=4,cboxes=4", |host| {
        let driver = load("auto").expect("the driver loads");
        for (boxes, config, count) in EVENTS {
            let pmu = client_pmu(boxes);
            let event = pmu.open(&attr(0, config), None).expect("an event");
            host.traffic(BURST);
            assert_eq!(event.read(), count, "{boxes} {config:#x}");
            host.command("lose-enable 0");
            // It waits while the counters stand still.
            host.traffic(BURST);
            assert_eq!(event.read(), count, "{boxes} {config:#x} stands still");
            pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
            assert_eq!(event.read(), 2 * count, "{boxes} {config:#x} goes on");
        }
        assert_eq!(host.command("violations"), "");
        drop(driver);
    });
}
