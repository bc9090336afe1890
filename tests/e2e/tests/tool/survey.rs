// SPDX-License-Identifier: GPL-2.0

//! `uncore survey` on a kernel without our module: it names readings, leaves the registers as they were
//! however it ends, and does not begin while somebody else uses them. `tools/uncore-survey` has it under
//! each reading.

use super::free_running;
use uncore_e2e::prelude::*;

const JOURNAL: &str = "/run/uncore-survey.journal";

/// Readings of different points, of registers, overflows and events, that a machine takes at once.
const PLANTED: [&str; 8] = [
    "U-1:b", "U-3:b", "U-9:c", "U-12:b", "U-17:b", "U-20:b", "U-32:b", "U-73:c",
];

/// A machine with traffic and without a driver.
fn bare(processor: Processor) -> Config {
    let config = Config::of(Driver::None).with("free-run", "on");
    config.with("platform", processor.name())
}

/// Runs a test there, after which all registers are as before.
fn on_bare(processor: Processor, test: impl FnOnce(&mut Session)) {
    on(&bare(processor), |session| {
        let before = at_rest(session);
        test(session);
        assert_eq!(at_rest(session), before);
        assert_none(&session.complaints_but_of_experiments());
    });
}

/// Returns the state of the registers while no clock runs.
fn at_rest(session: &mut Session) -> String {
    session.machine("free-run off");
    let state = session.state();
    session.machine("free-run on");
    state
}

/// Surveys with these arguments, and returns the readings that the report names.
fn named(session: &mut Session, arguments: &str) -> Vec<String> {
    let report = session.ok(&format!("uncore survey {arguments}"));
    for private in ["localhost", "serial", "0000:7f", "0000:ff"] {
        assert!(!report.contains(private), "{private}: {report}");
    }
    let lines = report.lines().filter(|line| !line.starts_with(' '));
    let named = lines.filter_map(|line| line.split_once("  "));
    named.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn readings_are_named_without_a_module() {
    platforms!(; first);
    for processor in Processor::few() {
        println!("{}", processor.name());
        on_bare(processor, |session| {
            let named = named(session, "");
            // The emulator answers MSRs that nobody has.
            let has_letter = |name: &&String| {
                name.contains(':') && !name.ends_with(":a") && !name.starts_with("S-2:")
            };
            let other: Vec<String> = named.iter().filter(has_letter).cloned().collect();
            assert_none(&other);
            assert!(named.iter().any(|name| name.ends_with(":a")), "{named:?}");
        });
    }
}

#[test]
fn planted_readings_are_named() {
    on_bare(Processor::Ivbep, |session| {
        session.machine(&format!("reading {}", PLANTED.join(" ")));
        let points = PLANTED.iter().filter_map(|name| name.split(':').next());
        let points: Vec<String> = points.map(|point| format!("--point {point}")).collect();
        assert_eq!(named(session, &points.join(" ")), PLANTED);
        session.machine("reading a");
    });
}

/// Starts a survey, and runs a command once it has written registers. Returns its status.
fn interrupted(session: &mut Session, command: &str) -> String {
    session.ok(&format!(
        "uncore survey > /tmp/survey 2>&1 & survey=$!; \
         until [ $(cat {JOURNAL} 2>/dev/null | wc -l) -gt 40 ]; do sleep 0.01; done; \
         {command}; wait $survey; echo $?; cat /tmp/survey"
    ))
}

/// Signals of a terminal, of a user, of a fault, and of real time.
const SIGNALS: [&str; 11] = [
    "HUP", "INT", "QUIT", "TERM", "USR1", "PIPE", "TSTP", "SEGV", "ILL", "ABRT", "40",
];

#[test]
fn registers_are_restored_at_each_signal() {
    on_bare(Processor::Ivbep, |session| {
        let before = at_rest(session);
        for signal in SIGNALS {
            let said = interrupted(session, &format!("kill -{signal} $survey"));
            assert!(
                said.starts_with("2\n")
                    && said.contains("has ended it")
                    && said.contains("as they were"),
                "{signal}: {said}"
            );
            assert_eq!(at_rest(session), before, "{signal}");
            session.fails(&format!("ls {JOURNAL}"));
        }
    });
}

#[test]
fn registers_are_restored_after_a_kill() {
    on_bare(Processor::Ivbep, |session| {
        interrupted(session, "kill -KILL $survey");
        let doctor = session.run("uncore doctor").stdout;
        assert!(doctor.contains("uncore survey --restore"), "{doctor}");
        let refused = session.fails("uncore survey");
        assert!(refused.contains("uncore survey --restore"), "{refused}");
        session.ok("uncore survey --restore");
        let doctor = session.run("uncore doctor").stdout;
        assert!(!doctor.contains("uncore survey --restore"), "{doctor}");
        assert!(session.ok("uncore survey --restore").contains("no survey"));
    });
}

#[test]
fn registers_that_another_program_writes_void_it() {
    on_bare(Processor::Ivbep, |session| {
        // A register of the other package, which no step writes.
        let said = interrupted(session, "wrmsr -p 3 0xd11 2");
        session.ok("wrmsr -p 3 0xd11 0");
        assert!(
            said.starts_with("2\n") && said.contains("another program"),
            "{said}"
        );
    });
}

#[test]
fn obstacles_are_named_with_a_remedy() {
    /// Commands before and after a survey, and what it says then.
    const OBSTACLES: [(&str, &str, [&str; 2]); 4] = [
        (
            "rmmod msr",
            "load-module /lib/modules/msr.ko",
            ["/dev/cpu/0/msr", "modprobe msr"],
        ),
        (
            "echo off > /sys/module/msr/parameters/allow_writes",
            "echo on > /sys/module/msr/parameters/allow_writes",
            ["allow_writes=off", "echo on"],
        ),
        (
            "exec 3</dev/cpu/1/msr",
            "exec 3<&-",
            ["a device of MSRs open", "end it"],
        ),
        (
            "wrmsr -p 0 0xd10 0x400000",
            "wrmsr -p 0 0xd10 0",
            [
                "counters are enabled: those of cbox_0 of package 0",
                "end perf",
            ],
        ),
    ];
    on(&bare(Processor::Ivbep), |session| {
        for (before, after, reasons) in OBSTACLES {
            let command = format!("{before}; uncore survey; status=$?; {after}; exit $status");
            let said = session.fails(&command);
            for reason in reasons {
                assert!(said.contains(reason), "{before}: {said}");
            }
        }
        session.ok("uncore survey --point U-3");
        assert_none(&session.complaints_but_of_experiments());
    });
}

#[test]
fn drivers_without_events_are_no_obstacle() {
    const CLOCK: &str = "ivbep_uncore_cbox_0/clockticks/";
    on(&free_running(), |session| {
        assert_eq!(named(session, "--point U-3"), ["U-3:a"]);
        let refused = session.fails(&format!("perf stat -a -e {CLOCK} -- uncore survey"));
        assert!(
            refused.contains("events of uncore_rs are open"),
            "{refused}"
        );
        session.ok(&format!("perf stat -a -e {CLOCK} -- true"));
        session.reload();
        assert_none(&session.complaints_but_of_experiments());
    });
    on(
        &Config::of(Driver::IntelUncore).with("free-run", "on"),
        |session| {
            session.tolerate_missing_ones();
            assert_eq!(named(session, "--point U-3"), ["U-3:a"]);
            assert_none(&session.complaints_but_of_experiments());
        },
    );
}
