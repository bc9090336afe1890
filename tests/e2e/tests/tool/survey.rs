// SPDX-License-Identifier: GPL-2.0

//! `uncore survey` names the readings that the machine takes, leaves the registers as they were, and
//! waits for those who count. `tests/engine` has it under each reading.

use super::free_running;
use uncore_e2e::prelude::*;

/// Cycles of uclk that an event counts.
const BURST: u64 = 1_000_000;

/// Packages of the usual machine.
const PACKAGES: [u8; 2] = [0, 1];

/// Readings of different points, of registers, overflows and events, that a machine takes at once.
const PLANTED: [&str; 8] = [
    "U-1:b", "U-3:b", "U-9:c", "U-12:b", "U-17:b", "U-20:b", "U-32:b", "U-73:c",
];

/// Points that have a reading on this machine.
const POINTS: [&str; 12] = [
    "U-1", "U-2", "U-3", "U-5", "U-9", "U-12", "U-17", "U-20", "U-32", "U-70", "U-73", "U-75",
];

/// Surveys some points, and returns the readings that the report names.
fn readings(session: &mut Session, points: &[&str]) -> Vec<String> {
    let points: Vec<String> = points
        .iter()
        .map(|point| format!("--point {point}"))
        .collect();
    named(session, &points.join(" "))
}

/// Surveys with these arguments, and returns the readings that the report names.
fn named(session: &mut Session, arguments: &str) -> Vec<String> {
    let report = session.ok(&format!("uncore survey {arguments}"));
    let named = report.lines().filter_map(|line| line.split_once("  "));
    let named = named.filter(|(name, _)| name.starts_with("U-"));
    named.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn readings_are_named() {
    on(&free_running(), |session| {
        let usual: Vec<String> = POINTS.iter().map(|point| format!("{point}:a")).collect();
        assert_eq!(readings(session, &POINTS), usual);
        session.machine(&format!("reading {}", PLANTED.join(" ")));
        let points: Vec<&str> = PLANTED
            .iter()
            .filter_map(|name| name.split(':').next())
            .collect();
        assert_eq!(readings(session, &points), PLANTED);
        session.machine("reading a");
        // The driver was loaded under other readings than it ends with.
        session.reload();
        assert_none(&session.complaints_but_of_experiments());
    });
}

/// Other readings of the points about interrupts, which a guest can take.
const OF_INTERRUPTS: [&str; 8] = [
    "U-18:b", "U-18:c", "U-43:b", "U-44:b", "U-45:b", "U-45:c", "U-46:b", "U-46:c",
];

#[test]
fn readings_of_interrupts_are_named() {
    let config = free_running().with("smt", "2").with("cores", "2");
    on(&config, |session| {
        let points = [
            "--interrupts",
            "--point U-18",
            "--point U-43",
            "--point U-44",
        ];
        let all = format!("{} --point U-45 --point U-46", points.join(" "));
        let usual = ["U-18:a", "U-43:a", "U-44:a", "U-45:a", "U-46:a"];
        assert_eq!(named(session, &all), usual);
        let mut wrong = Vec::new();
        for planted in OF_INTERRUPTS {
            session.machine(&format!("reading {planted}"));
            let point = planted.split(':').next().unwrap_or_default();
            let named = named(session, &format!("--interrupts --point {point}"));
            if named != [planted] {
                wrong.push(format!("{planted}: {named:?}"));
            }
        }
        session.machine("reading a");
        assert_none(&wrong);
        session.reload();
        assert_none(&session.complaints_but_of_experiments());
    });
}

#[test]
fn registers_and_counts_are_as_before() {
    on(&Config::default(), |session| {
        session.counts(BURST, &PACKAGES, &[Probe::cbox(0, "llc_lookup.any").into()]);
        let before = session.state();
        let report = session.ok("uncore survey");
        assert!(
            report.contains("points as the driver takes them"),
            "{report}"
        );
        assert_eq!(session.state(), before);
        session.counts(BURST, &PACKAGES, &[Probe::cbox(0, "llc_lookup.any").into()]);
        for private in ["localhost", "serial", "0000:7f", "0000:ff"] {
            assert!(!report.contains(private), "{private}: {report}");
        }
        assert_none(&session.complaints_but_of_experiments());
    });
}

#[test]
fn the_survey_and_events_wait_for_each_other() {
    on(&Config::default(), |session| {
        let clock = "ivbep_uncore_cbox_0/clockticks/";
        let refused = session.fails(&format!("perf stat -a -e {clock} -- uncore survey"));
        assert!(refused.contains("the counters are in use"), "{refused}");
        let survey = "/sys/kernel/debug/uncore_rs/survey";
        session.fails(&format!(
            "exec 3<>{survey}; perf stat -a -e {clock} -- true"
        ));
        session.last_rejection_has(&["uncore survey", "EBUSY"]);
        session.fails(&format!("exec 3<>{survey}; rmmod uncore_rs"));
        session.ok(&format!("perf stat -a -e {clock} -- true"));
    });
}
