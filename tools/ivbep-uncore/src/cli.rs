// SPDX-License-Identifier: GPL-2.0

//! The command line: definitions only. Manual page and completions are made
//! from them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Exit statuses, for the help and the manual page.
const STATUS: &str = "Exit status: 0 if all is well, 1 if something was found that is not, \
                      2 if it could not be looked at or the command line is wrong.";

/// Tells what the uncore counters of ivbep_uncore can measure here, and what
/// keeps them from it.
///
/// All it knows it reads from sysfs and debugfs, so that it is right for the
/// module that is loaded. Much of debugfs is for root only.
#[derive(Debug, Parser)]
#[command(name = "ivbep-uncore", version, max_term_width = 90, after_help = STATUS)]
pub struct Cli {
    /// Read sys and proc of this directory: a recorded system
    #[arg(long, global = true, value_name = "DIRECTORY", default_value = "/")]
    pub root: PathBuf,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look for everything that stands between a user and a right number
    ///
    /// Checks the processor, the kernel, the module, other drivers and programs
    /// that use the counters, permissions, hidden boxes and filters, and how
    /// overflows are noticed. Each check passes, warns or fails, and says what
    /// to do. Warnings leave the exit status 0.
    Doctor(Doctor),
    /// Show the events: their boxes, the filters they need, their units
    ///
    /// An event is shown if each of the words is part of its name, its box, its
    /// terms or its unit.
    List(List),
    /// Say in words what an event or its config words mean
    ///
    /// If the module refused it lately, the reason is shown, too.
    Explain(Explain),
    /// Show packages, NUMA nodes, buses and boxes
    Topology(Topology),
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct List {
    /// What to look for; all events if there is none
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// As perf takes it: PMU/TERM,TERM=VALUE/, with or without the PMU's index
    /// and prefix; terms may be config=NUMBER to config4=NUMBER. An event's name
    /// alone will do where only one kind of box has it
    #[arg(value_name = "EVENT")]
    pub event: String,
}

/// Arguments of `topology`.
#[derive(Debug, Args)]
pub struct Topology {
    /// Draw it into this file instead of printing it
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn definitions_agree_with_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_argument_has_a_help_text() {
        for command in Cli::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{}", argument.get_id());
            }
        }
    }
}
