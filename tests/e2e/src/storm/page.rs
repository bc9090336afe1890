// SPDX-License-Identifier: GPL-2.0

//! The page with the tables of a run.

use super::calm::quarters;
use super::{Reloads, Storm};
use crate::table::{table, Align};
use std::fmt::Write as _;

/// The run that the committed page is about.
pub const SEED: u64 = 1;
/// Its rounds, of a minute each.
pub const MINUTES: u64 = 30;
/// How often the driver is loaded in it.
pub const RELOADS: u64 = 1000;

/// What the page says before the run.
const HEAD: &str = include_str!("page.txt");

/// The whole page, of a run and of the loads after it.
#[must_use]
pub fn page(storm: &Storm<'_>, reloads: &Reloads) -> String {
    let mut page = HEAD.to_owned();
    let report = &storm.report;
    let _ = write!(
        page,
        "\nSeed {}: {} s, of which the clock jumped over {}. The least of the kernel's\n\
         memory after rounds: {}.\n\n",
        storm.seed,
        report.time.as_secs(),
        report.skipped.as_secs(),
        least(&storm.memory),
    );
    let rows = report.outcomes().map(|(deed, times)| {
        let known = deed.outcome;
        [
            deed.actor.clone(),
            deed.what.clone(),
            known.0.to_owned(),
            times.to_string(),
            known.1.to_owned(),
        ]
    });
    let head = ["who", "did what", "and came to", "times", "because"];
    page += &table(
        head.map(|cell| (cell, Align::Left)),
        &rows.collect::<Vec<_>>(),
    );
    let _ = write!(
        page,
        "\nAfter that the driver was loaded and unloaded {} times, each time with an event open:\n\
         unloading was refused {} times before it was closed, and its count was right. The least\n\
         of the kernel's memory: {}.\n",
        reloads.done,
        reloads.refused,
        least(&reloads.memory),
    );
    page
}

/// The least memory at some looks, as the page has it.
fn least(memory: &[u64]) -> String {
    let Some((second, last)) = quarters(memory) else {
        return "looked at too seldom".to_owned();
    };
    format!("{second} KiB in the second quarter of them, {last} KiB in the last")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../../Documentation/development/storm.rst");

    #[test]
    fn the_page_is_of_this_program() {
        assert!(PAGE.starts_with(HEAD), "print it again: make -s storm");
    }
}
