// SPDX-License-Identifier: GPL-2.0

//! `uncore survey` under random readings: it names those that hold, or calls a point open.

use super::list::Reading;
use super::plan::choose;
use super::{check, make_line};
use crate::rng::Rng;
use std::ops::Range;
use uncore_e2e::prelude::*;

/// Readings that show another reading of another point: event select 0 of the UBox is an event of
/// the lists.
const FOLLOWS: [(&str, &str); 1] = [("U-41:b", "U-17:b")];

/// Share of the points, in percent, that have another reading in a run.
const SHARE: u64 = 10;

/// Surveys machines under random readings, one run after the other, and returns the runs in which
/// the report names a reading that does not hold. Gives `progress` the number of finished ones after
/// each.
pub fn survey(seed: u64, runs: Range<u64>, mut progress: impl FnMut(u64)) -> Vec<String> {
    let config = Config::of(Driver::None).with("free-run", "on");
    let mut wrong = Vec::new();
    on_new(&config, |session| {
        let first = runs.start;
        for run in runs {
            let mut rng = Rng::of_case(seed, run);
            let planted = choose(&mut rng, SHARE, |reading| !reading.at_start);
            let names: Vec<&str> = planted.iter().map(|reading| reading.name).collect();
            let command = match &names[..] {
                [] => "reading a".to_owned(),
                names => format!("reading {}", names.join(" ")),
            };
            let line = format!("{} SURVEY=1", make_line(seed, run));
            let title = format!("run {run} of seed {seed}: {line}\n  {}", names.join(" "));
            let report = check::load(session, &[command], &[])
                .map(|()| session.ok("uncore survey"))
                .and_then(
                    |report| match &session.complaints_but_of_experiments()[..] {
                        [] => Ok(report),
                        complaints => Err(complaints.join("\n")),
                    },
                )
                .and_then(|report| check::unload(session, &[]).map(|()| report));
            match report {
                Ok(report) => wrong.extend(
                    named(&report)
                        .filter(|name| !holds(name, &planted))
                        .map(|name| format!("{title}: named {name}")),
                ),
                Err(fault) => wrong.push(format!("{title}: {fault}")),
            }
            progress(run + 1 - first);
        }
    });
    wrong
}

/// Returns the readings that a report names.
fn named(report: &str) -> impl Iterator<Item = &str> {
    let names = report.lines().filter_map(|line| line.split_once("  "));
    names.filter_map(|(name, _)| name.contains(':').then_some(name))
}

/// Returns whether a reading holds, or follows from one that does.
fn holds(name: &str, planted: &[Reading]) -> bool {
    let is_planted = |wanted: &str| planted.iter().any(|reading| reading.name == wanted);
    let point = name.split(':').next().unwrap_or_default();
    let usual = name.ends_with(":a") && planted.iter().all(|reading| reading.point != point);
    let mut follows = FOLLOWS.iter();
    usual || is_planted(name) || follows.any(|(other, this)| *this == name && is_planted(other))
}

#[cfg(test)]
mod tests {
    use super::super::readings;
    use super::*;

    #[test]
    fn readings_of_a_report_are_told_from_evidence() {
        let report = "kernel: 7.3\nU-3:b  Width: 44 bits\n    ubox fixed_ctr: wrote 0x0\nU-4 open  Bits: why\n";
        assert_eq!(named(report).collect::<Vec<_>>(), ["U-3:b"]);
    }

    #[test]
    fn a_reading_holds_that_is_planted_or_the_first() {
        let all = readings();
        let planted: Vec<Reading> = all
            .into_iter()
            .filter(|reading| ["U-3:b", "U-41:b"].contains(&reading.name))
            .collect();
        for (name, is_right) in [
            ("U-3:b", true),
            ("U-3:a", false),
            ("U-4:a", true),
            ("U-4:b", false),
            ("U-17:b", true),
        ] {
            assert_eq!(holds(name, &planted), is_right, "{name}");
        }
    }
}
