// SPDX-License-Identifier: GPL-2.0

//! `coverage`: reports the lines of the module that ran on the recording machines, as
//! text and for lcov.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use uncore_campaigns::coverage::{Code, Ran, Report};
use uncore_campaigns::table::write;

/// Says which lines of the module ran on the machines that recorded it
#[derive(Debug, Parser)]
#[command(name = "coverage")]
struct Arguments {
    /// The module that they ran, with debug information
    #[arg(long, value_name = "FILE")]
    module: PathBuf,

    /// What they recorded (UNCORE_COVER)
    #[arg(long, value_name = "DIRECTORY")]
    recordings: PathBuf,

    /// The tree that the module was built from
    #[arg(long, value_name = "DIRECTORY")]
    tree: PathBuf,

    /// Where lcov's tracefile goes
    #[arg(long, value_name = "FILE")]
    lcov: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("coverage: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let module = &arguments.module;
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", module.display());
    let image = std::fs::read(module).map_err(|error| wrong(&error))?;
    let code = Code::parse(&image).map_err(|error| wrong(&error))?;
    let ran = Ran::read(&arguments.recordings, &code)?;
    let report = Report::new(&image, &code, &ran, &arguments.tree)?;
    println!("{}\n{}", report.totals(), report.functions_not_run());
    write(&arguments.lcov, &report.to_string())
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
