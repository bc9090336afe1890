// SPDX-License-Identifier: GPL-2.0

//! `check`: tests on the running machine that the driver counts right, whatever else the
//! machine does.
//!
//! Each part of the check is a module, and a KTAP test with subtests. Events come from
//! sysfs and from `relations/`, which lists counts that must agree, for each platform.

mod counters;
mod fixture;
mod ktap;
mod open;
mod overflow;
mod packages;
mod places;
mod refusals;
mod relations;

use std::io::IsTerminal as _;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::error::Error;
use crate::outcome::Outcome;
use crate::system::System;
use fixture::Fixture;
use ktap::{Ktap, Verdict};

/// Name of the part that looks at all others.
const REGISTERS: &str = "registers";

/// Part of the check: its name, and the function that runs it.
type Part = (&'static str, fn(&Fixture) -> Result<Vec<Verdict>, Error>);

/// The parts in their order. The last one looks at all others, and is never left out.
const PARTS: [Part; 8] = [
    ("places", places::check),
    ("open", |fixture| Ok(open::check(fixture))),
    ("counters", |fixture| Ok(counters::check(fixture))),
    ("packages", |fixture| Ok(packages::check(fixture))),
    ("relations", relations::check),
    ("overflow", |fixture| Ok(overflow::check(fixture))),
    ("refusals", |fixture| Ok(refusals::check(fixture))),
    (REGISTERS, |fixture| Ok(registers(fixture))),
];

/// Returns the names of the parts.
pub(crate) fn parts() -> Vec<&'static str> {
    PARTS.iter().map(|(name, _)| *name).collect()
}

/// Runs the `chosen` parts, or all if none is, and prints each result at once. If `quick`, it tests
/// one box of each kind in a package.
pub fn run(root: &Path, quick: bool, chosen: &[String]) -> Result<Outcome, Error> {
    let system = System::with_pmus(root)?;
    let (clocks, serial) = (relations::clocks(&system)?, relations::serial(&system)?);
    let fixture = Fixture::new(&system, quick, clocks, serial)?;
    let chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|part| part == name);
    let wanted = |name: &str| name == REGISTERS || chosen(name);
    let parts: Vec<Part> = PARTS.into_iter().filter(|(name, _)| wanted(name)).collect();
    let mut ktap = Ktap::new(std::io::stdout(), parts.len())?;
    let bar = bar(parts.len());
    let mut trouble = false;
    for (name, check) in parts {
        bar.set_message(name);
        // A part that cannot go on has not passed.
        let results = check(&fixture).unwrap_or_else(|error| {
            let mut failed = Verdict::new("the check itself");
            failed.fault(error.to_string());
            vec![failed]
        });
        trouble |= results.iter().any(Verdict::is_failure);
        bar.suspend(|| ktap.write(name, &results))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Outcome::default().with_trouble(trouble))
}

/// Tests that each control register was as the driver had written it, while the other parts ran.
fn registers(fixture: &Fixture) -> Vec<Verdict> {
    let mut verdict = Verdict::new(REGISTERS);
    match fixture.tampered() {
        None => verdict.skip("only root may read what the driver has found"),
        Some(packages) => {
            for (package, events) in packages {
                verdict.expect(events == 0, || {
                    format!(
                        "package {package}: registers of {events} events changed: by another \
                         program or firmware, or they do not keep what is written"
                    )
                });
            }
        }
    }
    vec![verdict]
}

/// Returns a progress bar on standard error, if that is a terminal.
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
