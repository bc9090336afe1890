// SPDX-License-Identifier: GPL-2.0

//! Output of `list`.

use std::collections::BTreeSet;

use crate::recording::{assert_has, Recording};

#[test]
fn finds_by_all_words() {
    let recording = Recording::two_packages();
    let text = recording.run(&["list", "CBOX", "llc_lookup"]).text;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "ivbep_uncore_cbox_N, N = 0-2: 4 counters of 44 bits; filters: tid, state, nid, opc"
    );
    let nid =
        "  llc_lookup.nid           0,1       filter_nid        event=0x34,umask=0x41,filter_nid=?";
    assert!(lines.contains(&nid), "{text}");
    assert_eq!(lines.len(), 7, "{text}");
}

#[test]
fn finds_by_unit_of_measurement() {
    let recording = Recording::two_packages();
    let json = recording.json(&["list", "--json", "mib", "uncore_imc"]);
    let units = json.as_array().expect("a list");
    assert_eq!(units.len(), 1);
    assert_eq!(units[0]["unit"], "imc");
    assert_eq!(units[0]["pmus"].as_array().map(Vec::len), Some(8));
    let events = units[0]["events"].as_array().expect("a list");
    let read = events
        .iter()
        .find(|event| event["name"] == "cas_count.rd")
        .expect("there");
    assert_eq!(read["unit"], "MiB");
    assert_eq!(read["terms"], "event=0x04,umask=0x03");
    assert_eq!(read["scale"], 64.0 / 1024.0 / 1024.0);
}

#[test]
fn finds_by_what_an_event_counts() {
    let recording = Recording::two_packages();
    let text = recording.run(&["list", "-v", "memory", "bandwidth"]).text;
    let at = text.find("\n  cas_count.rd ").expect("an event");
    let about: Vec<&str> = text[at..].lines().skip(2).take(3).collect();
    assert!(
        about[0].starts_with("      Read and write commands (CAS)"),
        "{text}"
    );
    assert!(about.join(" ").contains("Here: all reads"), "{text}");
    let json = recording.json(&["list", "--json", "cas_count.rd"]);
    let description = json[0]["events"][0]["description"]
        .as_str()
        .expect("a text");
    assert!(
        description.starts_with("Read and write commands"),
        "{description}"
    );
}

#[test]
fn says_which_counters_and_filters_an_event_takes() {
    let recording = Recording::two_packages();
    let json = recording.json(&["list", "--json", "tor_inserts.opcode"]);
    let event = &json[0]["events"][0];
    assert_eq!(event["counters"], "0,1");
    assert_eq!(event["takes"][0], "opc");
    // Who may not read debugfs is told the rest.
    recording.remove("sys/kernel/debug/uncore_rs/events");
    let json = recording.json(&["list", "--json", "tor_inserts.opcode"]);
    let event = &json[0]["events"][0];
    assert!(event["counters"].is_null());
    assert_eq!(event["needs"][0], "filter_opc");
}

#[test]
fn a_module_that_comes_or_goes_may_lack_pmus() {
    let recording = Recording::two_packages();
    for (state, said) in [("coming", "loaded: try again"), ("going", "unloaded")] {
        recording.write("sys/module/uncore_rs/initstate", format!("{state}\n"));
        for command in ["list", "topology"] {
            let error = recording.error(&[command]);
            assert_eq!(error, format!("uncore_rs is being {said}"));
        }
    }
    recording.write("sys/module/uncore_rs/initstate", "live\n");
    recording.run(&["list"]);
}

#[test]
fn shows_every_event_of_every_unit() {
    Recording::of_all_processors().for_each(|recording| has_every_event(&recording));
}

fn has_every_event(recording: &Recording) {
    let pmus = recording.names("sys/bus/event_source/devices");
    let units = pmus.iter().filter_map(|pmu| {
        let (_, unit) = pmu.split_once("_uncore_")?;
        Some(unit.trim_end_matches(|end: char| end == '_' || end.is_ascii_digit()))
    });
    let units = units.collect::<BTreeSet<_>>().len();
    let json = recording.json(&["list", "--json"]);
    for unit in json.as_array().expect("a list") {
        let pmu = unit["pmus"][0].as_str().expect("a name");
        let files = recording.names(&format!("sys/bus/event_source/devices/{pmu}/events"));
        let ends = [".unit", ".scale"];
        let is_event = |name: &&String| !ends.iter().any(|end| name.ends_with(end));
        let expected = files.iter().filter(is_event).count();
        assert_eq!(
            unit["events"].as_array().map(Vec::len),
            Some(expected),
            "{pmu}"
        );
    }
    assert_eq!(json.as_array().map(Vec::len), Some(units));
}

#[test]
fn says_what_the_user_has_to_give() {
    let recording = Recording::two_packages();
    let json = recording.json(&["list", "--json", "addr_opc_match.filt"]);
    let needs = &json[0]["events"][0]["needs"];
    assert_eq!(*needs, serde_json::json!(["filter_addr", "filter_opc"]));
}

#[test]
fn works_with_the_other_names() {
    let text = Recording::compat().run(&["list", "cas_count.rd_reg"]).text;
    assert!(text.starts_with("uncore_imc_N, N = 0-7: "), "{text}");
}

#[test]
fn an_event_of_some_boxes_only_says_so() {
    let recording = Recording::two_packages();
    let events = "sys/bus/event_source/devices/ivbep_uncore_cbox_1/events";
    recording.remove(events);
    recording.write(&format!("{events}/special"), "event=0x99\n");
    assert_has(
        &recording.run(&["list", "special"]).text,
        &["special (only cbox_1)"],
    );
}

#[test]
fn nothing_found_is_not_success() {
    let outcome = Recording::two_packages().run(&["list", "no_such_thing"]);
    assert!(outcome.trouble);
    assert_eq!(
        outcome.notes,
        ["no event matches all of these words: no_such_thing"]
    );
}

/// What people look for is seldom the name of an event.
#[test]
fn words_that_match_nothing_lead_to_events() {
    let recording = Recording::two_packages();
    for (word, command) in [
        ("cas_cuont", "`uncore list cas_count"),
        ("qpi_data_bandwidth_tx", "`uncore list txl_flits"),
    ] {
        assert_has(recording.run(&["list", word]).notes.concat(), &[command]);
    }
}

#[test]
fn nothing_without_the_module() {
    assert_has(
        Recording::intel_uncore().error(&["list"]),
        &["no PMUs of uncore_rs", "doctor"],
    );
}

#[test]
fn a_list_fits_its_terminal() {
    for recording in Recording::of_all_processors() {
        for width in [80, 100, 130] {
            let text = recording.on_width(&["list"], width).text;
            let rows = text.lines().filter(|line| line.starts_with("  "));
            let wide = rows.filter(|row| row.chars().count() > width);
            assert_eq!(wide.collect::<Vec<_>>(), Vec::<&str>::new());
        }
    }
    let text = Recording::two_packages().on_width(&["list", "cbox", "clockticks"], 80);
    let clock = text
        .text
        .lines()
        .find(|line| line.starts_with("  clockticks "));
    assert!(
        clock.is_some_and(|line| line.ends_with("  any")),
        "{}",
        text.text
    );
}
