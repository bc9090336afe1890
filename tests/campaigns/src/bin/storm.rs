// SPDX-License-Identifier: GPL-2.0

//! `storm`: removes CPUs, functions and the driver itself and puts them back, over and
//! over, while programs count, and prints the outcomes.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use uncore_campaigns::storm::{config, Reloads, Storm, MINUTES, RELOADS, ROUND, SEED};
use uncore_campaigns::table::publish;
use uncore_e2e::fixture::{on_new, Session};

/// Takes everything away from the driver while programs count
#[derive(Parser)]
struct Options {
    /// The seed that rounds are made from
    #[arg(long, value_name = "NUMBER", default_value_t = SEED)]
    seed: u64,
    /// How many rounds, of a minute of the guest's clock each
    #[arg(long, value_name = "NUMBER", default_value_t = MINUTES)]
    minutes: u64,
    /// This round alone
    #[arg(long, value_name = "NUMBER", conflicts_with = "minutes")]
    only: Option<u64>,
    /// How often to load and unload the driver after that
    #[arg(long, value_name = "NUMBER", default_value_t = RELOADS)]
    reloads: u64,
    /// Where the tables go as JSON
    #[arg(long, value_name = "FILE")]
    json: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let failures = on_new(&config(), |session| run(session, &options));
    for failure in &failures {
        eprintln!("\n{failure}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}

/// Runs the rounds and prints the outcomes; returns the failures.
fn run(session: &mut Session, options: &Options) -> Vec<String> {
    let start = Instant::now();
    let tell = |done: u64, what: &str| {
        eprintln!("{done} {what} ({} s)", start.elapsed().as_secs());
    };
    let (rounds, reloads) = match options.only {
        Some(round) => (round..round + 1, 0),
        None => (0..options.minutes, options.reloads),
    };
    let mut storm = Storm::new(session, options.seed, ROUND);
    storm.run(rounds, |done| tell(done, "minutes"));
    let mut failures = storm.failures().to_vec();
    let reloads = Reloads::run(storm.session(), reloads, |done| tell(done, "loads"));
    failures.extend_from_slice(&reloads.faults);
    eprintln!("seed {}: {storm}; {} loads", options.seed, reloads.done);
    failures.extend(publish(&options.json, &[storm.table(), reloads.table()]).err());
    failures
}
