// SPDX-License-Identifier: GPL-2.0

//! `read-boxes WAY ROUNDS SHARE...`: reads many counters, and prints what a reading costs.
//!
//! WAY is `here`, `move` or `threads`. A SHARE is `CPU,COUNTERS,...`, what is read on one
//! CPU (`reading.rs` has the counters). Each round prints its cost as `perf-open` does, then
//! the number of system calls and of interrupts between CPUs:
//!
//! ```text
//! cost reading
//! user 14, kernel 741, module 127, rdmsr 1, ...
//! calls 20, interrupts 6
//! ```

use guest_tools::reading::{self, Figures, Share, Way};
use guest_tools::{hypercall, report};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    report::exit("read-boxes", run(&arguments))
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [way, rounds, shares @ ..] = arguments else {
        return Err("usage: read-boxes here|move|threads ROUNDS SHARE...".to_owned());
    };
    let way = Way::named(way).ok_or_else(|| format!("no way `{way}`"))?;
    let rounds: usize = rounds
        .parse()
        .map_err(|error| format!("`{rounds}`: {error}"))?;
    let shares = shares.iter().map(|share| Share::open(share));
    let shares = shares.collect::<Result<Vec<_>, _>>()?;
    let mut lines = Vec::new();
    for _ in 0..rounds {
        let Figures { calls, interrupts } = reading::take(way, &shares)?;
        let cost = hypercall::command("cost").map_err(|error| error.to_string())?;
        lines.push(format!(
            "cost reading\n{}\ncalls {calls}, interrupts {interrupts}",
            cost.trim_end()
        ));
    }
    println!("{}", lines.join("\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_named() {
        for (words, wanted) in [
            (vec![], "usage"),
            (vec!["there", "1"], "no way `there`"),
            (vec!["here", "x"], "`x`"),
            (vec!["here", "1", "cpu"], "`cpu`"),
        ] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            let error = run(&words).expect_err("a mistake");
            assert!(error.contains(wanted), "{error}");
        }
    }
}
