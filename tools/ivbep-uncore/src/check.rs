// SPDX-License-Identifier: GPL-2.0

//! `check`: is what the driver counts right? On the running machine, whatever it
//! does, by what must hold whatever it does.
//!
//! Each part of the check is a module, and a test of the KTAP output with
//! subtests. Nothing here knows an event but from sysfs, and from
//! `relations.csv`, which says what counts have to do with each other.

mod bench;
mod counters;
mod ktap;
mod open;
mod overflow;
mod packages;
mod places;
mod refusals;
mod relations;

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::Check;
use crate::error::Error;
use crate::system::System;
use crate::Outcome;
use bench::Bench;
use ktap::{Ktap, Verdict};

/// A part of the check: its name, and what finds its results.
type Part = (&'static str, fn(&Bench) -> Result<Vec<Verdict>, Error>);

const PARTS: [Part; 7] = [
    ("places", places::check),
    ("open", |bench| Ok(open::check(bench))),
    ("counters", counters::check),
    ("packages", |bench| Ok(packages::check(bench))),
    ("relations", relations::check),
    ("overflow", overflow::check),
    ("refusals", |bench| Ok(refusals::check(bench))),
];

/// The names of the parts.
pub(crate) fn parts() -> Vec<&'static str> {
    PARTS.iter().map(|(name, _)| *name).collect()
}

/// Checks everything, and prints as it goes.
///
/// # Errors
///
/// If nothing can be counted, or nothing printed.
pub fn run(system: &System, arguments: &Check) -> Result<Outcome, Error> {
    let bench = Bench::new(system, arguments.quick)?;
    let wanted =
        |name: &str| arguments.parts.is_empty() || arguments.parts.iter().any(|p| p == name);
    let parts: Vec<Part> = PARTS.into_iter().filter(|(name, _)| wanted(name)).collect();
    let mut ktap = Ktap::new(std::io::stdout(), parts.len())?;
    let bar = bar(parts.len());
    let mut trouble = false;
    for (name, check) in parts {
        bar.set_message(name);
        // A part that cannot go on has not passed.
        let results = check(&bench).unwrap_or_else(|error| {
            let mut failed = Verdict::new("the check itself");
            failed.fault(error.to_string());
            vec![failed]
        });
        trouble |= results.iter().any(Verdict::is_failure);
        bar.suspend(|| ktap.write(name, &results))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Outcome {
        trouble,
        ..Outcome::default()
    })
}

/// On a terminal only, and beside the output.
fn bar(parts: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(parts as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}
