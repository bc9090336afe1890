// SPDX-License-Identifier: GPL-2.0

//! Figures of our driver that are the same in each run, and how they have changed since
//! a baseline.

use super::baseline::Rows;
use std::fmt::Write as _;
use uncore_e2e::cost::{Cost, Spread};

/// Growth of instructions that is no change, in percent.
const PERCENT: i64 = 3;

/// Command that renews a baseline.
const RENEW: &str = "make bench CHECK=renew";

/// An exact figure.
pub(super) struct Figure {
    pub(super) name: &'static str,
    of: fn(&Cost) -> i64,
    /// Change that is none, in percent.
    percent: i64,
    /// It is the one of the longest section.
    of_section: bool,
}

/// All exact figures. Accesses are few, so that each of them matters.
pub(super) const FIGURES: [Figure; 3] = [
    Figure {
        name: "in the module",
        of: Cost::in_module,
        percent: PERCENT,
        of_section: false,
    },
    Figure {
        name: "accesses",
        of: Cost::accesses,
        percent: 0,
        of_section: false,
    },
    Figure {
        name: "accesses of the longest section",
        of: |cost| cost.longest().accesses,
        percent: 0,
        of_section: true,
    },
];

/// The values of [`FIGURES`] in one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exact(pub(super) [i64; FIGURES.len()]);

impl Exact {
    /// Returns the medians of the costs of all rounds. In those that take long the driver's timer
    /// fires. The emulator's speed decides how often it does so in one interrupt, so that their
    /// longest section is left out.
    pub(super) fn of(costs: &[Cost], is_short: bool) -> Self {
        Self(FIGURES.map(|figure| {
            if is_short || !figure.of_section {
                Spread::of(costs, figure.of).median
            } else {
                0
            }
        }))
    }
}

/// Result of a row that is held against a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As it was.
    Held(String),
    /// Cheaper: the baseline should say so.
    Cheaper(String),
    /// Dearer, or not comparable.
    Failed(String),
    /// Without a baseline.
    Unknown(String),
}

impl Verdict {
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// Returns the line that `tests/test.sh` counts.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Held(what) => format!("ok - {what}"),
            Self::Cheaper(what) => format!("ok - {what}: {RENEW} has the baseline say so"),
            Self::Failed(what) => format!("not ok - {what}"),
            Self::Unknown(what) => format!("ok - {what} # SKIP no baseline of this build"),
        }
    }
}

/// Holds the rows that are measured against those of a baseline, if there are any.
/// `known` are the titles of all rows that can be measured.
pub(super) fn compare(measured: &Rows, baseline: Option<&Rows>, known: &[String]) -> Vec<Verdict> {
    let verdicts = measured.iter().map(|(title, now)| {
        let Some(rows) = baseline else {
            return Verdict::Unknown(format!("{title}: {}", values(*now)));
        };
        match rows.get(title) {
            Some(before) => compare_row(title, *before, *now),
            None => Verdict::Failed(format!("{title}: not in the baseline: {RENEW} adds it")),
        }
    });
    let gone = baseline.into_iter().flat_map(Rows::keys);
    let gone = gone.filter(|title| !known.contains(title));
    let gone = gone
        .map(|title| Verdict::Failed(format!("{title}: only in the baseline: {RENEW} removes it")));
    verdicts.chain(gone).collect()
}

fn values(row: Exact) -> String {
    let values = FIGURES.iter().zip(row.0);
    let values = values.map(|(figure, value)| format!("{} {value}", figure.name));
    values.collect::<Vec<_>>().join(", ")
}

