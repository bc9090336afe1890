// SPDX-License-Identifier: GPL-2.0

//! The command line: definitions only. Manual page and completions are made
//! from them.

use std::path::PathBuf;
use std::time::Duration;

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
    /// Check on this machine whether the driver counts right
    ///
    /// Opens every named event on every package, and compares counts that have
    /// to do with each other: clocks with time, parts with their sum, counters
    /// with one another, both ends of a link. Prints KTAP, as the kernel's own
    /// tests do. Whatever else runs may go on, but others who use the uncore
    /// counters take some of them away.
    Check(Check),
    /// Derive metrics from counters, live
    ///
    /// The terms of a metric are counted together where the box can; metrics
    /// whose terms it cannot count together are said to be put together from
    /// different times. If there are more groups than counters, they take
    /// turns, and the share of the time in which a metric was counted is shown.
    ///
    /// An interval is written as a whole when it ends, and an interrupt ends it.
    Stat(Stat),
    /// Hand the counters over to ivbep_uncore, now and at each boot
    ///
    /// Unloads intel_uncore, loads ivbep_uncore, and writes
    /// /etc/modprobe.d/ivbep-uncore.conf. If the module is missing and DKMS has
    /// its source, it is built first. If a step fails, everything is left as it
    /// was. Root only.
    Enable,
    /// Give the counters back to intel_uncore, now and at each boot
    ///
    /// Unloads ivbep_uncore, removes what enable has written, and loads
    /// intel_uncore, if this kernel has it. Root only.
    Disable,
    /// Show which driver has the counters, now and at the next boot
    ///
    /// Also shows for each installed kernel whether the module is there.
    Status,
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

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Look at one box of each kind in a package, and for a shorter time
    #[arg(long)]
    pub quick: bool,
    /// Check these parts only
    #[arg(value_name = "PART", value_parser = clap::builder::PossibleValuesParser::new(crate::check::parts()))]
    pub parts: Vec<String>,
}

/// Arguments of `stat`.
#[derive(Debug, Args)]
pub struct Stat {
    /// Which metrics: names, kinds of boxes, or BOX.NAME; all if left out
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub metrics: Vec<String>,
    /// Show the metrics there are, and what they mean
    #[arg(long)]
    pub list: bool,
    /// Length of an interval in seconds; 1, or as long as the command runs
    #[arg(short = 'I', long, value_name = "SECONDS", value_parser = seconds)]
    pub interval: Option<Duration>,
    /// How many intervals; without end if left out
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Show each box, where a metric is known of the package, too
    #[arg(long)]
    pub boxes: bool,
    /// How to write.
    #[command(flatten)]
    pub style: Style,
    /// Write into this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Count while this runs
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// How to write metrics: a table for people if nothing is said.
#[derive(Debug, Args)]
pub struct Style {
    /// Write CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Write a line of JSON for each interval
    #[arg(long)]
    pub json: bool,
}

impl Stat {
    /// How long an interval is; without end if there is nothing.
    #[must_use]
    pub fn step(&self) -> Option<Duration> {
        let second = self.command.is_empty().then_some(Duration::from_secs(1));
        self.interval.or(second)
    }
}

/// From a millisecond to a year.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "not a number of seconds from 0.001 to 31536000".to_owned();
    let number: f64 = text.parse().map_err(|_| wrong())?;
    if (0.001..=31_536_000.0).contains(&number) {
        Ok(Duration::from_secs_f64(number))
    } else {
        Err(wrong())
    }
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

    #[test]
    fn an_interval_is_a_possible_number_of_seconds() {
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for bad in ["", "0", "-1", "1s", "inf", "NaN", "1e99"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn without_a_command_an_interval_is_a_second() {
        let step = |words: &str| {
            let words = format!("ivbep-uncore stat {words}");
            let cli = Cli::try_parse_from(words.split_whitespace()).expect("words");
            match cli.command {
                Command::Stat(stat) => stat.step(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(step(""), Some(Duration::from_secs(1)));
        assert_eq!(step("-- sleep 5"), None);
        assert_eq!(step("-I 2 -- sleep 5"), Some(Duration::from_secs(2)));
    }
}
