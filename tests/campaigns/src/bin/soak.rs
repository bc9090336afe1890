// SPDX-License-Identifier: GPL-2.0

//! `soak`: counts for days of the guest's time on every counter, and prints the results.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use uncore_campaigns::soak::{soak, Mode, Outcome};
use uncore_campaigns::table::publish;
use uncore_e2e::fixture::on;

/// Counts for days of the guest's time on every counter.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many, with each way to notice overflows
    #[arg(long, value_name = "DAYS", default_value = "1", value_parser = minutes)]
    days: u64,
    /// Where the tables go as JSON
    #[arg(long, value_name = "FILE")]
    json: PathBuf,
}

/// Returns the minutes of a number of days, which may be a fraction.
fn minutes(days: &str) -> Result<u64, String> {
    let days: f64 = days.parse().map_err(|error| format!("{error}"))?;
    let time = Duration::try_from_secs_f64(days * 86_400.0).map_err(|error| error.to_string())?;
    Ok(time.as_secs() / 60)
}

fn main() -> ExitCode {
    let Arguments {
        days: minutes,
        json,
    } = Arguments::parse();
    let outcomes = [Mode::Poll, Mode::Pmi].map(|mode| {
        eprintln!("==> {minutes} minutes with overflow={}", mode.name());
        on(&mode.config(minutes), |session| {
            soak(session, mode, minutes)
        })
    });
    let mut faults: Vec<String> = outcomes.iter().flat_map(Outcome::faults).collect();
    faults.extend(publish(&json, &outcomes.each_ref().map(Outcome::table)).err());
    for fault in &faults {
        eprintln!("soak: {fault}");
    }
    ExitCode::from(u8::from(!faults.is_empty()))
}
