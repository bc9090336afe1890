// SPDX-License-Identifier: GPL-2.0

//! Allocations of the kernel that fail, one after the other, while the driver is loaded or
//! asked for something. Only the debug kernel has them fail on demand.

use super::load;
use super::report::Report;
use super::trial::{ANOTHER_CPU, CPUS};
use crate::catalogue::BoxKind;
use crate::fixture::probe::Probe;
use crate::fixture::{samples, switch, Function, Session};
use crate::{MODULE, UNLOAD};
use std::collections::BTreeMap;

/// Of the allocations of loading, nearly all are names in sysfs: each 499th is in another
/// PMU, or elsewhere in the same.
const STRIDE: u32 = 499;
/// Before the first PMU, each allocation is another.
const FIRST: u32 = 150;

/// Each takes a load. Later ones are the scheduler's, without some of which the kernel has
/// a CPU come that it cannot take offline again (EBUSY).
const ONLINE_STRIDE: u32 = 11;
const ONLINE_LAST: u32 = 540;

/// A C-Box that package 0 lacks if that register fails, so that its PMU comes with
/// package 1.
const ALONE: (&str, &str) = ("ivbep_uncore_cbox_2", "0 0xd50");
const UNREGISTERED: &str = "no PMU can be registered for cbox_2: ";

const DRIVER: &str = "/sys/bus/pci/drivers/ivbep_uncore_pmu";

/// Something that is done again and again, with one allocation failing, then with the next.
pub(super) enum Walk {
    /// Loading the driver: the first allocation, the last, and how many on the next is.
    Load(String),
    /// Opening an event.
    Open(Probe),
    /// Giving a function to the driver.
    Bind(BoxKind, Function),
    /// Bringing up the first CPU of a package.
    Online,
}

/// All that is walked.
pub(super) fn all() -> Vec<Walk> {
    let first = |kind| Some((kind, Function::of(0, kind, 0)?));
    let functions: Vec<_> = BoxKind::ALL.into_iter().filter_map(first).collect();
    let mut all = vec![
        Walk::Load(format!("1 {FIRST} 1")),
        Walk::Load(format!("{FIRST} end {STRIDE}")),
    ];
    let mut probes: Vec<Probe> = samples().collect();
    probes.dedup_by_key(|probe| probe.kind);
    all.extend(probes.into_iter().map(Walk::Open));
    all.extend(functions.iter().map(|&(kind, at)| Walk::Bind(kind, at)));
    all.push(Walk::Online);
    all
}

impl Walk {
    /// What is done.
    fn what(&self) -> String {
        match self {
            Self::Load(walk) if walk.starts_with("1 ") => {
                format!("loading the driver: its first {FIRST}")
            }
            Self::Load(_) => format!("loading the driver: every {STRIDE}th of the others"),
            Self::Open(probe) => format!("opening an event of {}: all", probe.kind),
            Self::Bind(kind, _) => format!("giving a function of {kind} to the driver: all"),
            Self::Online => {
                format!("a CPU with a new PMU: every {ONLINE_STRIDE}th up to {ONLINE_LAST}")
            }
        }
    }

    pub(super) fn title(&self) -> String {
        let what = self.what();
        format!("memory: {}", what.replace(": ", ", "))
    }

    /// Walks, on a machine with the driver loaded and back to that, and notes what came of it; what
    /// should not have.
    pub(super) fn take(&self, session: &mut Session, report: &mut Report) -> Vec<String> {
        let outcomes = match self {
            Self::Load(walk) => {
                session.ok(UNLOAD);
                let outcomes = fail_nth(session, &format!("{walk} load {MODULE} ivbep_uncore"));
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
            Self::Online => {
                let (pmu, register) = ALONE;
                let [first, other] = [CPUS[1], ANOTHER_CPU];
                let switch = |on| [first, other].map(|cpu| switch(cpu, on)).join(" && ");
                session.ok(UNLOAD);
                session.machine(&format!("fail-msr {register}"));
                session.ok(&format!("{} && dmesg -c > /dev/null", switch(false)));
                let walk = format!(
                    "1 {ONLINE_LAST} {ONLINE_STRIDE} online {first} {MODULE} ivbep_uncore {pmu}"
                );
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
        self.judge(&outcomes, report)
    }

    /// Sorts what came of it.
    fn judge(&self, outcomes: &BTreeMap<String, u64>, report: &mut Report) -> Vec<String> {
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
        report.walked(&self.what(), sorted);
        faults
    }
}

pub(super) const REFUSED: &str = "refused (ENOMEM)";
pub(super) const NAMED: &str = "named as missing";
pub(super) const DONE: &str = "done all the same";

/// What `fail-nth` says of a PMU that is not there.
const MISSING: &str = "its PMU is missing";

/// The kernel does without some of what it asks for.
fn explain(outcome: &str) -> Option<&'static str> {
    match outcome {
        "ok" => Some(DONE),
        "ENOMEM" => Some(REFUSED),
        MISSING => Some(NAMED),
        words if words.contains("memory") => Some(REFUSED),
        _ => None,
    }
}

/// What `fail-nth` prints: how often it came to what.
fn fail_nth(session: &mut Session, arguments: &str) -> BTreeMap<String, u64> {
    let printed = session.ok(&format!("fail-nth {arguments}"));
    let lines = printed.lines().filter_map(|line| line.split_once(' '));
    let parse = |(times, outcome): (&str, &str)| Some((outcome.to_owned(), times.parse().ok()?));
    lines.filter_map(parse).collect()
}

/// Opens an event until it opens without a failure, which is the last answer.
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
        assert_eq!(count("memory: opening an event of "), BoxKind::ALL.len());
        assert_eq!(count("giving a function"), 6);
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
