// SPDX-License-Identifier: GPL-2.0

//! What the uncore counters of `ivbep_uncore` can measure here, and what keeps
//! them from it.
//!
//! `root` reads files, [`system`] makes PMUs, events and a map of them, each
//! command makes its report of those. Nothing else touches the system, and a
//! recorded one will do.

pub mod check;
pub mod cli;
mod counting;
pub mod doctor;
mod encode;
mod error;
pub mod explain;
pub mod handover;
pub mod list;
mod request;
mod root;
pub mod stat;
pub mod system;
mod table;
pub mod topology;

use std::fmt::Write as _;

use cli::{Cli, Command};
pub use error::Error;
use handover::Programs;
pub use root::Root;
use system::System;

/// What a command has to say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For standard output.
    pub text: String,
    /// For standard error, a line each.
    pub notes: Vec<String>,
    /// Whether something was found that is not well.
    pub trouble: bool,
}

impl Outcome {
    /// A success with nothing but this to say.
    fn said(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Makes files that make no sense known.
    fn with_defects(mut self, system: &System) -> Self {
        let notes = system.defects().map(|defect| format!("left out: {defect}"));
        self.notes.extend(notes);
        self
    }
}

/// Runs a command.
///
/// # Errors
///
/// If it cannot do its work.
pub fn run(cli: &Cli) -> Result<Outcome, Error> {
    match &cli.command {
        Command::Doctor(arguments) => {
            let system = System::read(&cli.root)?;
            let perf = system.root.is_live().then(doctor::perf_version).flatten();
            let report = doctor::Report::new(&system, perf.as_deref())?;
            let text = if arguments.json {
                json(&report)?
            } else {
                report.to_string()
            };
            Ok(Outcome {
                text,
                notes: Vec::new(),
                trouble: report.cause().is_some(),
            })
        }
        Command::List(arguments) => {
            let system = System::with_pmus(&cli.root)?;
            let listing = list::Listing::new(&system, &arguments.words);
            let text = if arguments.json {
                json(&listing)?
            } else {
                listing.to_string()
            };
            let mut outcome = Outcome {
                text,
                notes: Vec::new(),
                trouble: listing.is_empty(),
            };
            if listing.is_empty() {
                let words = arguments.words.join(" ");
                outcome
                    .notes
                    .push(format!("no event has all of these words: {words}"));
            }
            Ok(outcome.with_defects(&system))
        }
        Command::Explain(arguments) => {
            let system = System::with_pmus(&cli.root)?;
            let explanation = explain::Explanation::new(&system, &arguments.event)?;
            let outcome = Outcome {
                text: explanation.to_string(),
                notes: Vec::new(),
                trouble: explanation.is_refused(),
            };
            Ok(outcome.with_defects(&system))
        }
        Command::Topology(arguments) => {
            let system = System::with_pmus(&cli.root)?;
            let map = system.map()?;
            let mut outcome = Outcome::default();
            match &arguments.svg {
                Some(file) => topology::draw(&map, file)?,
                None => outcome.text = topology::text(&map),
            }
            let incomplete = map.incomplete.iter();
            let say = |why: &String| format!("what is missing is not known: {why}");
            outcome.notes.extend(incomplete.map(say));
            Ok(outcome.with_defects(&system))
        }
        Command::Check(arguments) => {
            let system = System::with_pmus(&cli.root)?;
            check::run(&system, arguments)
        }
        Command::Stat(arguments) => {
            let system = System::with_pmus(&cli.root)?;
            Ok(stat::run(&system, arguments)?.with_defects(&system))
        }
        Command::Enable => change(cli, handover::enable),
        Command::Disable => change(cli, handover::disable),
        Command::Status => {
            let system = System::read(&cli.root)?;
            Ok(Outcome::said(handover::Status::new(&system)?.to_string()))
        }
    }
}

/// Changes the drivers of the running system.
fn change(
    cli: &Cli,
    how: fn(&System, &Programs) -> Result<Outcome, Error>,
) -> Result<Outcome, Error> {
    let system = System::read(&cli.root)?;
    handover::require_live(&system)?;
    how(&system, &Programs::on_path())
}

fn json(report: &impl serde::Serialize) -> Result<String, Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    let _ = writeln!(text);
    Ok(text)
}
