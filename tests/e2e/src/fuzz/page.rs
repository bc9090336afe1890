// SPDX-License-Identifier: GPL-2.0

//! The page with the table of a run.

use super::totals::{Count, Totals};
use crate::table::{table, Align};
use std::fmt::Write as _;

/// The run that the page is about.
pub const SEED: u64 = 1;
/// Its cases.
pub const CASES: u64 = 10_000;

const HEAD: &str = "\
.. SPDX-License-Identifier: GPL-2.0

========================
Fuzzing perf_event_open
========================

The fuzzer opens events on the module's PMUs, right ones and wrong ones, and holds
what the kernel answers against an oracle that was written from the specification.
A request must be accepted exactly when it is legal, and refused with an errno that
says why not::

  make fuzz SEED=7 CASES=5000
  make fuzz SEED=7 ONLY=1234
  make fuzz KERNEL=debug

A case is a handful of operations: events are opened, alone and in groups, read,
enabled, reset, redirected, mapped, duplicated, held by children, closed in any order,
with bursts of traffic in between, from any CPU. Its number and the seed make it,
whatever was tried before, so that it can be had alone. A case that fails is made
smaller as long as it still fails, and is printed with the line that repeats it.

Cases
=====

Most events are rows of the catalogue (``tests/data/ivbep-events.csv``) with the
filters, thresholds and edges that they can have. Half of them are then spoilt in one
or two places: bits of config words, umasks, event selects, filters, periods, sample
types, flags, sizes, CPUs, tasks, groups. Some are random through and through. A third
of the cases crowd one box with good events, so that groups come to the limits of its
counters and filters.

The machine has two packages; the second lacks a C-Box of the first and the function
with the packet match of a QPI port, so that it matters where an event is opened.

Oracle
======

It shares nothing with the module. It knows

* what perf demands of any event, from perf_event_open(2) and the kernel's source:
  sizes, reserved bits, sample types, groups, buffers, what a read returns;
* the fields of each box and the events, umasks, largest increments and filters of the
  catalogue, and the rules of the register reference that the catalogue has no column
  for: umasks that stand alone, opcodes that exist, what the thresholds of the PCU mean;
* which events fit together: it tries every way to place a group on the counters that
  can count each event, and compares the filters that they share.

It gives all reasons against a request. If there is none the request must be
accepted, else the errno must be that of one of them. Besides, after each case nobody
may hold the module any more, neither the kernel nor the model of the hardware
may complain of anything, and in the end the module is unloaded and loaded again.

A run
=====

This table is printed from a run, and a test compares it with what the oracle expects
of the same cases, and tries some of them again::

  make -s fuzz PAGE=1 > Documentation/development/fuzzing.rst

";

/// The whole page.
#[must_use]
pub fn page(totals: &Totals) -> String {
    let mut page = HEAD.to_owned();
    let _ = writeln!(
        page,
        "Seed {SEED}, {} cases. A request that is wrong in several ways is in several rows.\n",
        grouped(totals.cases)
    );
    let all = [
        ("legal requests to open an event", totals.legal),
        ("illegal ones", totals.illegal),
        ("other operations", totals.others),
    ];
    let of_all = |(what, count)| {
        let [what, asked, _, agreed] = row(what, count);
        [what, asked, String::new(), agreed]
    };
    let mut rows: Vec<[String; 4]> = all.map(of_all).into();
    let reasons = totals.reasons();
    rows.extend(reasons.map(|(reason, count)| row(&reason.to_string(), count)));
    let head = [
        ("requests", Align::Left),
        ("tried", Align::Right),
        ("for this alone", Align::Right),
        ("as they should", Align::Right),
    ];
    page + &table(head, &rows)
}

fn row(what: &str, count: Count) -> [String; 4] {
    let Count {
        asked,
        alone,
        agreed,
    } = count;
    let numbers = [asked, alone, agreed].map(grouped);
    let [asked, alone, agreed] = numbers;
    [what.to_owned(), asked, alone, agreed]
}

/// A number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        let numbers = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn the_table_has_a_row_for_each_reason() {
        let page = page(&Totals::default());
        let rows = page.lines().filter(|line| line.ends_with("  0"));
        let rows = rows.filter(|line| !line.contains("cases"));
        assert_eq!(rows.count(), 3 + 29);
        let borders = page
            .lines()
            .filter(|line| line.starts_with("===") && line.contains("  "));
        assert_eq!(borders.count(), 3);
    }
}
