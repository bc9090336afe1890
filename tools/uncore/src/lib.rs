// SPDX-License-Identifier: GPL-2.0

//! Shows what the uncore counters of `uncore_rs` can measure on a machine, and
//! what prevents it.
//!
//! [`Root`] reads files, [`system`] makes PMUs, events and a map of them, and
//! each command makes its report from those. Only the commands that count or
//! change drivers touch anything else: all others work on a recorded system, too.

mod bandwidth;
pub mod check;
pub mod cli;
mod counting;
pub mod doctor;
pub mod doubts;
mod drawing;
mod encode;
mod error;
pub mod explain;
pub mod export;
pub mod handover;
pub mod list;
mod names;
mod overview;
pub mod platform;
mod replay;
mod request;
mod root;
mod sampler;
pub mod stat;
pub mod survey;
pub mod system;
mod table;
pub mod terminal;
pub mod top;
pub mod topology;

use std::fmt::Write as _;

use cli::{Cli, Command};
pub use error::Error;
pub use root::Root;
use system::System;

/// Result of a command that could do its work.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Text for standard output.
    pub text: String,
    /// Words that the user looked for in a text that may be long.
    pub sought: Option<Vec<String>>,
    /// Lines for standard error.
    pub notes: Vec<String>,
    /// True if the command found something wrong.
    pub trouble: bool,
}

impl Outcome {
    /// Returns a success that prints this text.
    fn said(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Returns the same outcome as a finding if `trouble` is true.
    fn with_trouble(mut self, trouble: bool) -> Self {
        self.trouble = trouble;
        self
    }

    /// Adds a note for each file of the PMUs that has invalid contents.
    fn with_defects(mut self, system: &System) -> Self {
        let notes = system.defects().map(|defect| format!("left out: {defect}"));
        self.notes.extend(notes);
        self
    }
}

/// Runs a command.
pub fn run(cli: &Cli) -> Result<Outcome, Error> {
    match &cli.command {
        Command::Doctor(arguments) => doctor::run(&cli.root, arguments),
        Command::List(arguments) => list::run(&cli.root, arguments),
        Command::Explain(arguments) => explain::run(&cli.root, arguments),
        Command::Topology(arguments) => topology::run(&cli.root, arguments),
        Command::Check(arguments) => check::run(&cli.root, arguments.quick, &arguments.parts),
        Command::Survey(arguments) => survey::run(&cli.root, arguments),
        Command::Stat(arguments) => stat::run(&cli.root, arguments),
        Command::Top(arguments) => top::run(&cli.root, arguments),
        Command::Export(arguments) => export::run(&cli.root, arguments),
        Command::Enable(arguments) => handover::run_enable(&cli.root, arguments.yes),
        Command::Disable => handover::run_disable(&cli.root),
        Command::Status => handover::run_status(&cli.root),
    }
}

/// Returns a report as JSON, with a line end.
fn json(report: &impl serde::Serialize) -> Result<String, Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    let _ = writeln!(text);
    Ok(text)
}
