// SPDX-License-Identifier: GPL-2.0

//! `suspend STATE`: suspends the machine to a state of `/sys/power/state`, without losing
//! the channel to the host.

use std::process::ExitCode;

use guest_tools::{power, report};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    report::exit("suspend", run(&words))
}

fn run(words: &[String]) -> Result<(), String> {
    let [state] = words else {
        return Err("usage: suspend STATE".to_owned());
    };
    power::suspend(state).map_err(|error| format!("{state}: {error}"))
}
