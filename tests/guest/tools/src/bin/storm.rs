// SPDX-License-Identifier: GPL-2.0

//! `storm`: plays a plan from its standard input (see `guest_tools::storm`) and
//! prints the results. If an actor hangs, the kernel's log says so and shows all
//! waiting tasks.

use guest_tools::report;
use guest_tools::storm::Stage;
use std::io::{stdin, Read as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    report::exit("storm", run())
}

fn run() -> Result<(), String> {
    let mut plan = String::new();
    let read = stdin().read_to_string(&mut plan);
    read.map_err(|error| error.to_string())?;
    let played = Stage::play(&plan.parse()?);
    let report = played.inspect_err(|reason| Stage::complain(reason))?;
    print!("{report}");
    Ok(())
}
