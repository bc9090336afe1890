// SPDX-License-Identifier: GPL-2.0

//! Prints the page of the documentation that lists the metrics.

use ivbep_metrics::page;
use ivbep_metrics::Catalogue;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Catalogue::built_in() {
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
