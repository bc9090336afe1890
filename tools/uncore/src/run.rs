// SPDX-License-Identifier: GPL-2.0

//! The function of each command.

use crate::cli::{Cli, Command};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::{check, diff, doctor, explain, export, handover, list, stat, survey, top, topology};

/// Runs a command. A terminal that shows its text has this width.
pub fn run(cli: &Cli, width: Option<usize>) -> Result<Outcome, Error> {
    match &cli.command {
        Command::Doctor(arguments) => doctor::run(&cli.root, arguments),
        Command::List(arguments) => list::run(&cli.root, arguments, width),
        Command::Explain(arguments) => explain::run(&cli.root, arguments),
        Command::Topology(arguments) => topology::run(&cli.root, arguments),
        Command::Check(arguments) => check::run(&cli.root, arguments.quick, &arguments.parts),
        Command::Survey(arguments) => survey::run(&cli.root, arguments),
        Command::Stat(arguments) => stat::run(&cli.root, arguments),
        Command::Diff(arguments) => diff::run(arguments),
        Command::Top(arguments) => top::run(&cli.root, arguments),
        Command::Export(arguments) => export::run(&cli.root, arguments),
        Command::Enable(arguments) => handover::run_enable(&cli.root, arguments.yes),
        Command::Disable => handover::run_disable(&cli.root),
        Command::Status => handover::run_status(&cli.root),
    }
}
