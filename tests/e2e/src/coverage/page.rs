// SPDX-License-Identifier: GPL-2.0

//! The page with the tables of a run.

use super::known;
use super::report::{Gap, Report, Share, Totals};
use super::ways::Lead;
use crate::table::{table, Align};
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// What the page says before the run.
const HEAD: &str = include_str!("page.txt");
/// What it says before the lines that never ran.
const LINES: &str = "
Lines that never ran
====================

";
/// And before the ways that lead elsewhere from a line that ran.
const BRANCHES: &str = "
Branches that were never taken
==============================

``142 to 150`` leads from line 142 to line 150: the first line of the function there, as
far as all instructions up to the next conditional jump tell, in whichever function it was
inlined. ``142 out`` leads to whoever called it. Branches to lines that never ran are not
repeated here.

";
/// And before those that say less.
const WITHIN: &str = "
Other ways that were never taken
================================

*Never failed* are lines that hand on failures (``?``), or begin what does so at its end:
text for sysfs and debugfs always had room, registers answered there, tables have what is
looked up in them, and memory does not run out on this kernel; on the debug kernel
``lifetime::failures`` has each allocation fail in turn. *Within* are lines without a
condition in the source, and ways that lead no further than to the next condition of their
line, or that an iterator decides: loops that always ended early, or never did, shorter
copies of them, what an ``Option`` always or never had, a comparison that the compiler made
of several.

";
/// A gap that nobody has explained.
const UNEXPLAINED: &str = "unexplained";

/// The whole page.
#[must_use]
pub fn page(report: &Report) -> String {
    let mut page = HEAD.to_owned();
    let _ = write!(
        page,
        "\n{} machines had the module loaded. {} ways of conditional jumps lead to nothing but a\n\
         failed check of arithmetic and are not in the table; {} of them were taken.\n\n",
        report.guests, report.checks.all, report.checks.ran,
    );
    page += &totals(report);
    page += LINES;
    page += &lines(report);
    page += BRANCHES;
    page += &branches(report);
    page += WITHIN;
    page += &within(report);
    page
}

fn totals(report: &Report) -> String {
    let mut all = Totals::default();
    let mut rows = Vec::new();
    for (path, file) in &report.files {
        let totals = file.totals();
        all += totals;
        rows.push(row(path, totals));
    }
    rows.push(row("all", all));
    let head = [
        "file",
        "functions",
        "ran",
        "lines",
        "ran",
        "%",
        "ways",
        "ran",
        "%",
    ];
    let head = head.map(|cell| (cell, Align::Right));
    table(with_left(head), &rows)
}

/// The first column to the left.
fn with_left<const N: usize>(mut head: [(&str, Align); N]) -> [(&str, Align); N] {
    head[0].1 = Align::Left;
    head
}

fn row(name: &str, totals: Totals) -> [String; 9] {
    let Totals {
        functions,
        lines,
        ways,
    } = totals;
    [
        name.to_owned(),
        functions.all.to_string(),
        functions.ran.to_string(),
        lines.all.to_string(),
        lines.ran.to_string(),
        percent(lines),
        ways.all.to_string(),
        ways.ran.to_string(),
        percent(ways),
    ]
}

/// Rounded down, so that 100 is all.
fn percent(share: Share) -> String {
    let percent = (share.ran * 100).checked_div(share.all);
    percent.map_or_else(|| "-".to_owned(), |percent| percent.to_string())
}

/// What never ran, and why.
fn lines(report: &Report) -> String {
    gaps(report, ["lines", "because"], |path, function, gap| {
        let lines = list(gap.lines.iter().map(range));
        (!lines.is_empty()).then(|| [lines, because(known::lines(path, function))])
    })
}

/// Lines that never led to another one or out of their function, and why.
fn branches(report: &Report) -> String {
    gaps(report, ["never", "because"], |path, function, gap| {
        let branches = list(gap.branches.iter().map(branch));
        (!branches.is_empty()).then(|| [branches, because(known::branches(path, function))])
    })
}

/// Lines that have other jumps of one way only.
fn within(report: &Report) -> String {
    gaps(report, ["never failed", "within"], |_, _, gap| {
        let cells = [&gap.no_failure, &gap.within];
        let cells = cells.map(|lines| list(lines.iter().map(u32::to_string)));
        cells.iter().any(|cell| !cell.is_empty()).then_some(cells)
    })
}

/// A table of functions with two columns about each, where there is something to say.
fn gaps(
    report: &Report,
    [third, fourth]: [&str; 2],
    about: impl Fn(&str, &str, &Gap) -> Option<[String; 2]>,
) -> String {
    let rows = report.gaps().filter_map(|(path, function, gap)| {
        let [third, fourth] = about(path, function, &gap)?;
        Some([path.to_owned(), function.to_owned(), third, fourth])
    });
    let head = ["file", "function", third, fourth].map(|cell| (cell, Align::Left));
    table(head, &rows.collect::<Vec<_>>())
}

fn because(reason: Option<&str>) -> String {
    reason.unwrap_or(UNEXPLAINED).to_owned()
}

fn branch((line, lead): &(u32, Lead)) -> String {
    match lead {
        Lead::Line(to) => format!("{line} to {to}"),
        Lead::Out | Lead::Here => format!("{line} out"),
    }
}

fn range(lines: &RangeInclusive<u32>) -> String {
    let (first, last) = (lines.start(), lines.end());
    if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../../Documentation/development/coverage.rst");

    #[test]
    fn the_page_is_of_this_program() {
        assert!(PAGE.starts_with(HEAD), "print it again: make -s coverage");
    }

    #[test]
    fn the_page_explains_every_gap() {
        let unexplained = PAGE.lines().filter(|line| line.ends_with(UNEXPLAINED));
        assert_eq!(
            unexplained.collect::<Vec<_>>(),
            Vec::<&str>::new(),
            "say why in known.rs, then print the page again: make -s coverage"
        );
    }

    #[test]
    fn a_branch_leads_somewhere() {
        assert_eq!(branch(&(3, Lead::Line(5))), "3 to 5");
        assert_eq!(branch(&(3, Lead::Out)), "3 out");
    }

    #[test]
    fn shares_are_rounded_down() {
        let share = |ran, all| percent(Share { ran, all });
        assert_eq!(share(199, 200), "99");
        assert_eq!(share(2, 2), "100");
        assert_eq!(share(0, 0), "-");
    }

    #[test]
    fn a_range_of_one_line_is_a_line() {
        assert_eq!(list([3..=3, 5..=7].iter().map(range)), "3, 5-7");
    }
}
