// SPDX-License-Identifier: GPL-2.0

//! `coverage`: says which lines of the module ran on the machines that recorded it, and
//! prints Documentation/development/coverage.rst.

use clap::Parser;
use ivbep_e2e::coverage::{page, Code, Ran, Report};
use std::path::PathBuf;
use std::process::ExitCode;

/// Says which lines of the module ran on the machines that recorded it
#[derive(Debug, Parser)]
#[command(name = "coverage")]
struct Arguments {
    /// The module that they ran, with debug information
    #[arg(long, value_name = "FILE")]
    module: PathBuf,

    /// What they recorded (IVBEP_COVER)
    #[arg(long, value_name = "DIRECTORY")]
    recordings: PathBuf,

    /// The tree that the module was built from
    #[arg(long, value_name = "DIRECTORY")]
    tree: PathBuf,
}

fn main() -> ExitCode {
    match report(&Arguments::parse()) {
        Ok(report) => {
            print!("{}", page(&report));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("coverage: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report(arguments: &Arguments) -> Result<Report, String> {
    let module = &arguments.module;
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", module.display());
    let image = std::fs::read(module).map_err(|error| wrong(&error))?;
    let code = Code::parse(&image).map_err(|error| wrong(&error))?;
    let ran = Ran::read(&arguments.recordings, &code)?;
    Report::new(&image, &code, &ran, &arguments.tree)
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
