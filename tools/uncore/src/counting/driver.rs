// SPDX-License-Identifier: GPL-2.0

//! Asks the driver which events a box can count together: a group fits if it can be
//! opened. Groups that cannot fit by `caps/` are not tried, to keep `rejections` in
//! debugfs short.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use uncore_metrics::{Fit, Metric, Misfit, Nodes, Plan, Term};

use super::places::Place;
use super::Group;
use crate::encode::encode_term;
use crate::system::{Pmu, System, Words};

/// Plans the groups, for the first package with a box of each type, or with the one box that is
/// meant.
pub(crate) fn plan(system: &System, places: &[Place], metrics: Vec<Metric>) -> Plan {
    let mut boxes = BTreeMap::new();
    for place in places {
        for pmu in system.pmus_on(place.cpu) {
            for name in [pmu.unit.clone(), pmu.box_name()] {
                boxes
                    .entry(name)
                    .or_insert_with(|| Driver::new(system, pmu, place.cpu, place.nodes));
            }
        }
    }
    Plan::new(metrics, &boxes)
}

/// A type of box, asked through one of its boxes.
struct Driver<'a> {
    system: &'a System,
    pmu: &'a Pmu,
    cpu: u32,
    nodes: Nodes,
    /// Answer for each group: true if the driver opened it.
    answers: RefCell<BTreeMap<Vec<Term>, bool>>,
}

impl<'a> Driver<'a> {
    fn new(system: &'a System, pmu: &'a Pmu, cpu: u32, nodes: Nodes) -> Self {
        Self {
            system,
            pmu,
            cpu,
            nodes,
            answers: RefCell::default(),
        }
    }

    /// Opens a group. `why` returns the module's reason for a refusal.
    fn open(
        &self,
        group: &[Term],
        why: impl Fn(&Words, &io::Error) -> String,
    ) -> Result<(), Misfit> {
        self.is_possible(group)?;
        let words = group
            .iter()
            .map(|term| encode_term(self.pmu, term, self.nodes));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        match Group::open(self.pmu, self.cpu, &words) {
            Ok(_) => Ok(()),
            Err(refusal) if refusal.source.raw_os_error() == Some(libc::EINVAL) => {
                let words = words.get(refusal.member).copied().unwrap_or_default();
                Err(Misfit::Refused(why(&words, &refusal.source)))
            }
            Err(refusal) => Err(Misfit::Refused(refusal.source.to_string())),
        }
    }

    fn remembered(&self, group: &[Term], answer: Result<(), Misfit>) -> Result<(), Misfit> {
        let is_open = answer.is_ok();
        self.answers.borrow_mut().insert(group.to_vec(), is_open);
        answer
    }

    /// Refuses groups that cannot fit by `caps/`.
    fn is_possible(&self, group: &[Term]) -> Result<(), Misfit> {
        let caps = &self.pmu.caps;
        let counters = caps.counters.unwrap_or(u32::MAX);
        let counters = counters.saturating_add(caps.fixed_counters.unwrap_or(0));
        if group.len() > usize::try_from(counters).unwrap_or(usize::MAX) {
            return Err(Misfit::Counters);
        }
        for filter in &caps.filters {
            let field = format!("filter_{filter}");
            let values = group.iter().filter_map(|term| term.settings.get(&field));
            if values.collect::<BTreeSet<_>>().len() > 1 {
                return Err(Misfit::Filter(filter.clone()));
            }
        }
        Ok(())
    }
}

impl Fit for Driver<'_> {
    fn fits(&self, group: &[Term]) -> Result<(), Misfit> {
        if self.answers.borrow().get(group) == Some(&true) {
            return Ok(());
        }
        let why =
            |words: &Words, error: &io::Error| self.system.why_refused(self.pmu, words, error);
        self.remembered(group, self.open(group, why))
    }

    /// Does not look for a reason, because that takes longer than a refusal.
    fn is_fit(&self, group: &[Term]) -> bool {
        let known = self.answers.borrow().get(group).copied();
        let open = || self.remembered(group, self.open(group, |_, _| String::new()));
        known.unwrap_or_else(|| open().is_ok())
    }
}
