// SPDX-License-Identifier: GPL-2.0

//! `machine WORDS...`: gives the emulated machine a command and prints its answer.

use std::process::ExitCode;

use guest_tools::{hypercall, report};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    report::exit("machine", run(&words))
}

fn run(words: &[String]) -> Result<(), String> {
    if words.is_empty() {
        return Err("usage: machine COMMAND [WORD...]".to_owned());
    }
    let answer = hypercall::query(&words.join(" "));
    let answer = answer.map_err(|error| error.to_string())?;
    if !answer.is_empty() {
        println!("{}", answer.trim_end_matches('\n'));
    }
    Ok(())
}
