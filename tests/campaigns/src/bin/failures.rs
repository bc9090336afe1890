// SPDX-License-Identifier: GPL-2.0

//! `failures`: injects a fault into each register, PCI function and allocation that the
//! driver needs, one at a time, and prints the outcomes.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use uncore_campaigns::failures::{config, Failures};
use uncore_campaigns::table::publish;
use uncore_e2e::fixture::on_new;

/// Has everything that the driver needs fail, one thing at a time
#[derive(Parser)]
struct Options {
    /// Only what has this in its title
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Where the tables go as JSON
    #[arg(long, value_name = "FILE")]
    json: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(faults) => {
            eprintln!("{faults}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let config = config();
    let only: Vec<&str> = options.only.as_deref().into_iter().collect();
    let report = on_new(&config, |session| {
        let start = Instant::now();
        let mut failures = Failures::new(session, &only);
        failures.run(|title| eprintln!("{:4} s  {title}", start.elapsed().as_secs()));
        match failures.faults() {
            [] => Ok(failures.report().clone()),
            faults => Err(faults.join("\n")),
        }
    })?;
    publish(&options.json, &report.tables())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Options::command().debug_assert();
    }
}
