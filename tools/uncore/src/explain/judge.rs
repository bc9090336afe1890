// SPDX-License-Identifier: GPL-2.0

//! What the module says of an event: it is opened, without being started, in every package.

use std::collections::BTreeMap;

use crate::counting::{remedy, Group, Refusal};
use crate::system::{Pmu, System, Words};
use crate::table;

/// What the module says of an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It can be opened on these CPUs.
    Accepted(Vec<u32>),
    /// What the module says, a line for each reason.
    Refused(Vec<String>),
    /// Nothing was asked, for this reason.
    NotAsked(String),
}

impl Verdict {
    /// Returns whether the module refuses the event.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }

    /// Returns what is to be printed, each line as the predicate of a sentence.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::Accepted(cpus) => vec![format!("accepts it on CPU {}", table::ranges(cpus))],
            Self::Refused(lines) => lines.clone(),
            Self::NotAsked(why) => vec![format!("was not asked: {why}")],
        }
    }
}

/// Asks the module of this machine.
pub(super) fn ask(system: &System, pmus: &[&Pmu], words: Words) -> Verdict {
    if !system.root.is_live() {
        return Verdict::NotAsked("this is a recorded system".to_owned());
    }
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut cpus = Vec::new();
    for pmu in pmus {
        for &cpu in &pmu.cpus {
            match Group::open(pmu, cpu, &[words]) {
                Ok(_) => cpus.push(cpu),
                Err(refusal) if refusal.is_about_the_event() => {
                    let reason = system.why_refused(pmu, &words, &refusal.source);
                    let boxes = reasons.entry(reason).or_default();
                    if !boxes.contains(&pmu.box_name()) {
                        boxes.push(pmu.box_name());
                    }
                }
                Err(Refusal { source, .. }) => {
                    return Verdict::NotAsked(format!("{source}; {}", remedy(&source)));
                }
            }
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    match (reasons.is_empty(), cpus.is_empty()) {
        (false, _) => Verdict::Refused(refusals(&reasons, pmus.len())),
        (true, true) => Verdict::NotAsked("no package has the box now".to_owned()),
        (true, false) => Verdict::Accepted(cpus),
    }
}

/// Returns a line for each reason, with the boxes if not all of them refuse for it.
fn refusals(reasons: &BTreeMap<String, Vec<String>>, all: usize) -> Vec<String> {
    let line = |(reason, boxes): (&String, &Vec<String>)| match boxes.len() {
        count if count == all => format!("refuses it: {reason}"),
        _ => format!("refuses it on {}: {reason}", boxes.join(", ")),
    };
    reasons.iter().map(line).collect()
}
