// SPDX-License-Identifier: GPL-2.0

//! `campaign`: a long run against the driver. Prints tables of the outcomes and writes them
//! as JSON; what failed is on standard error.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::{Parser, Subcommand};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use uncore_campaigns::failures::Failures;
use uncore_campaigns::storm::{self, Reloads, Storm};
use uncore_campaigns::table::{publish, write};
use uncore_campaigns::{bench, failures};
use uncore_e2e::fixture::on_new;
use uncore_e2e::prelude::Session;

#[derive(Parser)]
#[command(name = "campaign")]
struct Arguments {
    /// Where the tables go as JSON
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    #[command(subcommand)]
    campaign: Campaign,
}

#[derive(Subcommand)]
enum Campaign {
    /// Takes everything away from the driver while programs count
    Storm {
        /// The seed that rounds are made from
        #[arg(long, value_name = "NUMBER", default_value_t = storm::SEED)]
        seed: u64,
        /// How many rounds, of a minute of the guest's clock each
        #[arg(long, value_name = "NUMBER", default_value_t = storm::MINUTES)]
        minutes: u64,
        /// This round alone
        #[arg(long, value_name = "NUMBER", conflicts_with = "minutes")]
        only: Option<u64>,
        /// How often to load and unload the driver after that
        #[arg(long, value_name = "NUMBER", default_value_t = storm::RELOADS)]
        reloads: u64,
    },
    /// Has each allocation of the driver fail, one at a time, on the debug kernel
    Failures {
        /// Only what has this in its title
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Measures what operations cost with our driver and with the kernel's own
    Bench {
        /// Measure only the operations whose names have this in them
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let failures = arguments.campaign.run(&arguments.output);
    for failure in &failures {
        eprintln!("\n{failure}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}

impl Campaign {
    /// Runs the campaign, prints its tables, and returns what failed.
    fn run(self, output: &Path) -> Vec<String> {
        let start = Instant::now();
        let seconds = || start.elapsed().as_secs();
        match self {
            Self::Storm {
                seed,
                minutes,
                only,
                reloads,
            } => on_new(&storm::config(), |session| {
                let (rounds, reloads) = match only {
                    Some(round) => (round..round + 1, 0),
                    None => (0..minutes, reloads),
                };
                run_storm(session, output, seed, rounds, reloads)
            }),
            Self::Failures { only } => on_new(&failures::config(), |session| {
                let only: Vec<&str> = only.as_deref().into_iter().collect();
                let mut failures = Failures::new(session, &only);
                failures.run(|title| eprintln!("{:4} s  {title}", seconds()));
                match failures.faults() {
                    [] => publish(output, &[failures.table()])
                        .err()
                        .into_iter()
                        .collect(),
                    faults => faults.to_vec(),
                }
            }),
            Self::Bench { only } => {
                let rows = bench::measure(&only);
                for table in bench::tables(&rows) {
                    println!("{table}");
                }
                let json = format!("{:#}\n", bench::json(&rows));
                write(output, &json).err().into_iter().collect()
            }
        }
    }
}

/// Runs rounds of the storm, loads the module again and again, and returns what failed.
fn run_storm(
    session: &mut Session,
    output: &Path,
    seed: u64,
    rounds: Range<u64>,
    reloads: u64,
) -> Vec<String> {
    let start = Instant::now();
    let tell = |done: u64, what: &str| eprintln!("{done} {what} ({} s)", start.elapsed().as_secs());
    let mut storm = Storm::new(session, seed, storm::ROUND);
    storm.run(rounds, |done| tell(done, "minutes"));
    let mut failures = storm.failures().to_vec();
    let reloads = Reloads::run(storm.session(), reloads, |done| tell(done, "loads"));
    failures.extend_from_slice(&reloads.faults);
    eprintln!("seed {seed}: {storm}; {} loads", reloads.done);
    failures.extend(publish(output, &[storm.table(), reloads.table()]).err());
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
