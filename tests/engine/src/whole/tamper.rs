// SPDX-License-Identifier: GPL-2.0

//! Counters and registers that another tool, firmware or a sleep changes while events count.

use super::{names::words, *};
use crate::sweep::attributes;

/// Machines, and events of them that count each cycle: with MSRs and in configuration space, on
/// general and on fixed counters.
const CLOCKS: [(&str, &[&str]); 4] = [
    (
        "packages=1,cores=2",
        &[
            "ivbep_uncore_cbox_0/clockticks",
            "ivbep_uncore_ubox/clockticks",
            "ivbep_uncore_imc_0/clockticks",
        ],
    ),
    (
        "platform=bdx,packages=1,cores=2",
        &[
            "bdx_uncore_cbox_0/clockticks",
            "bdx_uncore_r2pcie/clockticks",
        ],
    ),
    (
        "platform=snb,packages=1,cores=2,cboxes=2",
        &["snb_uncore_arb/clockticks"],
    ),
    (
        "platform=nhmex,packages=1,cores=2,reading=X-22:b",
        &["nhmex_uncore_wbox/clockticks", "nhmex_uncore_mbox_0/cycles"],
    ),
];

/// Causes of a cleared counter, with whether control registers stay.
const CLEARS: [(&str, bool); 2] = [("clear-counters 0", true), ("sleep 0", false)];

/// Distances of the counters from their wrap: they are in the lower half of their range, or in the
/// upper one.
const DISTANCES: [u64; 2] = [1 << 44, 1 << 42];

/// Opens the clocks of a machine.
fn clocks(events: &[&str]) -> Vec<Event> {
    let open = |named: &&str| {
        let (pmu, event) = named.split_once('/').expect("a PMU and an event");
        let opened = known(pmu).open(&attributes(words(pmu, event).0, 0), None);
        opened.unwrap_or_else(|error| panic!("{named}: {error:?}"))
    };
    events.iter().map(open).collect()
}

fn counts(events: &[Event]) -> Vec<u64> {
    events.iter().map(Event::read).collect()
}

/// Runs `test` for each treatment on each machine, with the events that count on it, after which
/// `clear` clears counters. A client is told of its sleep by its level (`client.rs`).
fn with_clocks(clear: &str, test: impl Fn(&Host, &str, &[Event])) {
    let is_told = |shape: &str| shape.contains("snb") && clear == "sleep 0";
    for (shape, clocks_of) in CLOCKS.into_iter().filter(|(shape, _)| !is_told(shape)) {
        for tamper in ["end", "warn", "off"] {
            for distance in DISTANCES {
                on_computer(shape, |host| {
                    host.command(&format!("preload-all {distance}"));
                    let driver = load_with(&Parameters {
                        tamper,
                        ..Parameters::default()
                    });
                    let driver = driver.expect("the driver loads");
                    let events = clocks(clocks_of);
                    kernel::print::take();
                    test(host, tamper, &events);
                    drop((events, driver));
                });
            }
        }
    }
}

/// No reader takes a cleared counter for one that has wrapped: neither perf nor a BPF program before
/// the driver has looked at the registers, nor anybody after that.
#[test]
fn a_counter_that_was_cleared_shows_no_jump() {
    for (clear, stays) in CLEARS {
        with_clocks(clear, |host, tamper, events| {
            host.traffic(BURST);
            let before = counts(events);
            host.command(clear);
            host.machine().burst(1000);
            let by_programs = events.iter().map(|event| event.read_on(1));
            let by_programs: Vec<u64> = by_programs.flatten().collect();
            assert_eq!(by_programs, before, "{clear} {tamper}");
            assert_eq!(counts(events), before, "{clear} {tamper}");
            host.settle();
            let ended = tamper == "end";
            let active: Vec<bool> = events.iter().map(Event::is_active).collect();
            assert!(!active.contains(&ended), "{clear} {tamper}: {active:?}");
            host.traffic(BURST);
            let after = counts(events);
            let goes_on = !ended && stays;
            for (before, after) in before.into_iter().zip(after) {
                let most = if ended { before } else { 2 * before };
                assert!(
                    (before..=most).contains(&after),
                    "{clear} {tamper}: {after}"
                );
                assert!(!goes_on || after == most, "{clear} {tamper}: {after}");
            }
            host.settle();
            let log = kernel::print::take();
            let told = log.iter().filter(|line| match tamper {
                "end" => line.contains(" ended: another tool or firmware changed its counter"),
                _ => line.contains(" may be wrong: another tool or firmware changed its counter"),
            });
            let expected = if tamper == "off" { 0 } else { events.len() };
            assert_eq!(told.count(), expected, "{clear} {tamper}: {log:?}");
            let counted = statistic("tampered");
            assert_eq!(usize::try_from(counted), Ok(expected), "{clear} {tamper}");
        });
    }
}

