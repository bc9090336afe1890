// SPDX-License-Identifier: GPL-2.0

//! `burst CYCLES`: lets this many cycles of uclk pass in the emulated uncore.

use std::process::ExitCode;

use guest_tools::{hypercall, report};

fn main() -> ExitCode {
    report::exit("burst", run(std::env::args().skip(1)))
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (Some(cycles), None) = (arguments.next(), arguments.next()) else {
        return Err("usage: burst CYCLES".to_owned());
    };
    let number: u64 = cycles
        .parse()
        .map_err(|_| format!("'{cycles}' is not a number of cycles"))?;
    let answer = hypercall::command(&format!("burst {number}"));
    answer.map(drop).map_err(|error| error.to_string())
}
