// SPDX-License-Identifier: GPL-2.0

//! The driver under every other reading of what the sources leave open: a short sweep that
//! it counts exactly, or refuses in words.
//!
//! One machine switches readings between loads of the driver. A reading of what an event
//! means, which no driver can see, is in [`MEANINGS`] with the events that differ: these are
//! left out of its sweep.

use crate::overflow::clocks::{interrupting, polled};
use std::fmt::Write as _;
use std::io::{stderr, Write as _};
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::prelude::*;
use uncore_e2e::sweep::events::rows;
use uncore_e2e::sweep::filters::settings;

/// Cycles of uclk that a sweep counts.
const BURST: u64 = 1_000_000;

/// Distance of a preloaded counter from its wrap, and a burst in which it wraps once.
const BEFORE: u64 = 1000;
const WRAP: u64 = 5000;

/// Each such event and setting of a filter is counted.
const EACH: usize = 7;

/// Readings of the meaning of events, with words of the events that count otherwise.
const MEANINGS: &[(&str, &[&str])] = &[
    ("U-17:b", &["clockticks_general"]),
    ("U-24:b", &["match_rds"]),
    ("U-25:b", &["addr_opc_match"]),
    ("U-25:c", &["addr_opc_match"]),
    ("U-26:b", &["addr_opc_match"]),
    ("U-27:b", &["demotions"]),
    ("U-28:b", &["demotions", "freq_band"]),
];

/// The machine and the driver's parameters: by interrupt, however long an emulated processor
/// takes.
fn machine() -> Config {
    let parameters = ["overflow=pmi", "frozen_limit=100"];
    Config {
        parameters: parameters.map(str::to_owned).to_vec(),
        ..Config::default()
    }
}

/// The readings that the machine can take while it runs.
fn readings(session: &mut Session) -> Vec<String> {
    let lines = session.machine("readings");
    let switchable = lines
        .lines()
        .filter(|line| !line.contains("(at the start only)"));
    let names = switchable.filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// The events of a sweep, but for those of which one of these words is a part.
fn events(without: &[&str]) -> Vec<Probe> {
    let clocks = interrupting().into_iter().map(|clock| clock.probe);
    let first = |probe: &Probe| probe.instance == 0;
    let some = rows(&Shape::of(&machine()))
        .into_iter()
        .filter(first)
        .step_by(EACH);
    let some = some.chain(settings().into_iter().step_by(EACH));
    let all = clocks.chain(polled()).chain(some);
    let differs = |probe: &Probe| {
        let event = probe.event().to_string();
        without.iter().any(|word| event.contains(word))
    };
    all.filter(|probe| !differs(probe)).collect()
}

/// Counts events together, as many as fit.
fn count(session: &mut Session, without: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for run in pack(events(without).into_iter().map(|probe| vec![probe])) {
        let wanted = Wanted::all(run);
        wrong.extend(session.mismatches(BURST, Platform::packages(), &wanted));
    }
    wrong
}

/// Lets a counter of each type of box wrap twice, in the first package.
fn wrap(session: &mut Session) -> Vec<String> {
    let mut wrong = Vec::new();
    let fixed = Probe::new(BoxKind::Ubox, 0, "clockticks");
    let clocks = interrupting().into_iter().map(|clock| clock.probe);
    for probe in clocks.chain(polled()).chain([fixed]) {
        let unit = probe.kind.unit();
        let answers = session.perf_open(&[
            probe.open("event", 0),
            format!(
                "times 2 machine preload-all {BEFORE} {unit}; read event; \
                 machine burst-through {WRAP}; settle; read event"
            ),
        ]);
        let seen = reads(&answers, "event");
        let grown = seen
            .chunks(2)
            .map(|pair| Some(pair.last()?.as_ref()?.wrapping_sub(pair[0]?)));
        let expected = probe.count(0, WRAP);
        if !grown.clone().all(|grown| grown == Some(expected)) || seen.len() != 4 {
            let grown: Vec<_> = grown.collect();
            wrong.push(format!(
                "{}: grew by {grown:?}, not {expected}: {answers:?}",
                probe.event()
            ));
        }
    }
    wrong
}

/// Faults under a reading.
fn under(session: &mut Session, reading: &str) -> Vec<String> {
    let driver = session.run("rmmod uncore_rs");
    session.machine(&format!("reading {reading}"));
    session.ok("dmesg -c >/dev/null");
    let parameters = machine().parameters.join(" ");
    let module = Driver::UncoreRs.module().unwrap_or_default();
    let loaded = session.run(&format!("load-module {module} {parameters}"));
    let mut wrong = Vec::new();
    if driver.status != 0 || loaded.status != 0 {
        wrong.push(format!("loading: {} {}", driver.stderr, loaded.stderr));
        return wrong;
    }
    let (_, without) = MEANINGS
        .iter()
        .find(|(name, _)| *name == reading)
        .unwrap_or(&("", &[]));
    wrong.extend(count(session, without));
    wrong.extend(wrap(session));
    let faults = session.faults();
    wrong.extend(faults.log.into_iter().map(|line| format!("kernel: {line}")));
    wrong.extend(
        faults
            .violations
            .into_iter()
            .map(|line| format!("rule: {line}")),
    );
    let log = session.ok("dmesg");
    let own = log
        .lines()
        .filter(|line| line.contains("uncore_rs") && !wrong.is_empty());
    let said: Vec<String> = own.map(|line| format!("it says: {line}")).collect();
    wrong.extend(said);
    wrong
}

#[test]
#[ignore = "shows what is wrong under each reading"]
fn each_reading_counts_or_is_refused() {
    on_new(&machine(), |session| {
        let chosen = std::env::var("UNCORE_READINGS").unwrap_or_default();
        let mut report = String::new();
        let first = ["a".to_owned()].into_iter();
        let all: Vec<String> = first.chain(readings(session)).collect();
        let wanted =
            |name: &String| chosen.is_empty() || chosen.split(' ').any(|word| word == name);
        for reading in all.into_iter().filter(wanted) {
            let wrong = under(session, &reading);
            let line = format!(
                "{reading}: {} wrong\n  {}\n",
                wrong.len(),
                wrong.join("\n  ")
            );
            let _infallible = stderr().write_all(line.as_bytes());
            if !wrong.is_empty() {
                let _infallible = write!(report, "{line}");
            }
        }
        session.run("rmmod uncore_rs");
        session.machine("reading a");
        assert_eq!(report, "");
    });
}
