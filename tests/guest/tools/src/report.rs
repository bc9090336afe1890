// SPDX-License-Identifier: GPL-2.0

//! The end of the programs: silent, or with one sentence on stderr.

use std::fmt::Display;
use std::process::ExitCode;

/// Status 0, or 1 and the reason after the program's name.
pub fn exit(program: &str, result: Result<(), impl Display>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{program}: {reason}");
            ExitCode::FAILURE
        }
    }
}
