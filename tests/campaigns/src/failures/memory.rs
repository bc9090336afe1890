// SPDX-License-Identifier: GPL-2.0

//! Allocations of the kernel that fail, one after the other, while the driver is loaded
//! or handles a request. Only the debug kernel can fail allocations on demand.

use super::load;
use crate::table::Table;
use serde_json::json;
use std::collections::BTreeMap;
use uncore_e2e::fixture::samples;
use uncore_e2e::prelude::*;

/// Distance between the failing allocations of a load. Nearly all of them are names in
/// sysfs: steps of 499 reach another PMU, or another place in the same PMU.
const STRIDE: u32 = 499;
/// Number of first allocations of a load, each of which is tried: no two of them are
/// alike.
const FIRST: u32 = 150;
/// With all repetitions every allocation of a load is tried, so many in a walk. The last walk
/// ends where there is no allocation left.
const SLICE: u32 = 500;
const SLICES: u32 = 24;

/// Distance between the failing allocations of a CPU that comes online, because each of
/// them costs a load; with all repetitions it is 1. Allocations after the last one are the
/// scheduler's: without some of them the CPU comes online but cannot go offline again (EBUSY).
const ONLINE_STRIDE: u32 = 11;
const ONLINE_LAST: u32 = 540;

/// A C-Box that package 0 lacks while this register fails, so that its PMU is registered
/// with package 1.
const ALONE: (&str, &str) = ("ivbep_uncore_cbox_2", "0 0xd50");
const UNREGISTERED: &str = "failed to register a PMU for cbox_2: ";

/// CPUs of package 1, the first of which brings up its PMUs.
const CPUS: [u16; 2] = [2, 3];

const DRIVER: &str = "/sys/bus/pci/drivers/uncore_rs";

/// Action that is repeated with the first allocation failing, then with the second, and
/// so on.
pub(super) enum Walk {
    /// Load of the driver, with the first failing allocation, the last one, if it is not that
    /// of the load, and the distance between them.
    Load {
        first: u32,
        last: Option<u32>,
        stride: u32,
    },
    /// Opening of an event.
    Open(Probe),
    /// Binding of a function to the driver.
    Bind(BoxKind, Function),
    /// First CPU of a package coming online, with the distance between failing allocations.
    Online(u32),
}

pub(super) fn all() -> Vec<Walk> {
    let first = |kind| Some((kind, Function::of(0, kind, 0)?));
    let functions: Vec<_> = BoxKind::all().filter_map(first).collect();
    let mut all = loads(repeats_all());
    let mut probes: Vec<Probe> = samples().collect();
    probes.dedup_by_key(|probe| probe.kind);
    all.extend(probes.into_iter().map(Walk::Open));
    all.extend(functions.iter().map(|&(kind, at)| Walk::Bind(kind, at)));
    all.push(Walk::Online(if repeats_all() { 1 } else { ONLINE_STRIDE }));
    all
}

/// Returns the walks over allocations of a load: over some of them, or over every one.
fn loads(every: bool) -> Vec<Walk> {
    if !every {
        return vec![
            Walk::Load {
                first: 1,
                last: Some(FIRST),
                stride: 1,
            },
            Walk::Load {
                first: FIRST,
                last: None,
                stride: STRIDE,
            },
        ];
    }
    let slice = |number: u32| Walk::Load {
        first: number * SLICE + 1,
        last: (number + 1 < SLICES).then_some((number + 1) * SLICE),
        stride: 1,
    };
    (0..SLICES).map(slice).collect()
}

impl Walk {
    /// Returns a description of the action.
    fn what(&self) -> String {
        match self {
            Self::Load {
                first,
                last,
                stride: 1,
            } => {
                let last = last.map_or_else(|| "the last".to_owned(), |last| last.to_string());
                format!("loading the driver: {first} to {last}")
            }
            Self::Load { stride, .. } => {
                format!("loading the driver: every {stride}th of the others")
            }
            Self::Open(probe) => format!("opening an event of {}: all", probe.kind),
            Self::Bind(kind, _) => format!("giving a function of {kind} to the driver: all"),
            Self::Online(1) => format!("a CPU with a new PMU: up to {ONLINE_LAST}"),
            Self::Online(stride) => {
                format!("a CPU with a new PMU: every {stride}th up to {ONLINE_LAST}")
            }
        }
    }

    pub(super) fn title(&self) -> String {
        let what = self.what();
        format!("memory: {}", what.replace(": ", ", "))
    }