fn compare_row(title: &str, before: Exact, now: Exact) -> Verdict {
    let mut said = title.to_owned();
    let mut separator = ": ";
    let (mut grown, mut shrunk) = (false, false);
    for (figure, (before, now)) in FIGURES.iter().zip(before.0.into_iter().zip(now.0)) {
        let limit = before.abs() * figure.percent;
        let growth = 100 * (now - before);
        if growth.abs() <= limit {
            continue;
        }
        grown |= growth > 0;
        shrunk |= growth < 0;
        let _ = write!(said, "{separator}{} {before} became {now}", figure.name);
        if before > 0 {
            let tenths = 1000 * (now - before) / before;
            let sign = if tenths < 0 { '-' } else { '+' };
            let tenths = tenths.abs();
            let _ = write!(said, " ({sign}{}.{} %)", tenths / 10, tenths % 10);
        }
        separator = ", ";
    }
    match (grown, shrunk) {
        (true, _) => Verdict::Failed(said),
        (_, true) => Verdict::Cheaper(said),
        _ => Verdict::Held(format!("{title}: {}", values(now))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TITLE: &str = "read, C-Box";
    const LAST: &str = FIGURES[2].name;

    fn verdict(before: [i64; 3], now: [i64; 3]) -> Verdict {
        let rows = |values| Rows::from([(TITLE.to_owned(), Exact(values))]);
        let known = [TITLE.to_owned()];
        let mut verdicts = compare(&rows(now), Some(&rows(before)), &known);
        assert_eq!(verdicts.len(), 1);
        verdicts.remove(0)
    }

    #[test]
    fn the_longest_section_is_exact_where_no_time_passes() {
        let line = "user 0, kernel 0, module 9, rdmsr 1, wrmsr 1, port-read 0, port-write 0, \
                    memory-read 0, memory-write 0, section-accesses 2, section-instructions 7";
        let costs = Cost::all(&format!("cost x\n{line}\n"));
        assert_eq!(Exact::of(&costs, true), Exact([9, 2, 2]));
        assert_eq!(Exact::of(&costs, false), Exact([9, 2, 0]));
    }

    #[test]
    fn three_percent_of_the_instructions_is_no_change() {
        for now in [97, 99, 100, 101, 103] {
            let held = format!("{TITLE}: in the module {now}, accesses 5, {LAST} 4");
            assert_eq!(verdict([100, 5, 4], [now, 5, 4]), Verdict::Held(held));
        }
        let zero = format!("{TITLE}: in the module 0, accesses 0, {LAST} 0");
        assert_eq!(verdict([0; 3], [0; 3]), Verdict::Held(zero));
    }

    #[test]
    fn more_is_a_failure_that_names_row_and_figure() {
        for (before, now, said) in [
            (
                [100, 5, 4],
                [104, 5, 4],
                "in the module 100 became 104 (+4.0 %)",
            ),
            (
                [33, 5, 4],
                [34, 5, 4],
                "in the module 33 became 34 (+3.0 %)",
            ),
            ([0, 5, 4], [1, 5, 4], "in the module 0 became 1"),
            ([100, 50, 4], [100, 51, 4], "accesses 50 became 51 (+2.0 %)"),
            (
                [100, 50, 4],
                [100, 50, 5],
                "accesses of the longest section 4 became 5 (+25.0 %)",
            ),
            (
                [100, 0, 4],
                [50, 1, 4],
                "in the module 100 became 50 (-50.0 %), accesses 0 became 1",
            ),
        ] {
            let verdict = verdict(before, now);
            assert_eq!(verdict, Verdict::Failed(format!("{TITLE}: {said}")));
            assert!(verdict.line().starts_with("not ok - "));
        }
    }

    #[test]
    fn less_asks_for_a_new_baseline() {
        for (before, now, said) in [
            (
                [100, 5, 4],
                [96, 5, 4],
                "in the module 100 became 96 (-4.0 %)",
            ),
            ([100, 50, 4], [100, 49, 4], "accesses 50 became 49 (-2.0 %)"),
        ] {
            let verdict = verdict(before, now);
            assert!(!verdict.is_failure());
            let line = verdict.line();
            assert!(line.starts_with(&format!("ok - {TITLE}: {said}")), "{line}");
            assert!(line.contains(RENEW), "{line}");
        }
    }

    #[test]
    fn a_row_on_one_side_only_is_a_failure() {
        let row = |title: &str| Rows::from([(title.to_owned(), Exact([1; 3]))]);
        let verdicts = compare(&row("new"), Some(&row("old")), &["new".to_owned()]);
        let lines: Vec<String> = verdicts.iter().map(Verdict::line).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("not ok - new: not in the baseline"));
        assert!(lines[1].starts_with("not ok - old: only in the baseline"));
    }

    #[test]
    fn a_row_that_was_not_asked_for_is_not_missed() {
        let row = |title: &str| Rows::from([(title.to_owned(), Exact([1; 3]))]);
        let baseline = row("new").into_iter().chain(row("old")).collect();
        let known = ["new", "old"].map(str::to_owned);
        let verdicts = compare(&row("new"), Some(&baseline), &known);
        assert!(matches!(&verdicts[..], [Verdict::Held(_)]), "{verdicts:?}");
    }

    #[test]
    fn a_build_without_a_baseline_is_reported_and_does_not_fail() {
        let rows = Rows::from([(TITLE.to_owned(), Exact([7, 2, 1]))]);
        let verdicts = compare(&rows, None, &[]);
        assert!(!verdicts[0].is_failure());
        let line = verdicts[0].line();
        assert!(
            line.contains("in the module 7, accesses 2, accesses of the longest section 1 # SKIP"),
            "{line}"
        );
    }
}
