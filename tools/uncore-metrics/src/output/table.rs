// SPDX-License-Identifier: GPL-2.0

//! A metric for people: aligned columns, rounded values.
//!
//! `counted` is the share of time in which the events of a metric were counted, rounded down to a
//! whole percent so that 100 % means always; a note says what else limits the value, or that this
//! share is too small to rely on the value.

use super::Interval;
use crate::layout::aligned;
use crate::outcome::Outcome;
use crate::round::rounded;
use crate::round::Digits;
use crate::round::Prefixes;

const HEAD: [&str; 8] = [
    "package",
    "box",
    "metric",
    "value",
    "unit",
    "per second",
    "counted",
    "note",
];

/// Columns that are aligned to the right.
const RIGHT: [usize; 4] = [0, 3, 5, 6];

/// An interval as a table with a line above.
pub(super) fn table(interval: &Interval, prefixes: Prefixes) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    let outcomes = interval.outcomes.iter();
    rows.extend(outcomes.map(|outcome| row(outcome, prefixes)));
    let (seconds, end) = (interval.seconds, interval.end);
    let table = aligned(&rows, "", |column| RIGHT.contains(&column));
    format!("interval of {seconds:.3} s, ended at {end:.3} s\n{table}\n")
}

fn row(outcome: &Outcome, prefixes: Prefixes) -> [String; 8] {
    let digits = Digits::of_share(outcome.counted);
    let (value, unit) = match outcome.value {
        Ok(value) => rounded(value, outcome.unit, digits, prefixes),
        Err(_) => ("-".to_owned(), outcome.unit.to_string()),
    };
    let rate = outcome.per_second();
    let rate = rate.map(|rate| rounded(rate, outcome.unit, digits, prefixes));
    let rate = rate.map(|(rate, unit)| format!("{rate} {unit}/s"));
    let note = match outcome.value {
        Err(reason) => reason.to_string(),
        Ok(_) if digits == Digits::One => "counted for too short a time".to_owned(),
        Ok(_) if outcome.apart => "terms counted at different times".to_owned(),
        Ok(_) => String::new(),
    };
    [
        outcome
            .package
            .map_or("all".to_owned(), |package| package.to_string()),
        outcome
            .box_name
            .clone()
            .unwrap_or_else(|| format!("all {}", outcome.box_type)),
        outcome.metric.clone(),
        value,
        unit,
        rate.unwrap_or_default(),
        format!("{:.0} %", (outcome.counted * 100.0).floor()),
        note,
    ]
}