    /// Runs the walk on a machine with the driver loaded, and loads the driver again at
    /// the end. Records the outcomes in `walks` and returns the unexpected ones.
    pub(super) fn take(&self, session: &mut Session, walks: &mut Walks) -> Vec<String> {
        let outcomes = match self {
            Self::Load {
                first,
                last,
                stride,
            } => {
                session.ok(UNLOAD);
                let last = last.map_or_else(|| "end".to_owned(), |last| last.to_string());
                let walk = format!("{first} {last} {stride} load {MODULE} uncore_rs");
                let outcomes = fail_nth(session, &walk);
                session.ok(&load());
                outcomes
            }
            Self::Open(probe) => open(session, probe),
            Self::Bind(_, at) => {
                let address = at.address();
                let [bind, unbind] = ["bind", "unbind"].map(|file| format!("{DRIVER}/{file}"));
                session.ok(&format!("echo {address} > {unbind}"));
                let walk = format!("1 end 1 write {bind} {address} {unbind} {address}");
                let outcomes = fail_nth(session, &walk);
                session.ok(&format!("echo {address} > {bind}"));
                outcomes
            }
            Self::Online(stride) => {
                let (pmu, register) = ALONE;
                let [first, other] = CPUS;
                let switch = |on| [first, other].map(|cpu| switch(cpu, on)).join(" && ");
                session.ok(UNLOAD);
                session.machine(&format!("fail-msr {register}"));
                session.ok(&format!("{} && dmesg -c > /dev/null", switch(false)));
                let walk =
                    format!("1 {ONLINE_LAST} {stride} online {first} {MODULE} uncore_rs {pmu}");
                let outcomes = fail_nth(session, &walk);
                let said = session.ok(&format!("dmesg | grep -c '{UNREGISTERED}' || true"));
                session.machine(&format!("heal-msr {register}"));
                session.ok(&format!("{} && {}", switch(true), load()));
                let missing = outcomes.get(MISSING).copied().unwrap_or(0);
                if said.trim() != missing.to_string() {
                    return vec![format!(
                        "{missing} PMUs were missing, and the log named {said}"
                    )];
                }
                outcomes
            }
        };
        self.compare(&outcomes, walks)
    }

    /// Sorts the outcomes into `walks` and returns the unexpected ones.
    fn compare(&self, outcomes: &BTreeMap<String, u64>, walks: &mut Walks) -> Vec<String> {
        let mut sorted = BTreeMap::new();
        let mut faults = Vec::new();
        for (outcome, &times) in outcomes {
            match explain(outcome) {
                Some(known) => *sorted.entry(known).or_default() += times,
                None => faults.push(format!("{times} times {outcome}")),
            }
        }
        if !sorted.contains_key(REFUSED) && !sorted.contains_key(NAMED) {
            faults.push(format!("nothing has failed: {outcomes:?}"));
        }
        walks.0.push((self.what(), sorted));
        faults
    }
}

/// Walks over the allocations of an action, each with the number of times of each outcome.
#[derive(Default)]
pub(super) struct Walks(Vec<(String, BTreeMap<&'static str, u64>)>);

impl Walks {
    pub(super) fn table(&self) -> Table {
        let head = ["allocations of", "which", REFUSED, NAMED, DONE];
        let rows = self.0.iter().map(|(what, outcomes)| {
            let (what, which) = what.split_once(": ").unwrap_or((what, ""));
            let [refused, named, done] = [REFUSED, NAMED, DONE]
                .map(|outcome| json!(outcomes.get(outcome).copied().unwrap_or(0)));
            [json!(what), json!(which), refused, named, done]
        });
        Table::new("memory", head, rows)
    }
}

const REFUSED: &str = "refused (ENOMEM)";
const NAMED: &str = "named as missing";
const DONE: &str = "done all the same";

/// Text that `fail-nth` prints for a missing PMU.
const MISSING: &str = "its PMU is missing";

/// Returns the kind of an outcome, if it is allowed. The kernel succeeds without some of
/// its allocations.
fn explain(outcome: &str) -> Option<&'static str> {
    match outcome {
        "ok" => Some(DONE),
        "ENOMEM" => Some(REFUSED),
        MISSING => Some(NAMED),
        words if words.contains("memory") => Some(REFUSED),
        _ => None,
    }
}

/// Runs `fail-nth` and returns the number of times of each outcome it prints.
fn fail_nth(session: &mut Session, arguments: &str) -> BTreeMap<String, u64> {
    let printed = session.ok(&format!("fail-nth {arguments}"));
    let lines = printed.lines().filter_map(|line| line.split_once(' '));
    let parse = |(times, outcome): (&str, &str)| Some((outcome.to_owned(), times.parse().ok()?));
    lines.filter_map(parse).collect()
}

/// Opens an event until no allocation of the call fails; the last answer is that success.
fn open(session: &mut Session, probe: &Probe) -> BTreeMap<String, u64> {
    let open = probe.open("event", 0);
    let answers = session.perf_open(&[format!("failing {open}")]);
    let mut outcomes = BTreeMap::new();
    for outcome in answers
        .iter()
        .filter_map(|answer| answer.rsplit(' ').next())
    {
        *outcomes.entry(outcome.to_owned()).or_default() += 1;
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_box_is_walked() {
        let titles: Vec<String> = all().iter().map(Walk::title).collect();
        let count = |words: &str| titles.iter().filter(|title| title.contains(words)).count();
        assert_eq!(
            count("memory: opening an event of "),
            BoxKind::all().count()
        );
        assert_eq!(count("giving a function"), 6);
    }

    #[test]
    fn slices_have_every_allocation_once() {
        let mut next = 1;
        for walk in loads(true) {
            let Walk::Load {
                first,
                last,
                stride,
            } = walk
            else {
                panic!("{}", walk.title());
            };
            assert_eq!((first, stride), (next, 1));
            next = last.map_or(0, |last| last + 1);
        }
        assert_eq!(next, 0, "the last slice has an end");
    }

    #[test]
    fn only_want_of_memory_explains_a_refusal() {
        assert_eq!(
            explain("Cannot allocate memory (os error 12)"),
            Some(REFUSED)
        );
        assert_eq!(explain("Invalid argument (os error 22)"), None);
    }
}
