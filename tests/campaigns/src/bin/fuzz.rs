// SPDX-License-Identifier: GPL-2.0

//! `fuzz`: opens valid and invalid events with the driver, and compares its answers with
//! the expected ones.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use std::io::{stderr, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use uncore_campaigns::fuzz::{config, Fuzzer, SEED};
use uncore_campaigns::table::publish;
use uncore_e2e::fixture::{on, Session};

/// Fuzzes perf_event_open on the driver's PMUs
#[derive(Parser)]
struct Options {
    /// The seed that cases are made from
    #[arg(long, value_name = "NUMBER", default_value_t = SEED)]
    seed: u64,
    /// How many cases
    #[arg(long, value_name = "NUMBER", default_value_t = 2000)]
    cases: u64,
    /// This case alone
    #[arg(long, value_name = "NUMBER", conflicts_with = "cases")]
    only: Option<u64>,
    /// Where the table goes as JSON
    #[arg(long, value_name = "FILE")]
    json: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let failures = on(&config(), |session| run(session, &options));
    for failure in &failures {
        eprintln!("\n{failure}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}

/// Runs the cases and prints the totals; returns the failures.
fn run(session: &mut Session, options: &Options) -> Vec<String> {
    let mut fuzzer = Fuzzer::new(session, options.seed);
    let cases = match options.only {
        Some(case) => case..case + 1,
        None => 0..options.cases,
    };
    let start = Instant::now();
    fuzzer.run(cases, |done| {
        show(&format!("{done} of {} cases", options.cases));
    });
    show("");
    let seconds = start.elapsed().as_secs();
    let (totals, mut failures) = (fuzzer.totals().clone(), fuzzer.failures().to_vec());
    eprintln!("seed {}: {totals} ({seconds} s)", options.seed);
    session.reload();
    failures.extend(publish(&options.json, &[totals.table()]).err());
    failures
}

/// Shows a line on a terminal, in place of the previous one.
fn show(line: &str) {
    if stderr().is_terminal() {
        let _ = write!(stderr(), "\r{line:<40}\r");
    }
}
