// SPDX-License-Identifier: GPL-2.0

//! `campaign`: a long run against the driver. Prints tables of the outcomes and writes them
//! as JSON; what failed is on standard error.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::{Args, Parser, Subcommand};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use uncore_campaigns::failures::Failures;
use uncore_campaigns::orders::{Orders, Scenario, MIXED, SCENARIOS};
use uncore_campaigns::storm::{self, Reloads, Storm};
use uncore_campaigns::table::{publish, write};
use uncore_campaigns::{bench, failures, orders};
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
    /// Runs short scenarios in which seeds decide the order of processors
    Orders(Batch),
    /// Measures what operations cost with our driver and with the kernel's own
    Bench {
        /// Measure only the operations whose names have this in them
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
    },
}

/// Seeds that decide orders.
#[derive(Args)]
struct Batch {
    /// The first seed
    #[arg(long, value_name = "NUMBER", default_value_t = orders::SEED)]
    seed: u64,
    /// Number of seeds of each scenario
    #[arg(long, value_name = "NUMBER", default_value_t = orders::SEEDS)]
    seeds: u64,
    /// Number of runs of each seed, which must all be the same
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    times: usize,
    /// This scenario alone
    #[arg(long, value_name = "NAME", value_parser = scenario)]
    scenario: Option<Scenario>,
    /// Directory for the plans and points
    #[arg(long, value_name = "DIRECTORY")]
    directory: PathBuf,
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
            Self::Orders(batch) => run_orders(output, &batch),
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

/// Runs scenarios with some seeds, and returns what failed.
fn run_orders(output: &Path, chosen: &Batch) -> Vec<String> {
    let start = Instant::now();
    let mut orders = Orders::default();
    let seeds = chosen.seed..chosen.seed + chosen.seeds;
    let scenarios = chosen.scenario.map_or(SCENARIOS.to_vec(), |one| vec![one]);
    for scenario in scenarios {
        let (times, directory) = (chosen.times, &chosen.directory);
        orders.run(scenario, seeds.clone(), times, directory, |done| {
            eprintln!("{:4} s  {done}", start.elapsed().as_secs());
        });
    }
    let mut failures = orders.failures().to_vec();
    failures.extend(publish(output, &[orders.table()]).err());
    failures
}

/// Returns the scenario with a name.
fn scenario(name: &str) -> Result<Scenario, String> {
    let mut all = SCENARIOS.into_iter().chain([MIXED]);
    let found = all.find(|scenario| scenario.name == name);
    found.ok_or_else(|| {
        let names = SCENARIOS.map(|scenario| scenario.name).join(", ");
        format!("not one of {names} and {}", MIXED.name)
    })
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
