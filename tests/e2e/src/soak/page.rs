// SPDX-License-Identifier: GPL-2.0

//! The page that the outcomes make.

use super::{Outcome, DAY};
use std::fmt::Write as _;

const HEAD: &str = "\
.. SPDX-License-Identifier: GPL-2.0

====
Soak
====

Every counter of every box of the emulated machine's two packages counts for days:
the guest's clock jumps by five minutes, and the traffic of that time passes,
900,000,000,000 uncore clocks (3 GHz). What each event should have counted
follows from the traffic's definition (Documentation/development/traffic.rst). Without
interrupts (``overflow=poll``), and with them for the boxes that have one
(``overflow=pmi``)::

  make soak DAYS=30

prints this page; ``make test`` takes a quarter of a day of each.
";

/// The whole page.
#[must_use]
pub fn page(outcomes: &[Outcome]) -> String {
    let mut page = HEAD.to_owned();
    for outcome in outcomes {
        section(&mut page, outcome);
    }
    page
}

fn section(page: &mut String, outcome: &Outcome) {
    let title = format!("overflow={}", outcome.mode.name());
    let (days, minutes) = (outcome.minutes / DAY, outcome.minutes % DAY);
    let memory = |value: Option<&u64>| value.copied().unwrap_or(0);
    let (first, last) = (
        memory(outcome.memory.first()),
        memory(outcome.memory.last()),
    );
    let line = "=".repeat(title.len());
    let _ = write!(
        page,
        "\n{title}\n{line}\n\n\
         {days} days and {minutes} minutes, {} interrupts, {} polls. The kernel's memory:\n\
         {first} KiB after an eighth of that, {last} KiB at the end.\n\n",
        outcome.interrupts, outcome.polls
    );
    let rule = "======  ======  ======================  =======  ====\n";
    let _ = write!(
        page,
        "{rule}box     events  counted                 wraps    lost\n{rule}"
    );
    for row in &outcome.rows {
        let _ = writeln!(
            page,
            "{:<6}  {:>6}  {:>22}  {:>7}  {:>4}",
            row.unit, row.events, row.expected, row.wraps, row.wrong
        );
    }
    page.push_str(rule);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::BoxKind;

    const PAGE: &str = include_str!("../../../../Documentation/development/soak.rst");

    #[test]
    fn the_page_is_of_this_program() {
        assert!(PAGE.starts_with(HEAD), "print it again: make soak DAYS=30");
    }

    #[test]
    fn the_page_has_each_type_of_box_in_each_mode() {
        for kind in BoxKind::ALL {
            let unit = kind.unit();
            let rows = PAGE
                .lines()
                .filter(|line| line.split(' ').next() == Some(unit));
            assert_eq!(rows.count(), 2, "{unit}");
        }
    }
}
