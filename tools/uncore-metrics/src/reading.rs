// SPDX-License-Identifier: GPL-2.0

//! Counts of a box in one interval.

use crate::formula::Inputs;
use crate::formula::Undefined;
use crate::plan::Planned;
use crate::term::Term;
use std::collections::BTreeMap;

/// Counts of the groups of a plan on one box in one interval.
#[derive(Clone, Debug, Default)]
pub struct BoxReading {
    /// Package of the box.
    pub package: u32,
    /// Type of the box, as in the plan: `cbox`.
    pub box_type: String,
    /// Name of the box: `cbox_3`.
    pub name: String,
    /// Seconds since the reading of its package before this one.
    pub seconds: f64,
    /// By index of the group in the plan. A group that could not be opened is not there.
    pub groups: BTreeMap<usize, GroupReading>,
}

/// Counts of a group in one interval: differences, without the scale of sysfs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupReading {
    /// Count of each member, in the group's order.
    pub values: Vec<u64>,
    /// For how many ns the group was to count.
    pub enabled: u64,
    /// For how many of these it did.
    pub running: u64,
}

impl GroupReading {
    /// The share of time in which the group counted.
    pub fn share(&self) -> f64 {
        if self.running == 0 {
            return 0.0;
        }
        (float(self.running) / float(self.enabled)).min(1.0)
    }

    /// A member's count as if the group had counted all the time.
    fn scaled(&self, member: usize) -> Result<f64, NoValue> {
        // A group that has never counted may have no values.
        if self.running == 0 {
            return Err(NoValue::NotCounted);
        }
        let value = self.values.get(member).ok_or(NoValue::NotOpened)?;
        if self.running == self.enabled {
            return Ok(float(*value));
        }
        Ok(float(*value) * float(self.enabled) / float(self.running))
    }
}

/// The inputs of one metric: sums over some boxes.
pub(crate) struct Counts<'a> {
    /// The metric.
    pub(crate) planned: &'a Planned,
    pub(crate) boxes: &'a [&'a BoxReading],
}

impl Counts<'_> {
    /// The smallest share of time in which any of the groups counted.
    pub(crate) fn share(&self) -> f64 {
        let shares = self.boxes.iter().flat_map(|counted| {
            let inputs = self.planned.inputs.iter();
            let groups = inputs.map(|input| counted.groups.get(&input.group));
            groups.map(|group| group.map_or(0.0, GroupReading::share))
        });
        shares.fold(1.0, f64::min)
    }

    /// The time between two readings, which may differ from box to box: that for which the groups
    /// were to count, or if they were not, that between the readings of the package.
    pub(crate) fn mean_seconds(&self) -> f64 {
        let (mut sum, mut boxes) = (0.0, 0.0);
        for counted in self.boxes {
            let inputs = self.planned.inputs.iter();
            let own = inputs.filter_map(|input| counted.groups.get(&input.group));
            let enabled = own.map(|group| group.enabled).max().unwrap_or(0);
            sum += match enabled {
                0 => counted.seconds,
                enabled => float(enabled) / 1e9,
            };
            boxes += 1.0;
        }
        sum / boxes
    }
}

impl Inputs for Counts<'_> {
    type Missing = NoValue;

    fn count(&self, term: &Term) -> Result<f64, NoValue> {
        let mut inputs = self.planned.inputs.iter();
        let input = inputs.find(|input| input.term == *term);
        let input = input.ok_or(NoValue::NotOpened)?;
        let counts = self.boxes.iter().map(|counted| {
            let group = counted.groups.get(&input.group);
            group.ok_or(NoValue::NotOpened)?.scaled(input.member)
        });
        counts.sum()
    }

    fn seconds(&self) -> Result<f64, NoValue> {
        let group = self.planned.inputs.first().map(|input| input.group);
        let counted = self.boxes.first().ok_or(NoValue::NotOpened)?;
        let group = group.and_then(|group| counted.groups.get(&group));
        let enabled = group.ok_or(NoValue::NotOpened)?.enabled;
        if enabled == 0 {
            return Err(NoValue::NotCounted);
        }
        Ok(float(enabled) / 1e9)
    }
}

/// Reason why a metric has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoValue {
    /// One of its events could not be opened.
    #[error("not opened")]
    NotOpened,
    /// One of its groups had no turn in the interval.
    #[error("not counted")]
    NotCounted,
    /// The formula divides by zero.
    #[error("divides by zero")]
    ZeroDenominator,
    /// The value is too large for a number.
    #[error("too large")]
    TooLarge,
}

impl NoValue {
    pub(crate) const ALL: [NoValue; 4] = [
        NoValue::NotOpened,
        NoValue::NotCounted,
        NoValue::ZeroDenominator,
        NoValue::TooLarge,
    ];

    /// The reason with this text.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|reason| reason.to_string() == text)
    }
}

impl From<Undefined<NoValue>> for NoValue {
    fn from(undefined: Undefined<NoValue>) -> Self {
        match undefined {
            Undefined::Missing(reason) => reason,
            Undefined::ZeroDenominator => NoValue::ZeroDenominator,
            Undefined::TooLarge => NoValue::TooLarge,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a metric is shown with four digits"
)]
fn float(count: u64) -> f64 {
    count as f64
}
