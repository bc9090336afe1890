// SPDX-License-Identifier: GPL-2.0

//! `ivbep-uncore`: parses the command line, runs the command, prints what it says.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use ivbep_uncore::cli::Cli;
use ivbep_uncore::Outcome;

const TROUBLE: u8 = 1;
const NOT_LOOKED_AT: u8 = 2;

fn main() -> ExitCode {
    match ivbep_uncore::run(&Cli::parse()) {
        Ok(outcome) => print(&outcome),
        Err(error) => {
            say(&error.to_string());
            ExitCode::from(NOT_LOOKED_AT)
        }
    }
}

fn print(outcome: &Outcome) -> ExitCode {
    let mut out = io::stdout().lock();
    match out
        .write_all(outcome.text.as_bytes())
        .and_then(|()| out.flush())
    {
        // A reader such as head(1) has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("standard output cannot be written: {error}"));
            return ExitCode::from(NOT_LOOKED_AT);
        }
        _ => {}
    }
    outcome.notes.iter().for_each(|note| say(note));
    if outcome.trouble {
        ExitCode::from(TROUBLE)
    } else {
        ExitCode::SUCCESS
    }
}

/// To standard error, which nobody may be reading.
fn say(what: &str) {
    let _ = writeln!(io::stderr(), "ivbep-uncore: {what}");
}
