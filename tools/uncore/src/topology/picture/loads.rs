// SPDX-License-Identifier: GPL-2.0

//! The picture of a machine with what its boxes did: the means of a recording.

use std::collections::BTreeMap;

use uncore_metrics::recording::{Machine, Package};
use uncore_metrics::{Digits, Interval, Unit};

use super::{Cell, Frame, Picture, Row};
use crate::overview::{kind, per_second, share, Value};

/// Amounts that the boxes of a machine moved.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    boxes: BTreeMap<(u32, String), Vec<Load>>,
    seconds: f64,
}

/// A metric of a box.
#[derive(Debug)]
struct Load {
    what: String,
    unit: Unit,
    is_peak: bool,
    amount: f64,
    seconds: f64,
    /// The smallest share of the time in which it was counted.
    counted: f64,
}

impl Loads {
    /// Adds an interval with the values of boxes.
    pub(crate) fn push(&mut self, interval: &Interval) {
        self.seconds += interval.seconds;
        for outcome in &interval.outcomes {
            let value = Value::new(outcome);
            let (Some(value), Some(package)) = (value, outcome.package) else {
                continue;
            };
            let Some(name) = value.box_name else {
                continue;
            };
            let metrics = self.boxes.entry((package, name.to_owned())).or_default();
            let is_it = |load: &Load| load.what == value.what && load.unit == value.unit;
            let place = metrics.iter().position(is_it).unwrap_or_else(|| {
                metrics.push(Load {
                    what: value.what.clone(),
                    unit: value.unit,
                    is_peak: value.is_peak(),
                    amount: 0.0,
                    seconds: 0.0,
                    counted: 1.0,
                });
                metrics.len() - 1
            });
            if let Some(rate) = value.rate {
                let load = &mut metrics[place];
                load.amount += rate * outcome.seconds;
                load.seconds += outcome.seconds;
                load.counted = load.counted.min(value.counted);
            }
        }
    }

    /// The machine with these loads as SVG. `notes` are added to those of the machine.
    pub(crate) fn picture(&self, machine: &Machine, notes: &[String]) -> String {
        let (platform, seconds) = (&machine.platform, self.seconds);
        let frames = machine.packages.iter().map(|package| self.frame(package));
        let picture = Picture {
            heading: format!("boxes of {platform} and their means of {seconds:.1} s"),
            frames: frames.collect(),
            notes: machine.notes.iter().chain(notes).cloned().collect(),
        };
        picture.draw()
    }

    /// The boxes of a package by kind. Those that the overview does not count have no figures.
    fn frame(&self, package: &Package) -> Frame {
        let mut rows: Vec<Row> = Vec::new();
        for name in &package.boxes {
            let kind = kind(name);
            let place = rows.iter().position(|row| row.label == kind);
            let place = place.unwrap_or_else(|| {
                rows.push(Row {
                    label: kind.to_owned(),
                    cells: Vec::new(),
                });
                rows.len() - 1
            });
            rows[place].cells.push(self.cell(package.number, name));
        }
        let missing = package.missing.iter();
        Frame {
            name: format!("socket {}", package.number),
            known: format!("means of {:.1} s", self.seconds),
            rows,
            missing: missing
                .map(|missing| format!("no {}: {}", missing.boxes, missing.reason))
                .collect(),
        }
    }

    fn cell(&self, package: u32, name: &str) -> Cell {
        let loads = self.boxes.get(&(package, name.to_owned()));
        let loads = loads.map_or(&[] as &[Load], Vec::as_slice);
        let peak = loads.iter().find(|load| load.is_peak);
        let bytes = loads.iter().filter(|load| load.unit == Unit::Bytes);
        let moved: Option<f64> = bytes.filter(|load| !load.is_peak).map(Load::rate).sum();
        let limit = peak.filter(|peak| peak.unit == Unit::Bytes);
        let limit = limit.and_then(Load::rate).filter(|limit| *limit > 0.0);
        let shown = loads
            .iter()
            .filter(|load| loads.len() == 1 || !load.is_peak);
        Cell {
            name: name.to_owned(),
            lines: shown.map(|load| load.text(peak)).collect(),
            used: moved.zip(limit).map(|(moved, limit)| moved / limit),
            is_lacking: false,
        }
    }
}

impl Load {
    fn rate(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.amount / self.seconds)
    }

    /// The metric in words; cycles as a share of the clock.
    fn text(&self, peak: Option<&Load>) -> String {
        let clock = peak.filter(|peak| self.unit == Unit::Cycles && !peak.is_it(self));
        let amount = match (self.rate(), clock) {
            (None, _) => "not counted".to_owned(),
            (rate, Some(clock)) => share(rate, clock.rate()),
            (Some(rate), None) => per_second(rate, self.unit, Digits::of_share(self.counted)),
        };
        format!("{} {amount}", self.what)
    }

    fn is_it(&self, other: &Load) -> bool {
        self.what == other.what
    }
}

#[cfg(test)]
mod tests;
