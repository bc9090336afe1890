// SPDX-License-Identifier: GPL-2.0

//! The user-space tool, as its users run it.

mod check;
mod doctor;
mod explain;
mod export;
mod registers;
mod stat;
mod survey;
mod top;

use uncore_runner::Config;

/// A machine whose clocks run, as those of real ones do.
/// The usual machine with traffic all the time. Interrupts may freeze its counters, however
/// long the emulated processor takes to handle them.
fn free_running() -> Config {
    Config {
        parameters: vec!["frozen_limit=100".to_owned()],
        ..Config::default().with("free-run", "on")
    }
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
