// SPDX-License-Identifier: GPL-2.0

//! The page that the results make.

use super::table::{footprint, ratio, FIGURES};
use super::{Results, DRIVERS, OPERATIONS};
use std::fmt::Write as _;

const HEAD: &str = "\
.. SPDX-License-Identifier: GPL-2.0

=====================================
What operations cost with each driver
=====================================

This page holds ``ivbep_uncore`` against the kernel's own ``intel_uncore``: what the
same operation costs with each of them on the emulated machine
(Documentation/development/machine.rst). It is written by a run::

  make bench                              # the table; a quarter of an hour
  make bench ONLY='read of one'           # some operations
  cp build/bench.rst Documentation/development

``build/bench.json`` then has every figure, accesses by kind and instructions by place
among them.

Units
=====

Seconds would tell about the emulator. What is counted is exact, and the same on any
computer:

*instructions*
  All that processors execute from right before an operation until right after it: user
  space, the kernel and the driver, on all processors.
*in the module*
  Those of them that lie in the module. What the kernel does for it (locks, PCI
  accesses, memory, sysfs) is among the others, as are the functions of the kernel's
  Rust library that were not inlined.
*accesses*
  MSRs of the uncore read and written, dwords of the configuration space of its
  functions read and written.

*ratio* is ours by theirs.

Method
======

Both drivers run on the same kernel and the same machine: two packages with two cores
and two C-Boxes each, as ``intel_uncore`` sees as many C-Boxes as there are cores. Each
operation has a machine that has just booted, and takes the same steps with both drivers;
only names of modules and PMUs differ. ``tests/e2e/src/bench/operations.rs`` has the
steps. They run on CPU 0, and so do the events but for those of the other package.

The guest's kernel is built for size (CONFIG_CC_OPTIMIZE_FOR_SIZE), and both drivers with
it. Built for speed (``-Copt-level=2``), our module has a quarter more code, and takes 8 %
fewer instructions to read a C-Box's counter (121 instead of 131) and 1 % fewer for one
of an iMC (206 instead of 209).

The machine counts instructions one by one (``count=on``). ``perf-open 'cost STEP'`` sets
a marker right before the system call of a step and right after it, so that neither its
own preparations nor what it prints are counted. For *overflow*, *interval* and *idle
minute* there are two markers around more than one system call, and what the same costs
without the overflow, with fewer intervals, without events is taken off.

The first round is thrown away. Figures are the median of the others, with the quartiles
in brackets where they differ: now and then the kernel's own timers fall into an
operation. They are most of what an interval or an idle minute costs, and more than all
that an overflow does outside the module, so that its difference may be negative.

The C-Box stands for boxes that are reached by MSRs, the memory controller (iMC) for
those in configuration space, where a counter is two dwords. Ours reads them from memory
(``memory-read`` in ``build/bench.json``), theirs through ports as the PCI core does, under
a lock of the whole machine. An idle minute passes as fast as the machine can let it (600
times ``machine skip 100``); all 100 events count, 50 in each package.
";

const RESULTS: &str = "
Results
=======
";

const WHY: &str = "
Ratios above 1
==============

";

/// The whole page.
#[must_use]
pub fn page(results: &Results) -> String {
    let mut page = HEAD.to_owned();
    page.push_str(RESULTS);
    for figure in &FIGURES {
        head(&mut page, figure.name);
        for row in &results.rows {
            let spreads = row.spreads(figure);
            let medians = spreads.map(|spread| spread.median);
            let [ours, theirs] = spreads.map(|spread| spread.to_string());
            line(&mut page, &[&row.title(), &ours, &theirs, &ratio(medians)]);
        }
    }
    head(&mut page, "once it is loaded");
    for (what, figures) in footprint(results) {
        let [ours, theirs] = figures.map(|figure| figure.to_string());
        line(&mut page, &[what, &ours, &theirs, &ratio(figures)]);
    }
    page.push_str(WHY);
    let dear = OPERATIONS
        .iter()
        .filter(|operation| is_dear(results, operation.name));
    for operation in dear {
        let _ = writeln!(page, "*{}*\n{}", operation.name, fill(operation.why));
    }
    page
}

/// Whether some figure of an operation is larger with our driver.
fn is_dear(results: &Results, operation: &str) -> bool {
    let mut rows = results.rows.iter();
    rows.any(|row| {
        let larger = |figure| {
            let [ours, theirs] = row.spreads(figure).map(|spread| spread.median);
            ours > theirs
        };
        row.operation.name == operation && FIGURES.iter().any(larger)
    })
}

fn head(page: &mut String, title: &str) {
    page.push_str("\n.. list-table::\n   :header-rows: 1\n   :widths: 45 25 25 10\n\n");
    let [ours, theirs] = DRIVERS.map(crate::Driver::name);
    line(page, &[title, ours, theirs, "ratio"]);
}

fn line(page: &mut String, words: &[&str; 4]) {
    let _ = writeln!(page, "   * - {}", words.join("\n     - "));
}

/// A paragraph of lines that are not too long, indented.
fn fill(text: &str) -> String {
    const LONGEST: usize = 85;
    const INDENT: &str = " ";
    let mut filled = INDENT.to_owned();
    let mut length = filled.len();
    for word in text.split(' ') {
        if length + 1 + word.len() > LONGEST {
            filled.push('\n');
            filled.push_str(INDENT);
            length = INDENT.len();
        }
        filled.push(' ');
        filled.push_str(word);
        length += 1 + word.len();
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::subjects;

    #[test]
    fn paragraphs_are_filled() {
        let lines = fill(&["word"; 20].join(" "));
        let lengths: Vec<usize> = lines.lines().map(str::len).collect();
        assert_eq!(lengths, [81, 21]);
        assert!(lines.lines().all(|line| line.starts_with("  word")));
    }

    #[test]
    fn each_line_is_a_row() {
        let mut page = String::new();
        line(&mut page, &["read", "2", "1", "2.00"]);
        assert_eq!(page, "   * - read\n     - 2\n     - 1\n     - 2.00\n");
    }

    /// Figures may be of an older run, but not text or operations.
    #[test]
    fn the_page_that_is_there_is_of_these_operations() {
        let page = include_str!("../../../../Documentation/development/bench.rst");
        assert!(page.starts_with(HEAD));
        for (operation, subject) in subjects() {
            let title = format!("\n   * - {}{subject}\n", operation.name);
            assert_eq!(page.matches(&title).count(), FIGURES.len(), "{title}");
        }
    }

    #[test]
    fn what_may_be_dear_has_a_reason() {
        for operation in OPERATIONS {
            assert!(!operation.why.is_empty(), "{}", operation.name);
        }
    }
}
