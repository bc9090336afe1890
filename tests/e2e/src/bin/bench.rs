// SPDX-License-Identifier: GPL-2.0

//! `bench`: measures what operations cost with our driver and with the kernel's
//! own, prints the table, and writes it as JSON and as the page
//! Documentation/development/bench.rst.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use clap::Parser;
use ivbep_e2e::bench::{json, measure, page, table};
use std::path::PathBuf;
use std::process::ExitCode;

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

    /// Measure only the operations whose names have this in them, and write no page
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Where all figures go
    #[arg(long, value_name = "FILE")]
    json: PathBuf,

    /// Where the page goes
    #[arg(long, value_name = "FILE")]
    page: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let wanted = arguments.only.as_deref().unwrap_or("");
    let results = measure(wanted, [&arguments.ours, &arguments.theirs]);
    print!("{}", table(&results));
    let mut files = vec![(&arguments.json, format!("{:#}\n", json(&results)))];
    if arguments.only.is_none() {
        files.push((&arguments.page, page(&results)));
    }
    for (path, text) in files {
        if let Err(error) = std::fs::write(path, text) {
            eprintln!("bench: {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
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
