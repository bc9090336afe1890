// SPDX-License-Identifier: GPL-2.0

//! The readings: their names, and what each changes.
//!
//! A case does the same to two machines, one of which takes a reading, and fails if they
//! answer alike. A reading that `uncore survey` names on the host needs none: see
//! tests/engine/src/whole/surveyed.rs.

mod cases;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use uncore_machine::{rows_of, Platform, Row, Topology, TABLE, UNNOTICED};

use crate::bench::Bench;

const PLATFORMS: [(Platform, &str, &str); 6] = [
    (Platform::Ivbep, "ivbep", "Ivy Bridge-EP"),
    (Platform::Bdx, "bdx", "Broadwell-EP"),
    (Platform::BdxDe, "bdx-de", "Broadwell-DE"),
    (Platform::Snb, "snb", "Sandy Bridge client"),
    (Platform::Nhmex, "nhmex", "Nehalem-EX and Westmere-EX"),
    (Platform::Wsmex, "wsmex", "Westmere-EX"),
];

/// Values that software finds by a reading, and by the first reading of the point.
struct Case {
    reading: &'static str,
    /// The machine.
    options: &'static str,
    /// Steps of the software, which return the values it finds.
    act: fn(&mut Bench) -> Vec<u64>,
    first: &'static [u64],
    other: &'static [u64],
}

/// Readings that allow what breaks a rule by the first one.
const ALLOWING: &[&str] = &["U-1:b", "U-12:b", "B-4:b", "B-21:b", "S-3:b", "S-4:b"];

#[test]
fn no_reading_breaks_rules_of_another() {
    let mut wrong = String::new();
    for case in cases::CASES {
        let with = format!("{},reading={}", case.options, case.reading);
        let [first, other] = [case.options, &with].map(|options| {
            let mut bench = Bench::new(options);
            (case.act)(&mut bench);
            bench.broken()
        });
        let only_other = other.iter().filter(|rule| !first.contains(rule));
        let breaks = only_other.count() != 0;
        let allows = other.is_empty() && !first.is_empty();
        if breaks || allows != ALLOWING.contains(&case.reading) {
            let _infallible = writeln!(wrong, "{with}: {other:x?}, without {first:x?}");
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn each_reading_is_what_it_says() {
    let mut wrong = String::new();
    for case in cases::CASES {
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

/// The lists of the page, from the table: each row under its first platform.
fn page() -> String {
    let mut text = String::new();
    for (at, (platform, _, title)) in PLATFORMS.into_iter().enumerate() {
        let _infallible = write!(text, "\n{title}\n{}\n\n", "-".repeat(title.len()));
        let (before, after) = (&PLATFORMS[..at], &PLATFORMS[at + 1..]);
        let of_one = |row: &Row, some: &[(Platform, &'static str, &str)]| {
            let names = some.iter().filter(|(other, ..)| row.is_of(*other));
            names.map(|(_, name, _)| *name).collect::<Vec<_>>()
        };
        for row in rows_of(platform).filter(|row| of_one(row, before).is_empty()) {
            let also = of_one(row, after).join(", ");
            let also = if also.is_empty() {
                also
            } else {
                format!(", also {also}")
            };
            let start = if row.at_start { " (at the start)" } else { "" };
            let _infallible = write!(text, "{}{also}{start}\n  {}\n", row.name(), row.says);
        }
    }
    text
}

/// The list of points without a reading, from their table.
fn unnoticed() -> String {
    let lines = UNNOTICED.iter();
    let lines = lines.map(|point| format!("{}\n  {}\n", point.point, point.why));
    lines.collect()
}

#[test]
fn the_page_is_that_of_the_table() {
    const PAGE: &str = include_str!("../../../../../Documentation/development/readings.rst");
    for list in [page(), unnoticed()] {
        assert!(PAGE.contains(&list), "the page lacks this list:\n{list}");
    }
}

#[test]
fn each_point_has_a_heading_and_each_heading_its_place() {
    const PAGES: [&str; 4] = [
        include_str!("../../../../../Documentation/hardware/uncertain.rst"),
        include_str!("../../../../../Documentation/hardware/bdx.rst"),
        include_str!("../../../../../Documentation/hardware/snb.rst"),
        include_str!("../../../../../Documentation/hardware/nhmex.rst"),
    ];
    let heading =
        |line: &'static str| Some(line.split_once(": ")?.0).filter(|point| is_point(point));
    let headings: BTreeSet<&str> = PAGES
        .iter()
        .flat_map(|page| page.lines())
        .filter_map(heading)
        .collect();
    for row in TABLE {
        assert!(headings.contains(row.point), "{} has no text", row.name());
    }
    let unnoticed: BTreeSet<&str> = UNNOTICED.iter().map(|point| point.point).collect();
    let both = TABLE.iter().filter(|row| unnoticed.contains(row.point));
    assert_eq!(both.count(), 0);
    assert!(unnoticed.is_subset(&headings));
    let placed: BTreeSet<&str> = TABLE.iter().map(|row| row.point).chain(unnoticed).collect();
    let forgotten: Vec<&str> = headings.difference(&placed).copied().collect();
    assert_eq!(forgotten, [""; 0], "in neither list");
}

fn is_point(word: &str) -> bool {
    let number = word.split_once('-').map(|(letter, number)| {
        ["U", "B", "S", "X"].contains(&letter) && number.parse::<u8>().is_ok()
    });
    number.unwrap_or(false)
}

#[test]
fn each_reading_has_a_name_of_its_own() {
    for (platform, name, _) in PLATFORMS {
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
        ("platform=snb,reading=S-1:b+S-1:c", "S-1"),
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
