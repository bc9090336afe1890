// SPDX-License-Identifier: GPL-2.0

//! What moved over time in each channel and link.

use uncore_metrics::{Digits, Interval, Unit};

use crate::overview::{per_second, share, Value, BY_BOX};

/// Steps that a line has at most: no panel has so many points.
const MOST_STEPS: usize = 400;

/// Seconds by which the begin of an interval may differ from the end of the one before, since
/// both are written as fractions.
const CLOCK: f64 = 1e-3;

/// Everything that moved bytes, by box.
#[derive(Debug, Default)]
pub(crate) struct History {
    all: Vec<Series>,
    intervals: usize,
    end: f64,
}

/// A box.
#[derive(Debug)]
pub(super) struct Series {
    part: &'static str,
    /// Number of the package.
    pub(super) socket: u32,
    /// Kind of the box.
    pub(super) box_type: String,
    /// Name of the box.
    pub(super) box_name: String,
    /// Amounts that it moved, by kind.
    pub(super) lines: Vec<Line>,
    /// Amount that it could have moved.
    pub(super) peak: Option<Line>,
}

/// A metric over time.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) what: String,
    steps: Vec<Step>,
}

/// Rate in an interval, or in several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) begin: f64,
    pub(super) end: f64,
    /// Bytes per second, unless nothing was counted.
    pub(super) rate: Option<f64>,
    /// Share of the time in which it was counted.
    counted: f64,
}

impl History {
    /// Adds an interval with the values of boxes.
    pub(crate) fn push(&mut self, interval: &Interval) {
        self.intervals += 1;
        self.end = self.end.max(interval.end);
        for outcome in &interval.outcomes {
            let value = Value::new(outcome);
            let value = value.filter(|value| value.unit == Unit::Bytes);
            let (Some(value), Some(socket)) = (value, outcome.package) else {
                continue;
            };
            let part = BY_BOX.iter().find(|(part, _)| *part == value.part);
            let (Some((part, _)), Some(name)) = (part, value.box_name) else {
                continue;
            };
            let step = Step {
                begin: interval.end - interval.seconds,
                end: interval.end,
                rate: value.rate,
                counted: outcome.counted,
            };
            let is_peak = value.is_peak();
            let series = self.series(part, socket, &outcome.box_type, name);
            series.line(&value.what, is_peak).steps.push(step);
        }
    }

    fn series(
        &mut self,
        part: &'static str,
        socket: u32,
        box_type: &str,
        name: &str,
    ) -> &mut Series {
        let is_it =
            |one: &Series| (one.part, one.socket, one.box_name.as_str()) == (part, socket, name);
        let place = self.all.iter().position(is_it).unwrap_or_else(|| {
            self.all.push(Series {
                part,
                socket,
                box_type: box_type.to_owned(),
                box_name: name.to_owned(),
                lines: Vec::new(),
                peak: None,
            });
            self.all.len() - 1
        });
        &mut self.all[place]
    }

    /// Returns whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        let mut lines = self.all.iter().flat_map(|series| &series.lines);
        lines.all(|line| line.most().is_none())
    }

    /// Returns the end of the last interval.
    pub(super) const fn end(&self) -> f64 {
        self.end
    }

    /// The parts that have boxes.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static str> + '_ {
        let parts = BY_BOX.iter().map(|(part, _)| *part);
        parts.filter(|part| self.all.iter().any(|series| series.part == *part))
    }

    /// The boxes of a part, in their order.
    pub(super) fn of_part(&self, part: &str) -> impl Iterator<Item = &Series> {
        let mut own: Vec<_> = self
            .all
            .iter()
            .filter(|series| series.part == part)
            .collect();
        own.sort_by_key(|series| {
            (
                series.socket,
                &series.box_type,
                series.box_name.len(),
                &series.box_name,
            )
        });
        own.into_iter()
    }

    /// Intervals that are drawn as one.
    pub(super) fn merged(&self) -> usize {
        self.intervals.div_ceil(MOST_STEPS).max(1)
    }
}

impl Series {
    fn line(&mut self, what: &str, is_peak: bool) -> &mut Line {
        let new = || Line {
            what: what.to_owned(),
            steps: Vec::new(),
        };
        if is_peak {
            return self.peak.get_or_insert_with(new);
        }
        let place = self.lines.iter().position(|line| line.what == what);
        let place = place.unwrap_or_else(|| {
            self.lines.push(new());
            self.lines.len() - 1
        });
        &mut self.lines[place]
    }

    /// The sum of the boxes of a socket, if there are several and their sum has a meaning. An amount
    /// that one of them lacks is not known.
    pub(super) fn total(part: &str, socket: u32, all: &[&Series]) -> Option<Self> {
        let (part, _) = BY_BOX
            .iter()
            .find(|(known, has_sum)| *known == part && *has_sum)?;
        let own = all.iter().filter(|series| series.socket == socket);
        let own: Vec<_> = own.collect();
        let first = own.first().filter(|_| own.len() > 1)?;
        let sum = |line: &Line| {
            let mut sum = line.clone();
            for other in own.iter().skip(1) {
                let mut lines = other.lines.iter().chain(&other.peak);
                let other = lines.find(|other| other.what == line.what);
                for step in &mut sum.steps {
                    let same = |other: &&Step| other.begin.total_cmp(&step.begin).is_eq();
                    let other = other.and_then(|other| other.steps.iter().find(same));
                    step.rate = step
                        .rate
                        .zip(other.and_then(|other| other.rate))
                        .map(|(a, b)| a + b);
                    step.counted = other.map_or(0.0, |other| step.counted.min(other.counted));
                }
            }
            sum
        };
        Some(Self {
            part,
            socket,
            box_type: first.box_type.clone(),
            box_name: "total".to_owned(),
            lines: first.lines.iter().map(sum).collect(),
            peak: first.peak.as_ref().map(sum),
        })
    }

