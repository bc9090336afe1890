// SPDX-License-Identifier: GPL-2.0

//! Prints the page of the documentation that lists the metrics.

use std::process::ExitCode;
use uncore_metrics::page;

fn main() -> ExitCode {
    match page() {
        Ok(page) => {
            print!("{page}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
