// SPDX-License-Identifier: GPL-2.0

//! From counts to metrics: one outcome for each metric and box, package or machine.

use crate::metric::Level;
use crate::plan::Plan;
use crate::plan::Planned;
use crate::reading::BoxReading;
use crate::reading::Counts;
use crate::reading::NoValue;
use crate::unit::Unit;
use std::collections::BTreeSet;

/// A metric of one box, one package or the machine, in one interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The package; `None` for all.
    pub package: Option<u32>,
    /// Type of box.
    pub box_type: String,
    /// The box; `None` for all of its type.
    pub box_name: Option<String>,
    /// Name of the metric.
    pub metric: String,
    /// Value, or the reason why there is none.
    pub value: Result<f64, NoValue>,
    /// Unit of the value.
    pub unit: Unit,
    /// Seconds between the two readings of its package; of several packages the mean.
    pub seconds: f64,
    /// Share of the interval in which it was counted: less than 1 if events took turns. Of several
    /// groups the smallest.
    pub counted: f64,
    /// True if the terms were counted at different times.
    pub apart: bool,
}

impl Outcome {
    /// An amount per second.
    pub fn per_second(&self) -> Option<f64> {
        let amount = self.value.ok().filter(|_| self.unit.is_amount())?;
        Some(amount / self.seconds).filter(|rate| rate.is_finite())
    }
}

/// Part of a machine to which values belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Each box.
    Box,
    /// Each package. A metric without a value for packages has one for each box.
    Package,
    /// The machine. A metric without a value for packages has one for each box.
    Machine,
}

impl Plan {
    /// The metrics of an interval, in the order of the plan. The values of boxes and packages are
    /// in the order of the packages, those of a package in the order of `readings`.
    pub fn evaluate(&self, readings: &[BoxReading], scope: Scope) -> Vec<Outcome> {
        let packages: BTreeSet<_> = readings.iter().map(|counted| counted.package).collect();
        let mut outcomes = Vec::new();
        for planned in &self.metrics {
            let meant = &planned.metric.box_type;
            let is_input =
                |counted: &&BoxReading| [&counted.box_type, &counted.name].contains(&meant);
            let inputs = || readings.iter().filter(is_input);
            let has_sum = planned.metric.level == Level::Package;
            if has_sum && scope == Scope::Machine {
                let all: Vec<_> = inputs().collect();
                outcomes.extend(planned.outcome(&all, None, None));
                continue;
            }
            for &package in &packages {
                let boxes: Vec<_> = inputs().filter(|one| one.package == package).collect();
                if has_sum && scope == Scope::Package {
                    outcomes.extend(planned.outcome(&boxes, Some(package), None));
                    continue;
                }
                let each = boxes.iter().filter_map(|one| {
                    let name = Some(one.name.clone());
                    planned.outcome(&[*one], Some(package), name)
                });
                outcomes.extend(each);
            }
        }
        outcomes
    }
}

impl Planned {
    /// Returns the value of some boxes, unless there are none.
    fn outcome(
        &self,
        boxes: &[&BoxReading],
        package: Option<u32>,
        box_name: Option<String>,
    ) -> Option<Outcome> {
        boxes.first()?;
        let counts = Counts {
            planned: self,
            boxes,
        };
        let value = self.metric.formula.value(&counts);
        let value = value.map(|value| value * self.metric.unit.factor());
        Some(Outcome {
            package,
            box_type: self.metric.box_type.clone(),
            box_name,
            metric: self.metric.name.clone(),
            value: value.map_err(NoValue::from),
            unit: self.metric.unit,
            seconds: counts.mean_seconds(),
            counted: counts.share(),
            apart: self.apart.is_some(),
        })
    }
}

#[cfg(test)]
mod tests;