    /// The highest rate that is drawn.
    pub(super) fn most(&self) -> f64 {
        let areas = self.stacked().into_iter().flatten();
        let areas = areas.filter_map(|(step, _)| step.rate);
        let peak = self.peak.as_ref().and_then(Line::most);
        areas.chain(peak).fold(0.0, f64::max)
    }

    /// The lines on top of each other: the steps of each with what is below.
    pub(super) fn stacked(&self) -> Vec<Vec<(Step, f64)>> {
        let mut below: Vec<Step> = Vec::new();
        let stack = |line: &Line| {
            let mut area = Vec::new();
            for (place, mut step) in line.drawn().into_iter().enumerate() {
                let same = |known: &&Step| known.begin.total_cmp(&step.begin).is_eq();
                let known = below.get(place).filter(same);
                let known = known.or_else(|| below.iter().find(same));
                let base = known.and_then(|known| known.rate).unwrap_or_default();
                step.rate = step.rate.map(|rate| rate + base);
                area.push((step, base));
            }
            below = area.iter().map(|(step, _)| *step).collect();
            area
        };
        self.lines.iter().map(stack).collect()
    }

    /// The means in one line.
    pub(super) fn means(&self) -> String {
        let means = self.lines.iter().map(|line| match line.mean() {
            Some(mean) => format!(
                "{} {}",
                line.what,
                per_second(mean, Unit::Bytes, self.digits())
            ),
            None => format!("{} not counted", line.what),
        });
        let mut means: Vec<_> = means.collect();
        let peak = self.peak.as_ref().and_then(Line::mean);
        if peak.is_some() {
            let load: Option<f64> = self.lines.iter().map(Line::mean).sum();
            means.push(format!("{} used", share(load, peak)));
        }
        means.join(", ")
    }

    /// Says for which share of the time it was counted, if not always.
    pub(super) fn turns(&self) -> String {
        let counted = self.counted();
        if counted < 1.0 {
            format!("counted {:.0} % of the time", (counted * 100.0).floor())
        } else {
            String::new()
        }
    }

    /// The box with its means.
    pub(super) fn summary(&self) -> String {
        let (socket, name, turns) = (self.socket, &self.box_name, self.turns());
        let turns = if turns.is_empty() {
            turns
        } else {
            format!(", {turns}")
        };
        format!("socket {socket}, {name}: {}{turns}", self.means())
    }

    /// The smallest share of an interval in which anything was counted.
    fn counted(&self) -> f64 {
        let steps = self
            .lines
            .iter()
            .chain(&self.peak)
            .flat_map(|line| &line.steps);
        let counted = steps.filter(|step| step.rate.is_some());
        counted.map(|step| step.counted).fold(1.0, f64::min)
    }

    fn digits(&self) -> Digits {
        Digits::of_share(self.counted())
    }
}

impl Line {
    /// The mean of all that was counted.
    fn mean(&self) -> Option<f64> {
        mean(&self.steps)
    }

    fn most(&self) -> Option<f64> {
        self.steps
            .iter()
            .filter_map(|step| step.rate)
            .reduce(f64::max)
    }

    /// The steps, as many as can be drawn.
    pub(super) fn drawn(&self) -> Vec<Step> {
        let merged = self.steps.len().div_ceil(MOST_STEPS).max(1);
        let merge = |steps: &[Step]| {
            let (first, last) = (steps.first()?, steps.last()?);
            Some(Step {
                begin: first.begin,
                end: last.end,
                rate: mean(steps),
                counted: first.counted,
            })
        };
        self.steps.chunks(merged).filter_map(merge).collect()
    }
}

impl Step {
    /// A time in which nothing was counted; `None` if it is shorter than a clock can tell.
    pub(super) fn gap(begin: f64, end: f64) -> Option<Self> {
        (end - begin > CLOCK).then_some(Self {
            begin,
            end,
            rate: None,
            counted: 0.0,
        })
    }

    /// Returns whether there is no gap between another step and this one.
    pub(super) fn follows(&self, other: Self) -> bool {
        Self::gap(other.end, self.begin).is_none()
    }
}

/// The mean rate of steps, by their lengths.
fn mean(steps: &[Step]) -> Option<f64> {
    let (mut amount, mut seconds) = (0.0, 0.0);
    for step in steps {
        if let Some(rate) = step.rate {
            amount += rate * (step.end - step.begin);
            seconds += step.end - step.begin;
        }
    }
    Some(amount / seconds).filter(|mean| mean.is_finite())
}
