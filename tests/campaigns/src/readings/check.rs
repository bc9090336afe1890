// SPDX-License-Identifier: GPL-2.0

//! A load of the driver under some readings: what it counts, what it refuses, what the kernel
//! and the model say.
//!
//! Events are counted together, as many as fit, while all counters are about to wrap.

use super::asked::{Asked, Places};
use std::collections::{BTreeMap, BTreeSet};
use uncore_e2e::fixture::pack::pack;
use uncore_e2e::prelude::*;

/// Cycles of uclk that events count, in which most counters wrap.
const BURST: u64 = 1_000_000;

/// Distance of each counter from its wrap.
const BEFORE: u64 = 1000;

/// Outcome of an event in a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The event counted what the definition of traffic says.
    Exact,
    /// The driver refused the event with this errno, or has no such event.
    Refused(String),
    /// The event counted otherwise, in these words.
    Otherwise(String),
}

/// An event in a package, and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) event: Asked,
    pub(super) package: u8,
    pub(super) outcome: Outcome,
}

/// Gives the machine these commands, the readings among them, and loads the driver.
pub(super) fn load(
    session: &mut Session,
    commands: &[String],
    parameters: &[&str],
) -> Result<(), String> {
    let commands = commands.iter();
    let mut words: Vec<String> = commands.map(|words| format!("machine {words}")).collect();
    words.push(format!("load-module {MODULE} {}", parameters.join(" ")));
    done(session, &words.join(" && "))
}

/// Unloads the driver, and undoes what these commands undo.
pub(super) fn unload(session: &mut Session, commands: &[String]) -> Result<(), String> {
    let mut words = vec![UNLOAD.to_owned()];
    words.extend(commands.iter().map(|words| format!("machine {words}")));
    done(session, &words.join(" && "))
}

fn done(session: &mut Session, command: &str) -> Result<(), String> {
    let output = session.run(command);
    match output.status {
        0 => Ok(()),
        status => Err(format!("`{command}`: {status}: {}", output.stderr)),
    }
}

/// Counts events in each package of the machine that has the box.
pub(super) fn count(
    session: &mut Session,
    shape: &Shape,
    places: &Places,
    events: impl IntoIterator<Item = Asked>,
) -> Vec<Seen> {
    let mut all = Vec::new();
    for run in packed(events) {
        let everywhere = run.into_iter().flat_map(|event| {
            let packages = event.packages(shape).into_iter();
            packages.map(move |package| (event.clone(), package))
        });
        all.extend(together(session, places, everywhere.collect()));
    }
    all
}

/// Returns runs that count every event once. Counters that always run are in nobody's way; of the
/// occupancies that another counter shows, a run has one of each box.
fn packed(events: impl IntoIterator<Item = Asked>) -> Vec<Vec<Asked>> {
    let (mut programmed, mut running) = (Vec::new(), Vec::new());
    let mut shown: Vec<(BTreeSet<_>, Vec<Asked>)> = Vec::new();
    for event in events {
        match event {
            Asked::Programmed(probe) => programmed.push(vec![probe]),
            Asked::Running(_) => running.push(event),
            Asked::Shown { .. } => {
                let site = event.site();
                let free = shown.iter_mut().find(|(sites, _)| !sites.contains(&site));
                match free {
                    Some((sites, run)) => {
                        sites.insert(site);
                        run.push(event);
                    }
                    None => shown.push((BTreeSet::from([site]), vec![event])),
                }
            }
        }
    }
    let programmed = pack(programmed).into_iter();
    let programmed = programmed.map(|run| run.into_iter().map(Asked::Programmed).collect());
    let shown = shown.into_iter().map(|(_, run)| run);
    let running = (!running.is_empty()).then_some(running);
    programmed.chain(shown).chain(running).collect()
}

/// Counts events that fit on the counters together.
fn together(session: &mut Session, places: &Places, events: Vec<(Asked, u8)>) -> Vec<Seen> {
    let name = |index: usize| format!("e{index}");
    // Before the events are open: what another tool writes to a running counter ends its event.
    let mut steps = vec![format!("machine preload-all {BEFORE}")];
    for (index, (event, package)) in events.iter().enumerate() {
        let open = event.open(session, &name(index), places.cpu(*package));
        // It may have no PMU.
        steps.extend(open.iter().map(|step| format!("try {step}")));
    }
    let all_read = (0..events.len()).map(|index| format!("try read {}", name(index)));
    steps.extend(all_read.clone());
    steps.push(format!("machine burst-through {BURST}"));
    steps.push("settle".to_owned());
    steps.extend(all_read);
    let answers = Answers::of(session.perf_open(&steps));
    let seen = events
        .into_iter()
        .enumerate()
        .map(|(index, (event, package))| Seen {
            outcome: answers.outcome(&name(index), event.count(package, places, BURST)),
            event,
            package,
        });
    seen.collect()
}

/// Answers of `perf-open`, by the names of events.
struct Answers(BTreeMap<String, Vec<String>>);

impl Answers {
    fn of(lines: Vec<String>) -> Self {
        let mut all = BTreeMap::<String, Vec<String>>::new();
        for line in lines {
            if let Some((name, answer)) = line.split_once(' ') {
                all.entry(name.to_owned())
                    .or_default()
                    .push(answer.to_owned());
            }
        }
        Self(all)
    }

    /// Tells what became of an event that should have counted this.
    fn outcome(&self, name: &str, expected: u64) -> Outcome {
        let answers = self.0.get(name).map_or(&[][..], Vec::as_slice);
        match answers {
            [opened, before, after] if opened == "ok" => match (numbers(before), numbers(after)) {
                (Some(before), Some(after)) => compare(before, after, expected),
                _ => Outcome::Otherwise(format!("it ended: {before}, {after}")),
            },
            [errno] if errno != "ok" => Outcome::Refused(errno.clone()),
            [] => Outcome::Refused("no such event".to_owned()),
            _ => Outcome::Otherwise(format!("{answers:?}")),
        }
    }
}

/// Returns the count, and the times for which the event was enabled and ran.
fn numbers(answer: &str) -> Option<[u64; 3]> {
    let words: Option<Vec<u64>> = answer.split(' ').map(|word| word.parse().ok()).collect();
    words?.try_into().ok()
}

fn compare(before: [u64; 3], after: [u64; 3], expected: u64) -> Outcome {
    let counted = after[0].wrapping_sub(before[0]);
    if after[2] < after[1] {
        let [_, enabled, running] = after;
        return Outcome::Otherwise(format!("it ran {running} of {enabled} ns"));
    }
    if counted == expected {
        Outcome::Exact
    } else {
        Outcome::Otherwise(format!("{counted} in place of {expected}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_that_of_all_answers() {
        let lines = [
            "a ok",
            "b EINVAL",
            "c ok",
            "d ok",
            "e ok",
            "a 5 9 9",
            "failed read b: no",
            "c 5 9 8",
            "d 5 9 9",
            "e error",
            "a 7 19 19",
            "c 7 19 18",
            "d 8 19 19",
            "e error",
        ];
        let answers = Answers::of(lines.map(str::to_owned).to_vec());
        assert_eq!(answers.outcome("a", 2), Outcome::Exact);
        assert_eq!(
            answers.outcome("b", 2),
            Outcome::Refused("EINVAL".to_owned())
        );
        assert_eq!(
            answers.outcome("f", 2),
            Outcome::Refused("no such event".to_owned())
        );
        for name in ["c", "d", "e"] {
            let outcome = answers.outcome(name, 2);
            assert!(
                matches!(outcome, Outcome::Otherwise(_)),
                "{name}: {outcome:?}"
            );
        }
    }
}
