// SPDX-License-Identifier: GPL-2.0

//! Prints the page of the documentation that lists the metrics.

use std::process::ExitCode;
use uncore_metrics::page;
use uncore_metrics::Catalogue;

fn main() -> ExitCode {
    match Catalogue::of("ivbep") {
        Ok(catalogue) => {
            print!("{}", page(&catalogue));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
