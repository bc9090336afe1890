// SPDX-License-Identifier: GPL-2.0

//! Plans the groups of events to count for some metrics.
//!
//! * The terms of a metric are counted in one group if the box can count them together.
//! * Otherwise they go into as few groups as taking them in order gives, and the metric says why.
//! * A metric joins the group that needs the fewest events more, if it fits into any; events that
//!   are there already are not counted again.
//!
//! [`Plan::split`] takes apart what need not be counted together.
//!
//! [`Fit`] decides which events fit together, for filters as well as for counters.

mod place;

use crate::fit::Fit;
use crate::fit::Misfit;
use crate::metric::Metric;
use crate::term::Term;
use place::Pieces;
use std::collections::{BTreeMap, BTreeSet};

/// Groups to count, and what is made of them.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The groups, in the order in which they came to be needed.
    pub groups: Vec<Group>,
    /// The metrics, in the order in which they were asked for.
    pub metrics: Vec<Planned>,
    /// The metrics that cannot be had.
    pub unplanned: Vec<Unplanned>,
}

/// Events to be counted together, on every box of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Type of box, as in the name of its PMUs, or the name of one box.
    pub box_type: String,
    /// The events, in the order in which to open them.
    pub members: Vec<Term>,
}

/// A metric and where its terms are counted.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The metric.
    pub metric: Metric,
    /// Places of the terms.
    pub inputs: Vec<Input>,
    /// Reason why the terms are counted in several groups, at different times.
    pub apart: Option<Misfit>,
}

/// Group and index at which a term is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The term.
    pub term: Term,
    /// Index of the group.
    pub group: usize,
    /// Index of the event in the group.
    pub member: usize,
}

/// A metric that cannot be had, and why.
#[derive(Clone, Debug)]
pub struct Unplanned {
    /// The metric.
    pub metric: Metric,
    /// Reason; `None` if the machine has no such box.
    pub misfit: Option<Misfit>,
}

impl Plan {
    /// Plans metrics for a machine with these types of boxes.
    pub fn new<F: Fit>(
        metrics: impl IntoIterator<Item = Metric>,
        boxes: &BTreeMap<String, F>,
    ) -> Self {
        let mut plan = Plan::default();
        for metric in metrics {
            let Some(fit) = boxes.get(&metric.box_type) else {
                let misfit = None;
                plan.unplanned.push(Unplanned { metric, misfit });
                continue;
            };
            match Pieces::of(&metric, fit) {
                Ok(pieces) => plan.add(metric, pieces, fit),
                Err(misfit) => plan.unplanned.push(Unplanned {
                    metric,
                    misfit: Some(misfit),
                }),
            }
        }
        plan
    }

    /// Splits the groups, so that metrics without a common event are counted in groups of their own:
    /// where other programs hold counters, a metric is lost only if its own events find none.
    pub fn split(mut self) -> Self {
        let mut groups = Vec::new();
        let mut places = BTreeMap::new();
        for (index, group) in self.groups.iter().enumerate() {
            for part in self.parts(index) {
                let moved = part.iter().zip(0..);
                places.extend(moved.map(|(old, new)| ((index, *old), (groups.len(), new))));
                let members = part.iter().filter_map(|member| group.members.get(*member));
                groups.push(Group {
                    box_type: group.box_type.clone(),
                    members: members.cloned().collect(),
                });
            }
        }
        for input in self.metrics.iter_mut().flat_map(|one| &mut one.inputs) {
            if let Some(place) = places.get(&(input.group, input.member)) {
                (input.group, input.member) = *place;
            }
        }
        self.groups = groups;
        self
    }

    /// The members of a group, those of metrics with a common event together.
    fn parts(&self, group: usize) -> Vec<BTreeSet<usize>> {
        let mut parts: Vec<BTreeSet<usize>> = Vec::new();
        for planned in &self.metrics {
            let own = planned.inputs.iter().filter(|input| input.group == group);
            let own: BTreeSet<usize> = own.map(|input| input.member).collect();
            let (with, without): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|part| !part.is_disjoint(&own));
            parts = without;
            parts.push(with.into_iter().flatten().chain(own).collect());
        }
        parts.retain(|part| !part.is_empty());
        parts.sort_unstable();
        parts
    }

    fn add(&mut self, metric: Metric, pieces: Pieces, fit: &impl Fit) {
        let mut inputs = Vec::new();
        for piece in pieces.groups.into_iter().filter(|piece| !piece.is_empty()) {
            let index = place::group_for(&mut self.groups, &metric.box_type, &piece, fit);
            let members = self.groups.get(index).map(|group| group.members.as_slice());
            for term in piece {
                let mut members = members.unwrap_or_default().iter();
                inputs.extend(
                    members
                        .position(|member| *member == term)
                        .map(|member| Input {
                            term,
                            group: index,
                            member,
                        }),
                );
            }
        }
        self.metrics.push(Planned {
            metric,
            inputs,
            apart: pieces.apart,
        });
    }
}

#[cfg(test)]
mod tests;
