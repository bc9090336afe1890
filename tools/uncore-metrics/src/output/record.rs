// SPDX-License-Identifier: GPL-2.0

//! A metric for other programs: exact values, the same columns in CSV and JSON.

use super::Interval;
use crate::outcome::Outcome;
use crate::reading::NoValue;
use crate::unit::Unit;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;

#[derive(Serialize, Deserialize)]
pub(crate) struct Record<'a> {
    seconds: f64,
    /// `None` for all packages.
    package: Option<u32>,
    #[serde(rename = "type")]
    box_type: Cow<'a, str>,
    /// `None` for all boxes of the type.
    #[serde(rename = "box")]
    box_name: Option<Cow<'a, str>>,
    metric: Cow<'a, str>,
    value: Option<f64>,
    unit: Cow<'a, str>,
    per_second: Option<f64>,
    counted: f64,
    apart: bool,
    /// Reason why there is no value.
    reason: Option<Cow<'a, str>>,
}

/// An interval.
#[derive(Serialize, Deserialize)]
pub(crate) struct Line<'a> {
    end: f64,
    seconds: f64,
    metrics: Vec<Record<'a>>,
}

/// Fault of a metric of one box that was read.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// It is of several boxes, or of several packages.
    #[error("not of one box of one package")]
    NotOfABox,
    /// Nothing is said of its value.
    #[error("neither a value nor a reason")]
    Neither,
    /// A value that there is not.
    #[error("a value and a reason why there is none")]
    Both,
    /// A reason that is not known.
    #[error("no value for the reason {0:?}, which this version does not know")]
    Reason(String),
    /// A unit that is not known.
    #[error("{0:?} is not a unit")]
    Unit(String),
    /// A share of time that is none.
    #[error("counted for {0} of the time")]
    Counted(f64),
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

    pub(super) fn of(outcome: &'a Outcome) -> Self {
        Record {
            seconds: outcome.seconds,
            package: outcome.package,
            box_type: Cow::from(&outcome.box_type),
            box_name: outcome.box_name.as_deref().map(Cow::from),
            metric: Cow::from(&outcome.metric),
            value: outcome.value.ok(),
            unit: Cow::from(outcome.unit.symbol()),
            per_second: outcome.per_second(),
            counted: outcome.counted,
            apart: outcome.apart,
            reason: outcome.value.err().map(|reason| reason.to_string().into()),
        }
    }

    /// The metric of a box that it describes.
    fn outcome(self) -> Result<Outcome, Wrong> {
        let value =
            match (self.value, self.reason) {
                (Some(value), None) => Ok(value),
                (None, Some(reason)) => Err(NoValue::from_text(&reason)
                    .ok_or_else(|| Wrong::Reason(reason.into_owned()))?),
                (None, None) => return Err(Wrong::Neither),
                (Some(_), Some(_)) => return Err(Wrong::Both),
            };
        let unit = Unit::of(&self.unit);
        let unit = unit.ok_or_else(|| Wrong::Unit(self.unit.into_owned()))?;
        if !(0.0..=1.0).contains(&self.counted) {
            return Err(Wrong::Counted(self.counted));
        }
        if self.package.is_none() || self.box_name.is_none() {
            return Err(Wrong::NotOfABox);
        }
        Ok(Outcome {
            package: self.package,
            box_type: self.box_type.into_owned(),
            box_name: self.box_name.map(Cow::into_owned),
            metric: self.metric.into_owned(),
            value,
            unit,
            seconds: self.seconds,
            counted: self.counted,
            apart: self.apart,
        })
    }
}

impl Line<'_> {
    /// The interval, whose metrics are of boxes. If one is wrong, its name is returned.
    pub(crate) fn interval(self) -> Result<Interval, (String, Wrong)> {
        let outcomes = self.metrics.into_iter().map(|record| {
            let name = record.metric.to_string();
            record.outcome().map_err(|wrong| (name, wrong))
        });
        Ok(Interval {
            end: self.end,
            seconds: self.seconds,
            outcomes: outcomes.collect::<Result<_, _>>()?,
        })
    }
}

/// An interval as one line of JSON.
pub(super) fn json_line(interval: &Interval) -> io::Result<Vec<u8>> {
    let outcomes = interval.outcomes.iter();
    let mut line = serde_json::to_vec(&Line {
        end: interval.end,
        seconds: interval.seconds,
        metrics: outcomes.map(Record::of).collect(),
    })?;
    line.push(b'\n');
    Ok(line)
}
