// SPDX-License-Identifier: GPL-2.0

//! `failures`: has everything that the driver needs fail, one thing at a time, prints what
//! came of it, and writes Documentation/development/failures.rst.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use ivbep_e2e::failures::{config, page, Failures, Part};
use ivbep_e2e::fixture::on_new;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Has everything that the driver needs fail, one thing at a time
#[derive(Parser)]
struct Options {
    /// Only what has this in its title
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The page; parts of which everything has failed are written anew
    #[arg(long, value_name = "FILE")]
    page: PathBuf,
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
    for part in Part::ALL {
        println!("{}: {} failures", part.name(), report.times(part));
    }
    // Another run may have written its part meanwhile.
    let wrong = |error| format!("failures: {}: {error}", options.page.display());
    let before = std::fs::read_to_string(&options.page).map_err(wrong)?;
    std::fs::write(&options.page, page(&before, &config, &report)).map_err(wrong)
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
