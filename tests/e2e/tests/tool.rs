// SPDX-License-Identifier: GPL-2.0

//! The user-space tool, as its users run it.

mod check;
mod doctor;
mod stat;

use uncore_runner::Config;

/// A machine whose clocks run, as those of real ones do.
fn free_running() -> Config {
    Config::default().with("free-run", "on")
}

/// Puts each element into the first round that it fits into.
fn rounds<T>(all: impl IntoIterator<Item = T>, fits: impl Fn(&[T], &T) -> bool) -> Vec<Vec<T>> {
    let mut rounds: Vec<Vec<T>> = Vec::new();
    for one in all {
        match rounds.iter_mut().find(|round| fits(round, &one)) {
            Some(round) => round.push(one),
            None => rounds.push(vec![one]),
        }
    }
    rounds
}
