// SPDX-License-Identifier: GPL-2.0

//! What Westmere-EX has and Nehalem-EX has not: two more C-Boxes, events of its own, and
//! sub-events with other values (Documentation/hardware/nhmex.rst). On other platforms the test
//! is ignored; `make test-wsmex-KERNEL` runs it.

use super::{boxes_are_right, machine, visible};
use std::collections::{BTreeMap, BTreeSet};
use uncore_catalogue::{nhmex_rows, wsmex_rows, Row};
use uncore_definition::rate;
use uncore_e2e::formats::{bits, deposit};
use uncore_e2e::prelude::*;

/// A burst in which a signal is on exactly as often as its rate says.
const BURST: u64 = 1 << 26;

/// The box of each type whose files are read and whose events count, the last of its type, and
/// its counters.
const BOXES: [(&str, &str, u64, usize); 7] = [
    ("UBOX", "ubox", 0, 1),
    ("CBO", "cbox_9", 9, 6),
    ("BBOX", "bbox_1", 1, 4),
    ("SBO", "sbox_1", 1, 4),
    ("MBOX", "mbox_1", 1, 6),
    ("RBOX", "rbox_1", 1, 8),
    ("WBOX", "wbox", 0, 4),
];

/// Registers of an M-Box in the config words: the word, and the lowest bit.
const REGISTERS: [(&str, usize, u32); 7] = [
    ("DSP", 1, 0),
    ("MSC_THR", 1, 0),
    ("ISS", 1, 0),
    ("FVC", 1, 0),
    ("PGT", 1, 0),
    ("MAP", 1, 0),
    ("PLD", 1, 32),
];

#[test]
#[ignore = "only on Westmere-EX"]
fn boxes_files_and_events_are_those_of_westmere() {
    let config = machine(&[
        ("platform", "wsmex"),
        ("packages", "1"),
        ("cores", "10"),
        ("cboxes", "10"),
    ]);
    let all = visible(&Shape::of(&config), &[]);
    on_new(&config, |session| {
        boxes_are_right(session, &all);
        for (column, unit, instance, counters) in BOXES {
            let files = Files::of(session, unit);
            assert_eq!(files.identifier, "nhmex-6-2f-2");
            files.have_names(column);
            files.have_values(column);
            // Of the other types the engine's tests on the host count all rows.
            if ["UBOX", "CBO", "SBO"].contains(&column) {
                count(session, &files, column, instance, counters);
            }
        }
        session.reload();
        let files = Files::of(session, "cbox_9");
        count(session, &files, "CBO", 9, 6);
    });
}

/// The files of a PMU.
struct Files {
    pmu: String,
    identifier: String,
    formats: BTreeMap<String, String>,
    events: BTreeMap<String, String>,
}

impl Files {
    fn of(session: &mut Session, unit: &str) -> Self {
        let pmu = Platform::Nhmex.pmu(unit);
        let text = session.ok(&format!(
            "cd {DEVICES}/{pmu}; grep '' identifier format/* events/*"
        ));
        let of = |folder: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix(folder));
            let lines = lines.filter_map(|line| line.split_once(':'));
            lines
                .map(|(name, content)| (name.to_owned(), content.to_owned()))
                .collect()
        };
        let mut identifier: BTreeMap<String, String> = of("");
        Self {
            pmu,
            identifier: identifier.remove("identifier").unwrap_or_default(),
            formats: of("format/"),
            events: of("events/"),
        }
    }

    /// Checks that there is a name for each row, and none for those of the other model.
    fn have_names(&self, column: &str) {
        let names = |rows: &[Row]| -> BTreeSet<String> {
            let rows = rows.iter().filter(|row| row.kind == column);
            rows.map(name).collect()
        };
        let (own, other) = (names(wsmex_rows()), names(nhmex_rows()));
        let has = |name: &&String| self.events.contains_key(*name);
        let missing: Vec<_> = own.iter().filter(|name| !has(name)).collect();
        assert_eq!(missing, [""; 0], "{}", self.pmu);
        let foreign: Vec<_> = other.difference(&own).filter(has).collect();
        assert_eq!(foreign, [""; 0], "{}", self.pmu);
    }

    /// Checks the words of each row that asks for nothing.
    fn have_values(&self, column: &str) {
        for row in wsmex_rows().iter().filter(|row| row.kind == column) {
            let right = match column {
                "BBOX" | "RBOX" => continue,
                "MBOX" => of_mbox(row),
                // Match and mask are the user's.
                _ if !row.filter.is_empty() => continue,
                _ => {
                    let extra = u64::from(row.ext == Some(true)) << 8;
                    [
                        u64::from(row.code) | extra | u64::from(row.umask) << 8,
                        0,
                        0,
                    ]
                }
            };
            assert_eq!(
                self.words(&name(row)),
                Words(right),
                "{}: {row:?}",
                self.pmu
            );
        }
    }

    /// Returns the words of an event, as perf makes them.
    fn words(&self, name: &str) -> Words {
        let mut words = [0; 3];
        for term in self.events[name].split(',') {
            let (field, value) = term.split_once('=').unwrap_or((term, "1"));
            let (word, mask) = bits((field, &self.formats[field]));
            words[word] |= deposit(mask, number(value));
        }
        Words(words)
    }
}

