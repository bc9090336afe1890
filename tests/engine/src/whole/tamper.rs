// SPDX-License-Identifier: GPL-2.0

//! Counters and registers that another tool, firmware or a sleep changes while events count.

use super::*;
use crate::computer::{processors, usual_machine};
use uncore_catalogue::readings_with;
use uncore_e2e::{
    prelude::{BoxKind, Config, Probe, Processor, Shape},
    sweep::events,
};

/// Causes of a cleared counter, with whether control registers stay.
const CLEARS: [(&str, bool); 2] = [("clear-counters 0", true), ("sleep 0", false)];

/// Distances of the counters from their wrap: they are in the lower half of their range, or in the
/// upper one.
const DISTANCES: [u64; 2] = [1 << 44, 1 << 42];

/// The longest time, in ns, that an event counts without verification when it stops.
const LONGEST_UNVERIFIED_NS: u64 = 200_000_000;

/// Opens the clocks of a machine: with MSRs and in configuration space, on general and on fixed
/// counters.
fn clocks() -> Vec<Event> {
    let general = BoxKind::all().filter_map(Probe::clock);
    let fixed = events::fixed(&Shape::of(&Config::default()));
    let fixed = fixed.into_iter().filter(|probe| probe.instance == 0);
    let all = general.chain(fixed);
    all.map(|probe| open_probe(&probe, 0)).collect()
}

