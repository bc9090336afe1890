// SPDX-License-Identifier: GPL-2.0

//! From counts to metrics: one outcome for each metric and box, and for each package if the metric
//! is one of a package.

use crate::metric::Level;
use crate::plan::Plan;
use crate::plan::Planned;
use crate::reading::BoxReading;
use crate::reading::Counts;
use crate::reading::NoValue;
use crate::unit::Unit;

/// A metric of one box, or of one package, in one interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The package.
    pub package: u32,
    /// Type of box.
    pub box_type: String,
    /// The box; `None` for all of its type in the package.
    pub box_name: Option<String>,
    /// Name of the metric.
    pub metric: String,
    /// Value, or the reason why there is none.
    pub value: Result<f64, NoValue>,
    /// Unit of the value.
    pub unit: Unit,
    /// Share of the interval in which it was counted: less than 1 if events took turns. Of several
    /// groups the smallest.
    pub counted: f64,
    /// True if the terms were counted at different times.
    pub apart: bool,
}

impl Outcome {
    /// An amount per second of an interval of so many seconds.
    pub fn per_second(&self, seconds: f64) -> Option<f64> {
        let amount = self.value.ok().filter(|_| self.unit.is_amount())?;
        Some(amount / seconds).filter(|rate| rate.is_finite())
    }
}

impl Plan {
    /// The metrics of an interval: by package, then in the order of the plan, then box by box in the
    /// order of `readings`, the package last.
    pub fn evaluate(&self, readings: &[BoxReading]) -> Vec<Outcome> {
        let mut packages: Vec<_> = readings.iter().map(|counted| counted.package).collect();
        packages.sort_unstable();
        packages.dedup();
        let mut outcomes = Vec::new();
        for package in packages {
            for planned in &self.metrics {
                let of_metric = |counted: &&BoxReading| {
                    counted.package == package && counted.box_type == planned.metric.box_type
                };
                let boxes: Vec<_> = readings.iter().filter(of_metric).collect();
                planned.evaluate(&boxes, &mut outcomes);
            }
        }
        outcomes
    }
}

impl Planned {
    /// Appends the values on each of a package's boxes, and on all of them.
    fn evaluate(&self, boxes: &[&BoxReading], outcomes: &mut Vec<Outcome>) {
        let each = boxes.chunks(1);
        outcomes.extend(each.filter_map(|one| self.outcome(one, one.first()?.name.clone().into())));
        if self.metric.level == Level::Package {
            outcomes.extend(self.outcome(boxes, None));
        }
    }

    fn outcome(&self, boxes: &[&BoxReading], box_name: Option<String>) -> Option<Outcome> {
        let counts = Counts {
            planned: self,
            boxes,
        };
        let value = self.metric.formula.value(&counts);
        let value = value.map(|value| value * self.metric.unit.factor());
        Some(Outcome {
            package: boxes.first()?.package,
            box_type: self.metric.box_type.clone(),
            box_name,
            metric: self.metric.name.clone(),
            value: value.map_err(NoValue::from),
            unit: self.metric.unit,
            counted: counts.share(),
            apart: self.apart.is_some(),
        })
    }
}

#[cfg(test)]
mod tests;