/// So do polls and the end of an event, if they come first.
#[test]
fn nor_does_it_when_a_poll_or_the_end_of_the_event_finds_it() {
    for (clear, _) in CLEARS {
        with_clocks(clear, |host, tamper, events| {
            host.traffic(BURST);
            let before = counts(events);
            host.command(clear);
            host.pass(LONGEST_POLL_NS);
            host.settle();
            assert_eq!(counts(events), before, "{clear} {tamper}");
        });
        with_clocks(clear, |host, tamper, events| {
            host.traffic(BURST);
            let before = counts(events);
            host.command(clear);
            events.iter().for_each(Event::stop);
            host.settle();
            assert_eq!(counts(events), before, "{clear} {tamper}");
        });
    }
}

/// The record of an interval has the counts of all events.
#[test]
fn nor_does_the_record_of_an_interval() {
    with_intervals("packages=1,cores=2", |host| {
        let other = open("r3qpi_0", 0, R2PCIE_CLOCK);
        let _event = open("r2pcie", 0, R2PCIE_CLOCK | EVERY);
        host.traffic(INTERVAL / 4 * 3);
        let before = other.read();
        host.command("clear-counters 0 r3qpi_0");
        *plain(&host.trace) = Some(Vec::new());
        host.traffic(INTERVAL);
        let records = plain(&host.trace).take().expect("it was enabled").concat();
        assert!(!records.is_empty());
        let shown = records
            .split(' ')
            .find(|word| word.contains("r3qpi_0/0x1/="));
        // It has ended: a record has running events.
        assert_eq!(shown, None, "{records}");
        assert_eq!(other.read(), before);
    });
}

/// Time between two readings of a monitor.
const SECOND: u64 = 1_000_000_000;

/// A monitor sees the end of an event that another tool has switched off with its second reading.
#[test]
fn an_event_that_was_switched_off_ends_within_two_readings() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let events = [open("cbox_0", 0, CLOCK), open("r2pcie", 0, R2PCIE_CLOCK)];
        let reading = || {
            host.traffic(BURST);
            let found = events.each_ref().map(|event| event.read());
            host.settle();
            host.pass(SECOND);
            found
        };
        assert_eq!(reading(), [BURST; 2]);
        assert_eq!(reading(), [2 * BURST; 2]);
        for control in ["poke-msr 0 0xd13 0", "poke-config 7f:13.1 0xe4 0"] {
            host.command(control);
        }
        assert_eq!(reading(), [2 * BURST; 2]);
        assert!(!events.iter().any(Event::is_active));
        assert_eq!(statistic("tampered"), 2);
    });
}

/// Registers of an event that counts nothing for long are looked at once a second, however often it is
/// read, and never by the reader.
#[test]
fn an_idle_event_is_looked_at_once_a_second() {
    const SECONDS: usize = 10;
    for (tamper, looks) in [("end", SECONDS), ("warn", SECONDS), ("off", 0)] {
        on_computer("packages=1,cores=2", |host| {
            let driver = load_with(&Parameters {
                tamper,
                ..Parameters::default()
            });
            let driver = driver.expect("the driver loads");
            let events = [CLOCK; 4].map(|clock| open("cbox_0", 0, clock));
            let mut found = 0;
            for _ in 0..10 * SECONDS {
                let by_readers = accesses(host, || {
                    events.iter().for_each(|event| {
                        event.read();
                    })
                });
                assert_eq!(by_readers.lines().count(), events.len(), "{by_readers}");
                let later = accesses(host, || {
                    host.settle();
                    host.pass(SECOND / 10);
                });
                // The control register of counter 3.
                found += later
                    .lines()
                    .filter(|line| line.contains(" 0xd13 "))
                    .count();
            }
            assert!(
                found <= looks && (found > 0) == (looks > 0),
                "{tamper}: {found}"
            );
            drop((events, driver));
        });
    }
}
