// SPDX-License-Identifier: GPL-2.0

//! Counters of a client, whose package sleeps.

use super::*;

/// The shape of a client.
const CLIENT: &str = "platform=snb,packages=1,cores=4,cboxes=4";

const ARB: &str = "snb_uncore_arb";

/// Events that count at the same time, with what each counts in a [`BURST`]: CACHE_LOOKUP.READ_ES,
/// TRK_OCCUPANCY.ALL, the clock. The numbers are the worked examples of traffic.rst.
const EVENTS: [(&str, u64, u64); 3] = [
    ("snb_uncore_cbox_2", 0x1634, 31_290),
    (ARB, 0x180, 885_484),
    (ARB, 0xff, BURST),
];

/// TRK_OCCUPANCY.ALL with CMASK 10, in the same way.
const ABOVE_10: (&str, u64, u64) = (ARB, 0x0a00_0180, 57_128);

/// Opens an event of a PMU.
fn open_on(pmu: &str, config: u64) -> Event {
    known(pmu).open(&attr(0, config), None).expect("an event")
}

/// Runs `test` on a client under a reading, with all [`EVENTS`] open, which have counted a burst.
fn on_client(reading: &str, test: impl FnOnce(&Host, Vec<Event>)) {
    with_driver(&format!("{CLIENT},reading={reading}"), "auto", |host| {
        let events = EVENTS.map(|(pmu, config, _)| open_on(pmu, config));
        kernel::print::take();
        host.traffic(BURST);
        have_counted(&events, 1);
        test(host, events.into());
        assert_eq!(host.command("violations"), "");
    });
}

/// Checks that each of the [`EVENTS`] has counted so many bursts.
fn have_counted(events: &[Event], bursts: u64) {
    let found: Vec<u64> = events.iter().map(Event::read).collect();
    let expected = EVENTS.map(|(_, _, count)| bursts * count);
    assert_eq!(found, expected);
}

/// Readings of which registers a sleep of the package clears.
const SLEEPS: [&str; 2] = ["S-7:b", "S-7:c"];

#[test]
fn registers_that_a_sleep_has_cleared_are_programmed_again() {
    for reading in SLEEPS {
        on_client(reading, |host, events| {
            for times in 1..4 {
                host.command("lose-enable 0");
                have_counted(&events, times);
                // It waits while the counters stand still.
                host.traffic(BURST);
                have_counted(&events, times);
                pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
                have_counted(&events, times + 1);
            }
            assert!(events.iter().all(Event::is_active));
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
}

#[test]
fn what_was_counted_before_a_sleep_is_lost_with_the_counter_only() {
    for (reading, kept) in [("S-7:b", 1), ("S-7:c", 0)] {
        on_client(reading, |host, events| {
            host.traffic(BURST);
            host.command("lose-enable 0");
            pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
            host.traffic(BURST);
            have_counted(&events, 2 + kept);
        });
    }
}

#[test]
fn a_counter_is_no_wrap_if_its_level_cannot_be_read() {
    on_client("S-7:c", |host, events| {
        host.command("lose-enable 0");
        host.command("fail-msr 0 0x391");
        have_counted(&events, 1);
        host.command("heal-msr 0 0x391");
        pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
        host.traffic(BURST);
        have_counted(&events, 2);
    });
}

#[test]
fn an_event_that_starts_programs_what_a_sleep_has_cleared() {
    for reading in SLEEPS {
        on_client(reading, |host, events| {
            host.command("lose-enable 0");
            let late = open_on("snb_uncore_cbox_0", 0x1634);
            host.traffic(BURST);
            have_counted(&events, 2);
            assert!(late.read() > 0);
        });
    }
}

#[test]
fn an_event_that_stops_after_a_sleep_keeps_its_count() {
    // At once, and when a stop verifies the registers.
    for waited_ns in [0, 2 * LONGEST_LEVEL_NS] {
        for reading in SLEEPS {
            on_client(reading, |host, events| {
                pass_slowly(host, waited_ns);
                host.command("lose-enable 0");
                events.iter().for_each(Event::stop);
                have_counted(&events, 1);
                events.iter().for_each(Event::start);
                host.traffic(BURST);
                have_counted(&events, 2);
                assert_eq!(statistic("tampered"), 0);
            });
        }
    }
}

/// The level is there, so that the package has not slept.
#[test]
fn an_event_of_a_client_whose_register_somebody_cleared_ends() {
    on_client("S-7:b", |host, events| {
        let written = host.machine().wrmsr(host.place(0), 0x394, 0);
        assert_eq!(written, Some(Ok(())));
        (0..POLLS_PER_VERIFICATION).for_each(|_| host.pass(LONGEST_POLL_NS));
        host.settle();
        let active: Vec<bool> = events.iter().map(Event::is_active).collect();
        assert_eq!(active, [true, true, false]);
        assert_eq!((statistic("level_lost"), statistic("tampered")), (0, 1));
    });
}

/// A client whose global control keeps the bits of its cores only.
const THREE_CORES: &str = "platform=snb,packages=1,cores=3,cboxes=3,reading=S-3:c";

/// A counter that reads lower than before has wrapped while the level is there, as far as it can be
/// read.
#[test]
fn a_counter_of_a_client_wraps() {
    for shape in [CLIENT, THREE_CORES] {
        wrap_on(shape);
    }
}

fn wrap_on(shape: &str) {
    on_computer(shape, |host| {
        host.command("preload-all 1000 arb");
        let driver = load("auto").expect("the driver loads");
        let of_arb = EVENTS.into_iter().filter(|(pmu, ..)| *pmu == ARB);
        let events: Vec<_> = of_arb
            .map(|(pmu, config, count)| (open_on(pmu, config), count))
            .collect();
        assert_eq!(events.len(), 2);
        host.traffic(BURST);
        for (event, count) in events {
            assert_eq!(event.read(), count);
        }
        assert_eq!(statistic("level_lost"), 0);
        drop(driver);
    });
}

#[test]
fn sandy_bridge_client_counts_and_gets_a_lost_level_back() {
    for shape in [CLIENT, THREE_CORES] {
        counts_and_gets_its_level_back(shape);
    }
}

fn counts_and_gets_its_level_back(shape: &str) {
    with_driver(shape, "auto", |host| {
        for (pmu, config, count) in EVENTS.into_iter().chain([ABOVE_10]) {
            let event = open_on(pmu, config);
            host.traffic(BURST);
            assert_eq!(event.read(), count, "{pmu} {config:#x}");
            host.command("lose-enable 0");
            // It waits while the counters stand still.
            host.traffic(BURST);
            assert_eq!(event.read(), count, "{pmu} {config:#x} stands still");
            pass_slowly(host, LONGEST_LEVEL_NS + 1_000_000);
            assert_eq!(event.read(), 2 * count, "{pmu} {config:#x} goes on");
        }
        assert_eq!(host.command("violations"), "");
    });
}
