// SPDX-License-Identifier: GPL-2.0

//! `fuzz`: asks the driver for events, right and wrong, and compares what it says
//! with what it should.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use ivbep_e2e::fixture::{on, Session};
use ivbep_e2e::fuzz::{config, page, Fuzzer, CASES, SEED};
use std::io::{stderr, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Instant;

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
    /// Print Documentation/development/fuzzing.rst, of its own seed and cases
    #[arg(long, conflicts_with_all = ["seed", "cases", "only"])]
    page: bool,
}

fn main() -> ExitCode {
    let mut options = Options::parse();
    if options.page {
        options.cases = CASES;
    }
    let failures = on(&config(), |session| run(session, &options));
    for failure in &failures {
        eprintln!("\n{failure}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}

/// Runs the cases and tells what came of them; what failed.
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
    let (totals, failures) = (fuzzer.totals().clone(), fuzzer.failures().to_vec());
    eprintln!("seed {}: {totals} ({seconds} s)", options.seed);
    session.reload();
    if options.page && failures.is_empty() {
        print!("{}", page(&totals));
    }
    failures
}

/// On a terminal, in place of what was there before.
fn show(line: &str) {
    if stderr().is_terminal() {
        let _ = write!(stderr(), "\r{line:<40}\r");
    }
}