/// Returns the name of a row; of the R-Box that of the first port.
fn name(row: &Row) -> String {
    let mut name = row.event.to_lowercase();
    if !row.subevent.is_empty() {
        name = format!("{name}.{}", row.subevent.to_lowercase());
    }
    match &*row.kind {
        "RBOX" => format!("port0_{name}"),
        _ => name,
    }
}

/// Returns the words of a row of the M-Box, without wrap_mode, which is always set.
fn of_mbox(row: &Row) -> [u64; 3] {
    let code = u64::from(row.code);
    let select = match row.ext {
        Some(true) => code << 19 | 1 << 7,
        _ => code << 9,
    };
    let mut words = [select, 0, 0];
    for register in row.filter.split('+').filter(|text| !text.is_empty()) {
        let (name, value) = register.split_once('=').expect("a value");
        let place = REGISTERS.iter().find(|(known, ..)| *known == name);
        let (_, word, shift) = place.expect("a register");
        words[*word] |= number(value) << shift;
    }
    words
}

/// Counts every row that Nehalem-EX has not, as many at once as there are counters.
fn count(session: &mut Session, files: &Files, column: &str, instance: u64, counters: usize) {
    let is_own = |row: &&Row| row.kind == column && !nhmex_rows().contains(row);
    let rows: Vec<&Row> = wsmex_rows().iter().filter(is_own).collect();
    assert!(!rows.is_empty());
    for rows in rows.chunks(counters) {
        let names: Vec<String> = (0..rows.len()).map(|number| format!("e{number}")).collect();
        let opens = names.iter().zip(rows);
        let opens = opens.map(|(each, row)| files.words(&name(row)).open(&files.pmu, each, 0));
        let mut steps: Vec<String> = opens.collect();
        steps.push(format!("burst {BURST}"));
        steps.extend(names.iter().map(|each| format!("read {each}")));
        let answers = session.perf_open(&steps);
        for (each, row) in names.iter().zip(rows) {
            let right = right_count(row, instance);
            assert_eq!(reads(&answers, each), [Some(right)], "{row:?}: {answers:?}");
        }
    }
}

/// Returns the count of a row in the burst (traffic.rst).
fn right_count(row: &Row, instance: u64) -> u64 {
    let numbers = (0..8).filter(|bit| row.umask >> bit & 1 == 1);
    let numbers: Vec<u64> = if row.umask == 0 {
        vec![8]
    } else {
        numbers.collect()
    };
    let code = u64::from(row.code);
    let blocks: u64 = numbers
        .into_iter()
        .map(|number| rate(code, number, instance, 0))
        .sum();
    let of_code = wsmex_rows()
        .iter()
        .filter(|other| (&other.kind, other.code) == (&row.kind, row.code));
    let peak = of_code.filter_map(|other| other.max_inc).max().unwrap_or(1);
    blocks
        * match u64::from(peak) {
            0 | 1 => 3,
            peak => peak + peak.div_ceil(2) + 1,
        }
}
