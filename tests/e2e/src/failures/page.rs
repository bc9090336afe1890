// SPDX-License-Identifier: GPL-2.0

//! The page with the tables of runs: each part is of the last run that had all of it.

use super::memory::{DONE, NAMED, REFUSED};
use super::report::{Part, Report, Row, Walked};
use crate::table::{table, Align};
use crate::Config;
use std::fmt::Write as _;

/// What the page says before the parts.
const HEAD: &str = include_str!("page.txt");

/// The whole page: parts of the run, and of the page that there is those that the run has
/// not, or not all of.
#[must_use]
pub fn page(before: &str, config: &Config, report: &Report) -> String {
    let mut page = HEAD.to_owned();
    for part in Part::ALL {
        if report.is_whole(part) {
            page += &section(part, config, report);
        } else {
            let none = || format!("{}\nNo run has had all of it yet.\n", heading(part));
            page += &kept(before, part).map_or_else(none, str::to_owned);
        }
    }
    page
}

/// The heading of a part.
fn heading(part: Part) -> String {
    let title = match part {
        Part::Registers => "Registers in MSRs",
        Part::Functions => "PCI functions",
        Part::Memory => "Memory",
    };
    format!("\n{title}\n{}\n", "=".repeat(title.len()))
}

/// What a page has of a part.
fn kept(page: &str, part: Part) -> Option<&str> {
    let starts = |part| page.find(&heading(part));
    let start = starts(part)?;
    let ends = Part::ALL.into_iter().filter_map(starts);
    let end = ends.filter(|&end| end > start).min();
    page.get(start..end.unwrap_or(page.len()))
}

/// A part of a run.
fn section(part: Part, config: &Config, report: &Report) -> String {
    let mut section = heading(part);
    let _ = write!(
        section,
        "\nKernel {}, {}: {} failures.\n\n",
        config.series,
        config.flavour.name(),
        report.times(part),
    );
    section += &match part {
        Part::Memory => memory(&report.walks),
        Part::Registers | Part::Functions => failures(report.of(part)),
    };
    section
}

fn failures<'a>(rows: impl Iterator<Item = &'a (Row, u64)>) -> String {
    let head = ["box", "what fails", "when", "and comes to", "times"];
    let rows = rows.map(|(row, times)| {
        let (when, came) = (row.moment.name(), row.came.name());
        [
            row.unit.to_owned(),
            row.role.to_owned(),
            when.to_owned(),
            came.to_owned(),
            times.to_string(),
        ]
    });
    table(
        head.map(|cell| (cell, Align::Left)),
        &rows.collect::<Vec<_>>(),
    )
}

fn memory(walks: &[Walked]) -> String {
    let head = [
        ("allocations of", Align::Left),
        ("which", Align::Left),
        (REFUSED, Align::Right),
        (NAMED, Align::Right),
        (DONE, Align::Right),
    ];
    let rows = walks.iter().map(|walk| {
        let times = |outcome| {
            let times = walk.outcomes.get(outcome).copied();
            times.unwrap_or(0).to_string()
        };
        let (what, which) = walk.what.split_once(": ").unwrap_or((&walk.what, ""));
        [
            what.to_owned(),
            which.to_owned(),
            times(REFUSED),
            times(NAMED),
            times(DONE),
        ]
    });
    table(head, &rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../../Documentation/development/failures.rst");

    #[test]
    fn the_page_is_of_this_program() {
        let again = page(PAGE, &Config::default(), &Report::default());
        assert!(again == PAGE, "run it again: make failures");
    }

    #[test]
    fn a_part_that_was_not_run_stays() {
        let [registers, functions] = [Part::Registers, Part::Functions].map(heading);
        let before = format!("old head\n{registers}old\n{functions}older\n");
        assert_eq!(
            kept(&before, Part::Registers),
            Some(&*format!("{registers}old\n"))
        );
        let older = format!("{functions}older\n");
        assert_eq!(kept(&before, Part::Functions), Some(&*older));
        assert_eq!(kept(&before, Part::Memory), None);
    }
}
