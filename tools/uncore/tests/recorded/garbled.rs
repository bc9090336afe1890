// SPDX-License-Identifier: GPL-2.0

//! Files with any content: there may be errors, but they are told, and no
//! command panics or hangs.

use std::collections::BTreeMap;
use std::fs;

use crate::recording::Recording;

const COMMANDS: [&[&str]; 5] = [
    &["doctor", "--json"],
    &["list"],
    &["topology"],
    &[
        "explain",
        "-e",
        "ivbep_uncore_cbox_0/tor_inserts.opcode,filter_opc=0x182/",
    ],
    &[
        "explain",
        "-e",
        "qpi/config=0x200038,config1=0xffffffffffffffff/",
    ],
];

/// A system with few boxes and events, which is quickly read.
fn small() -> Recording {
    let recording = Recording::hidden();
    let devices = "sys/bus/event_source/devices";
    let kept = ["ivbep_uncore_cbox_0", "ivbep_uncore_qpi_0"];
    for name in recording.names(devices) {
        if !kept.contains(&name.as_str()) {
            recording.remove(&format!("{devices}/{name}"));
            continue;
        }
        let events = format!("{devices}/{name}/events");
        for event in recording.names(&events) {
            let starts = ["tor_inserts.opcode", "cto_count", "rxl_flits_g1.drs_data"];
            if !starts.iter().any(|start| event.starts_with(start)) {
                recording.remove(&format!("{events}/{event}"));
            }
        }
    }
    for device in recording.names("sys/bus/pci/devices").iter().skip(2) {
        recording.remove(&format!("sys/bus/pci/devices/{device}"));
    }
    recording
}

/// One file of each kind. Those whose paths differ in numbers only are alike, and
/// so are all events, all their units, all fields.
fn kinds(recording: &Recording) -> Vec<String> {
    let mut kinds = BTreeMap::new();
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        for name in recording.names(&directory) {
            let path = match directory.as_str() {
                "" => name,
                directory => format!("{directory}/{name}"),
            };
            let found = fs::symlink_metadata(recording.path(&path)).expect("there");
            if found.is_dir() {
                directories.push(path);
            } else if found.is_file() {
                kinds.entry(kind(&path)).or_insert(path);
            }
        }
    }
    kinds.into_values().collect()
}

fn kind(path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or_default();
    let name = match directory.rsplit('/').next() {
        Some("format") => "",
        Some("events") => name.rsplit('.').next().unwrap_or_default(),
        _ => name,
    };
    let devices = "sys/bus/event_source/devices/";
    let directory = directory.strip_prefix(devices).map_or(directory, |rest| {
        rest.split_once('/').map_or("PMU", |(_, rest)| rest)
    });
    let kind = format!("{directory}/{name}");
    kind.chars()
        .filter(|letter| !letter.is_ascii_digit())
        .collect()
}

/// Numbers without any pattern, the same in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % limit.max(1)
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next().to_le_bytes()[3]).collect()
    }
}

/// Faults of a file.
fn garbled(original: &[u8], noise: &mut Noise) -> Vec<Vec<u8>> {
    let cut = noise.below(original.len());
    let mut changed = original.to_vec();
    for byte in noise.bytes(4) {
        let place = noise.below(changed.len());
        if let Some(at) = changed.get_mut(place) {
            *at = byte;
        }
    }
    let mut all = vec![
        Vec::new(),
        original[..cut].to_vec(),
        original[cut..].to_vec(),
        changed,
        noise.bytes(300),
        [original, original].concat(),
        original.iter().rev().copied().collect(),
    ];
    let texts = [
        "\n\n\n",
        "0-18446744073709551615",
        "99999999999999999999999",
        "-1",
        ",,,=,:/",
        "config:0-63,0",
        "event=?,event=?,=?",
        "package ",
        "package 0:\n  x missing: \n  _-_ missing: y",
        "\u{feff}\u{0}",
        "package 0: bus\n  cbox_0-4294967295 missing: z\n  cbox_9-1 missing: z\n  a b filters: ",
        "[1.0] x: y [E config=0xfffffffffffffffff]",
        "] : [ ]",
        "NaN",
        "1e999",
    ];
    all.extend(texts.map(|text| text.as_bytes().to_vec()));
    all
}

/// An error is told; a panic fails the test.
fn run_all(recording: &Recording) {
    for command in COMMANDS {
        drop(recording.try_run(command));
    }
}

#[test]
fn no_content_of_any_file_is_fatal() {
    let recording = small();
    let mut noise = Noise(0x1234_5678_9abc_def1);
    for path in kinds(&recording) {
        let original = recording.read(&path);
        for content in garbled(&original, &mut noise) {
            recording.write(&path, &content);
            run_all(&recording);
        }
        recording.write(&path, &original);
    }
}

#[test]
fn a_missing_file_or_a_directory_in_its_place_is_not_fatal() {
    let recording = small();
    for path in kinds(&recording) {
        let original = recording.read(&path);
        recording.remove(&path);
        run_all(&recording);
        fs::create_dir(recording.path(&path)).expect("created");
        run_all(&recording);
        recording.remove(&path);
        recording.write(&path, &original);
    }
}

#[test]
fn what_makes_no_sense_is_told_and_the_rest_is_shown() {
    let recording = Recording::two_packages();
    let file = "sys/bus/event_source/devices/ivbep_uncore_ubox/events/clockticks";
    recording.write(file, "event=\u{1}");
    let outcome = recording.run(&["list", "ubox"]);
    assert!(
        outcome.text.contains("event_msg.doorbell_rcvd"),
        "{}",
        outcome.text
    );
    assert!(outcome.notes[0].contains(file), "{:?}", outcome.notes);
}

#[test]
fn no_argument_is_fatal() {
    let recording = small();
    let mut noise = Noise(0xfeed_beef_0bad_cafe);
    let alphabet: Vec<char> = "cboxqpi_/,=?0x19f{}.config event\u{e9}\u{0}-"
        .chars()
        .collect();
    for length in 0..400 {
        let letters = (0..length % 40).map(|_| alphabet[noise.below(alphabet.len())]);
        let event: String = letters.collect();
        let _ = recording.try_run(&["explain", &format!("--event={event}")]);
        let _ = recording.try_run(&["explain", &format!("--event=cbox/{event}/")]);
        let _ = recording.try_run(&["list", "--", &event]);
    }
}
