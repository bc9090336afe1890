// SPDX-License-Identifier: GPL-2.0

//! The command `uncore`: parses the command line, runs the command and prints its
//! outcome.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::FromArgMatches as _;
use uncore::cli::{self, Cli};
use uncore::terminal::{self, say};
use uncore::Outcome;

/// Exit status of a command that found something wrong.
const EXIT_TROUBLE: u8 = 1;
/// Exit status of a command that could not do its work.
const EXIT_ERROR: u8 = 2;

fn main() -> ExitCode {
    let matches = cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match uncore::run(&cli, terminal::width()) {
        Ok(outcome) => print(&outcome),
        Err(error) => {
            say(&error.to_string());
            ExitCode::from(EXIT_ERROR)
        }
    }
}

fn print(outcome: &Outcome) -> ExitCode {
    let written = match &outcome.sought {
        Some(words) => terminal::show(&outcome.text, words),
        None => io::stdout().write_all(outcome.text.as_bytes()),
    };
    // A command without a text has written by itself, maybe to a terminal that is lost now.
    let is_silent = outcome.text.is_empty();
    let flushed = || {
        if is_silent {
            Ok(())
        } else {
            io::stdout().flush()
        }
    };
    match written.and_then(|()| flushed()) {
        // A reader such as head(1) may close the pipe.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("standard output cannot be written: {error}"));
            return ExitCode::from(EXIT_ERROR);
        }
        _ => {}
    }
    outcome.notes.iter().for_each(|note| say(note));
    if outcome.trouble {
        ExitCode::from(EXIT_TROUBLE)
    } else {
        ExitCode::SUCCESS
    }
}