/// Runs `test` for each treatment on each processor, with the clocks that count on it, after which
/// `clear` clears counters. A package whose level is lost in a sleep tells of it (`level.rs`).
fn with_clocks(clear: &str, test: impl Fn(&Host, &str, &[Event])) {
    let is_told = |processor: &Processor| {
        let readings = readings_with("SleepLosesControls", processor.name());
        clear == "sleep 0" && !readings.is_empty()
    };
    for processor in processors().filter(|processor| !is_told(processor)) {
        let shape = processor.on(usual_machine);
        for tamper in ["end", "warn", "off"] {
            for distance in DISTANCES {
                processor.on(|| {
                    on_computer(&shape, |host| {
                        host.command(&format!("preload-all {distance}"));
                        let _driver = load_with(&Parameters {
                            tamper,
                            ..Parameters::default()
                        })
                        .expect("the driver loads");
                        let events = clocks();
                        kernel::print::take();
                        test(host, tamper, &events);
                    });
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
    let finds: [fn(&Host, &[Event]); 2] = [
        |host, _| host.pass(LONGEST_POLL_NS),
        |_, events| events.iter().for_each(Event::stop),
    ];
    for (clear, _) in CLEARS {
        for find in finds {
            with_clocks(clear, |host, tamper, events| {
                host.traffic(BURST);
                let before = counts(events);
                host.command(clear);
                find(host, events);
                host.settle();
                assert_eq!(counts(events), before, "{clear} {tamper}");
            });
        }
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
        let parameters = Parameters {
            tamper,
            ..Parameters::default()
        };
        with_parameters("packages=1,cores=2", &parameters, |host| {
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
        });
    }
}

/// A write of another tool to a register that one event needs and its neighbour does not.
struct Write {
    victim: Probe,
    beside: Probe,
    command: &'static str,
    register: &'static str,
    value: u64,
}

/// Returns a write to each kind of register. The first event of a box has the last of its counters. The last
/// two freeze a box, whose neighbour counts on.
fn writes() -> [Write; 10] {
    let cbox = |index, name| Probe::cbox(index, name);
    let lookup = || cbox(0, "llc_lookup.any");
    let reads = || Probe::ha(0, "requests.reads");
    let write = |victim, beside, command, register, value| Write {
        victim,
        beside,
        command,
        register,
        value,
    };
    [
        write(
            lookup(),
            cbox(0, "misc.started"),
            "poke-msr 0 0xd11 0x400000",
            "control register, MSR 0xd11",
            0x40_0000,
        ),
        write(
            lookup(),
            cbox(0, "misc.started"),
            "poke-msr 0 0xd14 0x20000",
            "filter register, MSR 0xd14",
            0x2_0000,
        ),
        write(
            Probe::ubox("clockticks"),
            Probe::ubox("lock_cycles"),
            "poke-msr 0 0xc08 0",
            "control register, MSR 0xc08",
            0,
        ),
        write(
            Probe::pcu("freq_band1_cycles").band(1, 30),
            Probe::pcu("vr_hot_cycles"),
            "poke-msr 0 0xc34 0xff00",
            "filter register, MSR 0xc34",
            0xff00,
        ),
        write(
            reads(),
            Probe::ha(0, "imc_writes.full"),
            "poke-config 7f:0e.1 0xe4 0x400000",
            "control register, offset 0xe4 of 0000:7f:0e.1",
            0x40_0000,
        ),
        write(
            Probe::ha(0, "addr_opc_match.opc").home_opcode(0x3f),
            reads(),
            "poke-config 7f:0e.1 0x48 0x1e",
            "filter register, offset 0x48 of 0000:7f:0e.1",
            0x1e,
        ),
        write(
            Probe::imc(0, "clockticks"),
            Probe::imc(0, "cas_count.rd"),
            "poke-config 7f:10.4 0xf0 0",
            "control register, offset 0xf0 of 0000:7f:10.4",
            0,
        ),
        write(
            Probe::qpi(0, "message.drs.anydatac"),
            Probe::qpi(0, "txl_inserts"),
            "poke-config 7f:08.6 0x238 0",
            "filter register, offset 0x238 of 0000:7f:08.6",
            0,
        ),
        write(
            cbox(0, "clockticks"),
            cbox(1, "clockticks"),
            "poke-msr 0 0xd04 0x10100",
            "box control register, MSR 0xd04",
            0x1_0000,
        ),
        write(
            Probe::imc(0, "cas_count.rd"),
            Probe::imc(1, "cas_count.rd"),
            "poke-config 7f:10.4 0xf4 0x10100",
            "box control register, offset 0xf4 of 0000:7f:10.4",
            0x1_0000,
        ),
    ]
}

/// Runs `test` for each write with the victim, its neighbour and the victim's event in the other
/// package, which have counted a burst.
fn with_writes(tamper: &str, test: impl Fn(&Host, &Write, [&Event; 3])) {
    let parameters = Parameters {
        tamper,
        ..Parameters::default()
    };
    for write in writes() {
        with_parameters("packages=2,cores=2,cboxes=3", &parameters, |host| {
            let all = [(&write.victim, 0), (&write.beside, 0), (&write.victim, 2)];
            let opened = all.map(|(probe, cpu)| open_probe(probe, cpu));
            host.traffic(BURST);
            kernel::print::take();
            test(host, &write, opened.each_ref());
            drop(opened);
            // The next event of an idle box sets all right.
            host.command(write.command);
            host.pass(LONGEST_UNVERIFIED_NS);
            let again = open_probe(&write.victim, 0);
            host.traffic(BURST);
            assert_eq!(
                again.read(),
                write.victim.count(0, BURST),
                "{}",
                write.command
            );
        });
    }
}

/// Checks that the neighbour and the other package have counted so many bursts, and returns the lines
/// of the log about the victim.
fn others_count(
    host: &Host,
    write: &Write,
    [_, beside, elsewhere]: [&Event; 3],
    bursts: u64,
) -> Vec<String> {
    let right = [write.beside.count(0, BURST), write.victim.count(1, BURST)];
    let seen = [beside, elsewhere].map(Event::read);
    assert_eq!(seen, right.map(|each| bursts * each), "{}", write.command);
    host.settle();
    kernel::print::take()
}

impl Write {
    /// Checks that a line of the log is about the victim.
    fn is_told(&self, log: &[String], outcome: &str) {
        let name = match self.victim.name() {
            name if name.starts_with("message.") => "cto_count",
            name => name,
        };
        let unit = self.victim.kind.box_name(0);
        let told = format!(
            "package 0: {name} of {unit} (config {:#x}) {outcome}: another tool or firmware changed its {}",
            self.victim.words().0[0], self.register
        );
        let value = format!(" to {:#x}", self.value);
        assert!(
            log[0].contains(&told) && log[0].contains(&value),
            "{told}{value}: {log:?}"
        );
    }
}

#[test]
fn a_write_to_any_register_ends_the_events_that_need_it() {
    for by_a_poll in [false, true] {
        with_writes("end", |host, write, events| {
            let [victim, ..] = events;
            let certain = victim.read();
            assert_eq!(certain, write.victim.count(0, BURST));
            host.command(write.command);
            host.traffic(BURST);
            if by_a_poll {
                verify(host);
                assert!(!victim.is_active());
            } else {
                host.pass(LONGEST_UNVERIFIED_NS);
                victim.disable();
                host.settle();
                victim.enable();
            }
            host.traffic(BURST);
            assert_eq!(victim.read(), certain, "{}", write.command);
            let log = others_count(host, write, events, 3);
            assert_eq!(log.len(), 1, "{log:?}");
            write.is_told(&log, "ended");
            assert_eq!(statistic("tampered"), 1);
        });
    }
}

/// Each register is set back, however often it is written, and an event is named once.
#[test]
fn with_a_warning_any_register_is_set_back() {
    with_writes("warn", |host, write, events| {
        let [victim, ..] = events;
        for _ in 0..2 {
            host.command(write.command);
            verify(host);
            let before = victim.read();
            host.traffic(BURST);
            let counted = victim.read() - before;
            assert_eq!(counted, write.victim.count(0, BURST), "{}", write.command);
            // The event gets its counter anew.
            victim.disable();
            victim.enable();
        }
        let log = others_count(host, write, events, 3);
        assert_eq!((log.len(), statistic("tampered")), (1, 1), "{log:?}");
        assert!(log[0].starts_with("warn: ") && log[0].ends_with("; it is set back"));
        write.is_told(&log, "may be wrong");
    });
}

/// The group counts as a whole or not at all.
#[test]
fn a_group_ends_with_one_of_its_events() {
    with_driver("packages=1,cores=2", "auto", |host| {
        let leader = open("cbox_0", 0, CLOCK);
        let member = try_probe(&writes()[1].victim, 0, Some(&leader));
        let member = member.expect("two counters are free");
        host.command(writes()[1].command);
        host.traffic(BURST);
        verify(host);
        let ended = [&leader, &member].map(Event::read);
        host.traffic(BURST);
        assert_eq!([&leader, &member].map(Event::read), ended);
        assert!(!leader.is_active() && !member.is_active());
    });
}

/// The enable bit of all counters reads 0.
#[test]
fn an_enable_bit_that_cannot_be_read_back_ends_no_event() {
    on_computer("packages=2,cores=2", |host| {
        for kind in ["ubox", "cbox", "ha", "imc", "pcu"] {
            host.command(&format!("defect reads {kind} 22 0"));
        }
        let _driver = load_without_traffic("poll").expect("the driver loads");
        for probe in writes().map(|write| write.victim) {
            let event = open_probe(&probe, 0);
            host.traffic(BURST);
            verify(host);
            host.traffic(BURST);
            assert_eq!(event.read(), 2 * probe.count(0, BURST), "{probe:?}");
        }
        assert_eq!(statistic("tampered"), 0);
    });
}
