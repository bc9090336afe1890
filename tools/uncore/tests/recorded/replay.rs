// SPDX-License-Identifier: GPL-2.0

//! Pictures of recordings, on a machine that has no PMU.

use std::path::Path;

use clap::Parser as _;
use uncore::cli::Cli;
use uncore_metrics::recording::{Machine, Package, Writer};
use uncore_metrics::{Interval, Outcome, Unit};

use crate::recording::{assert_has, Recording};
use crate::topology::assert_well_formed;

/// A recording of two seconds, in which the channel reads 3 GB and 5 GB.
pub(crate) fn recorded() -> Vec<u8> {
    let machine = Machine {
        platform: "ivbep".to_owned(),
        packages: vec![Package {
            number: 0,
            boxes: vec!["imc_0".to_owned()],
            missing: Vec::new(),
        }],
        ..Machine::default()
    };
    let mut writer = Writer::new(Vec::new(), &machine).expect("memory can be written");
    for (end, value) in [(1.0, 3e9), (2.0, 5e9)] {
        let read = Outcome {
            package: Some(0),
            box_type: "imc".to_owned(),
            box_name: Some("imc_0".to_owned()),
            metric: "memory_read_bytes".to_owned(),
            value: Ok(value),
            unit: Unit::Bytes,
            seconds: 1.0,
            counted: 1.0,
            apart: false,
        };
        let interval = Interval {
            end,
            seconds: 1.0,
            outcomes: vec![read],
        };
        writer.write(&interval).expect("memory can be written");
    }
    writer.into_inner()
}

/// Draws a recording. Returns the picture and the notes.
fn drawn(command: &str, recorded: &[u8]) -> (String, Vec<String>) {
    let bare = Recording::bare();
    bare.write("rec", recorded);
    let [rec, svg] = ["rec", "out.svg"].map(|name| bare.argument(name));
    let outcome = bare.run(&[command, "--replay", &rec, "--svg", &svg]);
    assert_eq!(outcome.text, "");
    let picture = String::from_utf8(bare.read("out.svg")).expect("text");
    assert_well_formed(&picture);
    (picture, outcome.notes)
}

#[test]
fn a_recording_is_drawn_without_a_pmu() {
    for command in ["stat", "topology"] {
        let (picture, notes) = drawn(command, &recorded());
        assert_has(&picture, &["read 4 GB/s"]);
        assert_eq!(notes, Vec::<String>::new());
    }
}

#[test]
fn the_picture_says_what_the_recording_lacks() {
    let recorded = recorded();
    for command in ["stat", "topology"] {
        let (picture, notes) = drawn(command, &recorded[..recorded.len() - 10]);
        assert_has(&picture, &["read 3 GB/s"]);
        let note = "rec:3: the last interval is not complete and is left out";
        assert_has(&picture, &[note]);
        assert!(notes[0].ends_with(note), "{notes:?}");
    }
}

#[test]
fn a_page_needs_nothing_else_and_a_screen_is_a_picture() {
    let bare = Recording::bare();
    bare.write("rec", recorded());
    let [rec, page, svg] = ["rec", "p.html", "s.svg"].map(|name| bare.argument(name));
    bare.run(&["stat", "--replay", &rec, "--html", &page]);
    let page = String::from_utf8(bare.read("p.html")).expect("text");
    assert_has(&page, &["In 2.0 s:", "<td>memory read</td><td>4 GB/s</td>"]);
    assert_eq!(page.matches("<svg").count(), 2);
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("href="));
    bare.run(&["top", "--replay", &rec, "--svg", &svg]);
    let screen = String::from_utf8(bare.read("s.svg")).expect("text");
    assert_well_formed(&screen);
    assert_has(&screen, &["5\u{a0}GB/s", ">\u{a0}\u{a0}imc_0\u{a0}"]);
}

#[test]
fn nothing_counted_is_no_picture() {
    let bare = Recording::bare();
    let recorded = recorded();
    let head = recorded.split_inclusive(|byte| *byte == b'\n').next();
    bare.write("rec", head.expect("a line"));
    let [rec, svg] = ["rec", "out.svg"].map(|name| bare.argument(name));
    let outcome = bare.run(&["stat", "--replay", &rec, "--svg", &svg]);
    assert!(outcome.trouble && !bare.path("out.svg").exists());
    assert_has(outcome.notes.concat(), &["there is nothing to draw"]);
}

#[test]
fn a_wrong_recording_is_named() {
    let bare = Recording::bare();
    for (content, expected) in [
        ("x\n", "rec:1: not a recording, which begins with"),
        (
            "{\"uncore_recording\":9}\n",
            "rec:1: format 9 of a recording",
        ),
    ] {
        bare.write("rec", content);
        let rec = bare.argument("rec");
        let error = bare.error(&["stat", "--replay", &rec, "--svg", "/nowhere/out.svg"]);
        assert_has(&error, &[expected]);
    }
    let error = bare.error(&["topology", "--replay", "/nowhere/rec", "--svg", "/dev/null"]);
    assert!(
        error.starts_with("/nowhere/rec cannot be read: "),
        "{error}"
    );
}

#[test]
fn a_recording_is_only_drawn() {
    for words in [
        "stat --replay r",
        "topology --replay r",
        "stat --svg s -e imc/x/",
        "stat --svg s -j",
        "stat --svg s --html h",
        "top --svg s --once",
        "stat --svg s --replay r -I 100ms",
        "stat --svg s --replay r -- true",
    ] {
        let words = format!("uncore {words}");
        let parsed = Cli::try_parse_from(words.split(' ').map(Path::new));
        assert!(parsed.is_err(), "{words}");
    }
}
