// SPDX-License-Identifier: GPL-2.0

//! `bench`: measures the cost of operations with our driver and with the kernel's own,
//! prints the tables, and writes all figures as JSON.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use uncore_campaigns::bench::{json, measure, tables};
use uncore_campaigns::table::write;

/// Measures what operations cost with our driver and with the kernel's own.
#[derive(Debug, Parser)]
#[command(name = "bench")]
struct Arguments {
    /// The file of our module
    #[arg(long, value_name = "FILE")]
    ours: PathBuf,

    /// The file of the kernel's own
    #[arg(long, value_name = "FILE")]
    theirs: PathBuf,

    /// Measure only the operations whose names have this in them
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Where all figures go
    #[arg(long, value_name = "FILE")]
    json: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let wanted = arguments.only.as_deref().unwrap_or("");
    let results = measure(wanted, [&arguments.ours, &arguments.theirs]);
    for table in tables(&results) {
        println!("{table}");
    }
    if let Err(error) = write(&arguments.json, &format!("{:#}\n", json(&results))) {
        eprintln!("bench: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
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
