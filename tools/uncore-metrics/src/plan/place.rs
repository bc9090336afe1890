// SPDX-License-Identifier: GPL-2.0

//! The pieces in which a metric can be counted, and the group for each.

use super::Group;
use crate::fit::Fit;
use crate::fit::Misfit;
use crate::metric::Metric;
use crate::term::Term;

/// The terms of a metric, in as many pieces as it takes.
pub(super) struct Pieces {
    /// Terms that fit a box together.
    pub(super) groups: Vec<Vec<Term>>,
    /// Reason why there is more than one piece.
    pub(super) apart: Option<Misfit>,
}

impl Pieces {
    /// Cuts a metric to pieces if it must be.
    ///
    /// An event that does not fit alone may need another ahead of it, so it is tried again after
    /// the others.
    pub(super) fn of(metric: &Metric, fit: &impl Fit) -> Result<Self, Misfit> {
        let terms: Vec<_> = metric.formula.terms().into_iter().cloned().collect();
        let (alone, dependent): (Vec<_>, Vec<_>) = terms
            .into_iter()
            .partition(|term| fit.is_fit(std::slice::from_ref(term)));
        let all = || alone.iter().chain(&dependent).cloned();
        let Err(why) = fit.fits(&all().collect::<Vec<_>>()) else {
            return Ok(Pieces {
                groups: vec![all().collect()],
                apart: None,
            });
        };
        let mut groups: Vec<Vec<Term>> = Vec::new();
        for term in all() {
            let open = groups
                .iter_mut()
                .find(|group| fit.is_fit(&with(group, [&term])));
            if let Some(group) = open {
                group.push(term);
            } else {
                fit.fits(std::slice::from_ref(&term))?;
                groups.push(vec![term]);
            }
        }
        Ok(Pieces {
            groups,
            apart: Some(why),
        })
    }
}

/// Index of the group that counts `piece`: of those it fits into, the one that needs the fewest
/// events more, or a new one.
pub(super) fn group_for(
    groups: &mut Vec<Group>,
    box_type: &str,
    piece: &[Term],
    fit: &impl Fit,
) -> usize {
    let mut best: Option<(usize, Vec<Term>)> = None;
    for (index, group) in groups.iter().enumerate() {
        if group.box_type != box_type {
            continue;
        }
        let missing: Vec<_> = piece
            .iter()
            .filter(|term| !group.members.contains(term))
            .cloned()
            .collect();
        let is_better = best
            .as_ref()
            .is_none_or(|(_, more)| missing.len() < more.len());
        if is_better && fit.is_fit(&with(&group.members, &missing)) {
            best = Some((index, missing));
        }
    }
    if let Some((index, missing)) = best {
        if let Some(group) = groups.get_mut(index) {
            group.members.extend(missing);
            return index;
        }
    }
    groups.push(Group {
        box_type: box_type.to_owned(),
        members: piece.to_vec(),
    });
    groups.len() - 1
}

fn with<'a>(group: &'a [Term], more: impl IntoIterator<Item = &'a Term>) -> Vec<Term> {
    group.iter().chain(more).cloned().collect()
}
