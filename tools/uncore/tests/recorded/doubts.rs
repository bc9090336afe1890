// SPDX-License-Identifier: GPL-2.0

//! Doubts about what events count: that they are about something, and that commands tell them.

use std::fs;
use std::io;

use uncore::doubts::{doubts, Doubt};
use uncore::platform::PLATFORMS;
use uncore::system::System;

use crate::doctor;
use crate::recording::{assert_has, Recording};

/// Directory of the pages with the points.
const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Documentation/hardware");

/// Returns the pages with the points, as one text.
fn pages() -> String {
    let entries = fs::read_dir(PAGES).expect("a directory");
    let text = |entry: io::Result<fs::DirEntry>| fs::read_to_string(entry?.path());
    let texts: io::Result<Vec<String>> = entries.map(text).collect();
    texts.expect("pages").concat()
}

/// The doubts of all platforms.
fn all() -> Vec<Doubt> {
    let of_each = PLATFORMS.iter().map(doubts);
    of_each.flat_map(|rows| rows.expect("a table")).collect()
}

/// Returns how a point is settled, as a page has it, in one line.
fn settle(pages: &str, point: &str) -> Option<String> {
    let heading = format!("\n{point}: ");
    let (_, text) = pages.split_once(&heading)?;
    let (_, text) = text.split_once("\n:To settle: ")?;
    let mut lines = text.lines();
    let first = lines.next().map(str::to_owned);
    let rest = lines.take_while(|line| line.starts_with("  "));
    let all = first
        .into_iter()
        .chain(rest.map(|line| line.trim().to_owned()));
    Some(all.collect::<Vec<_>>().join(" "))
}

#[test]
fn each_point_is_on_its_page_with_the_way_to_settle_it() {
    let pages = pages();
    for doubt in all() {
        let settle = settle(&pages, &doubt.point);
        assert_eq!(settle, Some(doubt.settle), "{}", doubt.point);
    }
}

#[test]
fn each_doubt_is_about_an_event_and_fields_that_exist() {
    // The files of events are read when they are needed.
    let recordings: Vec<Recording> = Recording::of_all_processors().collect();
    let system = |recording: &Recording| System::with_pmus(&recording.path("")).expect("PMUs");
    let systems: Vec<System> = recordings.iter().map(system).collect();
    for platform in &PLATFORMS {
        let is_of = |system: &&System| system.platform().is_ok_and(|found| found == platform);
        let pmus = || systems.iter().filter(is_of).flat_map(|system| &system.pmus);
        for doubt in doubts(platform).expect("a table") {
            for pattern in doubt.patterns() {
                let has_event = pmus().any(|pmu| {
                    let mut names = pmu.events().iter();
                    let fields = doubt.fields().all(|field| pmu.format(field).is_some());
                    fields && names.any(|event| doubt.has(pmu, pattern, &event.name))
                });
                assert!(has_event, "{pattern} of {doubt:?}");
            }
        }
    }
}

/// Returns the lines under "uncertain" that `explain` prints.
fn explained(event: &str) -> Vec<String> {
    let text = Recording::two_packages()
        .run(&["explain", "-e", event])
        .text;
    let Some((_, rest)) = text.split_once("\nuncertain\n") else {
        return Vec::new();
    };
    let lines = rest.lines().take_while(|line| line.starts_with("  "));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn explain_tells_the_doubts_about_what_is_set() {
    #[rustfmt::skip]
    let rows: [(&str, &[&str]); 12] = [
        ("ha/addr_opc_match.opc,filter_opc=1/",             &["U-25"]),
        ("ha/addr_opc_match.addr,filter_addr=0x40/",        &["U-26"]),
        ("ha/config=0x320,config1=0x40/",                   &["U-25", "U-26"]),
        ("cbox/llc_lookup.any,filter_state=0x20/",          &["U-6"]),
        ("cbox/llc_lookup.any,filter_state=0x28/",          &[]),
        ("cbox/llc_lookup.any/",                            &[]),
        ("cbox/counter0_occupancy/",                        &["U-15", "U-14"]),
        ("cbox/counter0_occupancy,thresh=1/",               &["U-14"]),
        ("cbox/clockticks/",                                &[]),
        ("cbox/tor_inserts.opcode,filter_opc=0x182/",       &["U-77"]),
        ("pcu/demotions_core3,filter_band0=1/",             &["U-27", "U-28"]),
        ("qpi/message.snp.anysnp/",                         &["U-23"]),
    ];
    for (event, points) in rows {
        let lines = explained(&format!("ivbep_uncore_{event}"));
        let told: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.split(':').next())
            .collect();
        assert_eq!(told, points, "{event}");
    }
    assert_eq!(
        explained("ivbep_uncore_ubox/clockticks_general/"),
        ["U-17: it may count nothing. To settle it: Compare the two."]
    );
}

#[test]
fn list_finds_the_events_of_a_point() {
    let names = |words: &[&str]| -> Vec<String> {
        let arguments: Vec<&str> = ["list", "--json"]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        let units = Recording::two_packages().json(&arguments);
        let units = units.as_array().expect("units").iter();
        let events = units.flat_map(|unit| unit["events"].as_array().expect("events").clone());
        events
            .map(|event| event["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names(&["U-17"]), ["clockticks_general"]);
    let demotions: Vec<String> = names(&["u-27"]);
    assert_eq!(demotions.len(), 15);
    assert!(demotions
        .iter()
        .all(|name| name.starts_with("demotions_core")));
    let uncertain = names(&["uncertain"]);
    assert!(uncertain.contains(&"addr_opc_match.opc".to_owned()));
    assert!(!uncertain.contains(&"tor_inserts.all".to_owned()));
}

#[test]
fn doctor_counts_them() {
    for recording in Recording::of_all_processors() {
        let system = System::with_pmus(&recording.path("")).expect("PMUs");
        let platform = system.platform().expect("a platform");
        let has_doubts = !doubts(platform).expect("a table").is_empty();
        let found = doctor::all(&recording, "meanings");
        assert_eq!(found.len(), usize::from(has_doubts));
        for [status, finding, _] in found {
            assert_eq!(status, "pass");
            assert_has(finding, &["`uncore list uncertain`"]);
        }
    }
}
