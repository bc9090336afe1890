// SPDX-License-Identifier: GPL-2.0

//! The readings: their names, and what each changes.
//!
//! A case does the same to two machines, one of which takes a reading, and fails if they
//! answer alike. A reading needs none that `uncore survey` names on the host, that
//! events tell there, or that the plugin obeys: see tools/uncore-survey/tests/readings.rs,
//! sweep/readings in tests/engine/src, and the tests of the plugin.

pub(crate) mod cases;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use uncore_machine::{rows_of, Platform, Topology};

use crate::bench::Bench;

/// Values that software finds by a reading, and by the first reading of the point.
pub(crate) struct Case {
    pub(crate) reading: &'static str,
    /// The machine.
    pub(crate) options: &'static str,
    /// Steps of the software, which return the values it finds.
    pub(crate) act: fn(&mut Bench) -> Vec<u64>,
    pub(crate) first: &'static [u64],
    pub(crate) other: &'static [u64],
}

fn all_cases() -> impl Iterator<Item = &'static Case> {
    let of_platforms = crate::CASES_OF_PLATFORMS.into_iter().flatten();
    cases::CASES.iter().chain(of_platforms)
}

#[test]
fn each_reading_is_what_it_says() {
    let mut wrong = String::new();
    for case in all_cases() {
        assert_ne!(case.first, case.other, "{}", case.reading);
        let with = format!("{},reading={}", case.options, case.reading);
        for (options, expected) in [(case.options, case.first), (&with, case.other)] {
            let found = (case.act)(&mut Bench::new(options));
            if found != expected {
                let _infallible = writeln!(
                    wrong,
                    "{} with '{options}': {found:x?} in place of {expected:x?}",
                    case.reading
                );
            }
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn each_reading_has_a_name_of_its_own() {
    for (name, platform) in Platform::ALL {
        let mut names = BTreeSet::new();
        for row in rows_of(platform) {
            assert!(
                row.letter != 'a' && names.insert(row.name()),
                "{}",
                row.name()
            );
            let mut bench = Bench::new(&format!("platform={name},reading={}", row.name()));
            assert_eq!(bench.command("reading"), row.name());
            let lines = bench.command("readings");
            assert!(lines.contains(&format!("{} {}", row.name(), row.says)));
            if row.at_start {
                let mut first = Bench::new(&format!("platform={name}"));
                let refused = first.machine.command(&format!("reading {}", row.name()));
                assert!(refused.is_err(), "{}", row.name());
                continue;
            }
            bench.command("reading a");
            assert_eq!(bench.command("reading"), "");
            bench.command(&format!("reading {}", row.name()));
            assert_eq!(bench.command("reading"), row.name());
        }
    }
}

#[test]
fn mistakes_are_named() {
    let refused = |options: &str| {
        let error = Topology::parse(options).expect_err("a mistake");
        error.to_string()
    };
    for (options, name) in [
        ("reading=U-3:a", "U-3:a"),
        ("reading=", ""),
        ("reading=B-2:b", "B-2:b"),
    ] {
        let text = refused(options);
        let start = format!("reading: '{name}' is not a reading of this machine, say ");
        let others = text
            .strip_prefix(&start)
            .expect("the name, and what it may be");
        assert!(others.split(", ").any(|other| other == "U-3:b"), "{text}");
        assert!(!others.contains("B-2:b"), "{text}");
    }
    for (options, point) in [
        ("reading=U-3:b+U-3:b", "U-3"),
        ("platform=bdx,reading=U-8:b+U-8:d", "U-8"),
    ] {
        assert_eq!(
            refused(options),
            format!("reading: {point} has two readings")
        );
    }
}

#[test]
fn readings_change_while_the_machine_runs() {
    let mut bench = Bench::new("");
    let ones = (1 << 48) - 1;
    bench.wr(0, 0xc09, ones);
    assert_eq!(bench.rd(0, 0xc09), ones);
    bench.command("reading U-3:b");
    assert_eq!(bench.rd(0, 0xc09), ones >> 4, "the bits above are gone");
    bench.command("reading U-33:b");
    bench.wr(0, 0xc09, ones);
    assert_eq!(bench.rd(0, 0xc09), ones);
    assert_eq!(bench.command("reading"), "U-33:b");
    bench.machine.lose_power();
    assert_eq!(bench.command("reading"), "U-33:b", "a sleep changes none");
}

#[test]
fn readings_are_added_and_taken_away() {
    let mut bench = Bench::new("reading=U-38:b+U-9:b");
    bench.command("reading + U-33:b");
    assert_eq!(bench.command("reading"), "U-9:b U-33:b U-38:b");
    bench.command("reading + U-9:e U-3:b");
    assert_eq!(bench.command("reading"), "U-3:b U-9:e U-33:b U-38:b");
    bench.command("reading - U-33:b U-9:b");
    assert_eq!(bench.command("reading"), "U-3:b U-38:b", "of each point");
    for line in [
        "reading +",
        "reading -",
        "reading + U-3:a",
        "reading - U-38:b",
    ] {
        assert!(bench.machine.command(line).is_err(), "{line}");
    }
    assert_eq!(bench.command("reading"), "U-3:b U-38:b");
}
