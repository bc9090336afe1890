// SPDX-License-Identifier: GPL-2.0

//! A metric for other programs: exact values, the same columns in CSV and JSON.

use super::Interval;
use crate::outcome::Outcome;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
pub(super) struct Record<'a> {
    /// `None` for all packages.
    package: Option<u32>,
    #[serde(rename = "type")]
    box_type: &'a str,
    /// `None` for all boxes of the type.
    #[serde(rename = "box")]
    box_name: Option<&'a str>,
    metric: &'a str,
    value: Option<f64>,
    unit: &'static str,
    per_second: Option<f64>,
    counted: f64,
    apart: bool,
    /// Reason why there is no value.
    reason: Option<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    end: f64,
    seconds: f64,
    metrics: Vec<Record<'a>>,
}

impl<'a> Record<'a> {
    /// Names of the columns in CSV.
    pub(super) const COLUMNS: [&'static str; 12] = [
        "end",
        "seconds",
        "package",
        "type",
        "box",
        "metric",
        "value",
        "unit",
        "per_second",
        "counted",
        "apart",
        "reason",
    ];

    pub(super) fn of(outcome: &'a Outcome, interval: &Interval) -> Self {
        Record {
            package: outcome.package,
            box_type: &outcome.box_type,
            box_name: outcome.box_name.as_deref(),
            metric: &outcome.metric,
            value: outcome.value.ok(),
            unit: outcome.unit.symbol(),
            per_second: outcome.per_second(interval.seconds),
            counted: outcome.counted,
            apart: outcome.apart,
            reason: outcome.value.err().map(|reason| reason.to_string()),
        }
    }
}

/// An interval as one line of JSON.
pub(super) fn json_line(interval: &Interval) -> io::Result<Vec<u8>> {
    let outcomes = interval.outcomes.iter();
    let mut line = serde_json::to_vec(&Line {
        end: interval.end,
        seconds: interval.seconds,
        metrics: outcomes
            .map(|outcome| Record::of(outcome, interval))
            .collect(),
    })?;
    line.push(b'\n');
    Ok(line)
}
