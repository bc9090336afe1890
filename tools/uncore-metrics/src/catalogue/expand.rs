// SPDX-License-Identifier: GPL-2.0

//! Rows that stand for several metrics, and formulas that name other metrics.

use super::Problem;
use crate::formula::Expr;
use crate::metric::Metric;
use crate::term::Term;
use std::str::FromStr;

/// Values for which a row is repeated.
pub(super) enum Each {
    /// Nothing.
    Once,
    /// Each node of the machine.
    Nodes,
    /// Each number from the first to the last.
    Range(u8, u8),
}

impl FromStr for Each {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        if text.is_empty() {
            return Ok(Each::Once);
        }
        let numbers = text.strip_prefix("x=").ok_or(Problem::Each)?;
        if numbers == "nodes" {
            return Ok(Each::Nodes);
        }
        let (first, last) = numbers.split_once('-').ok_or(Problem::Each)?;
        let number = |text: &str| text.parse().map_err(|_| Problem::Each);
        Ok(Each::Range(number(first)?, number(last)?))
    }
}

impl Each {
    /// The numbers; one `None` for a row that is not repeated.
    pub(super) fn numbers(&self, nodes: &[u8]) -> Vec<Option<u8>> {
        match *self {
            Each::Once => vec![None],
            Each::Nodes => nodes.iter().copied().map(Some).collect(),
            Each::Range(first, last) => (first..=last).map(Some).collect(),
        }
    }
}

/// The metrics with the formulas of others in place of their names.
pub(super) fn put_in(metrics: &[Metric]) -> Result<Vec<Metric>, (&Metric, Problem)> {
    let whole = |metric: &Metric| {
        let formula = formula(metric, metrics, &mut Vec::new())?;
        Ok(Metric {
            formula,
            ..metric.clone()
        })
    };
    let whole = metrics.iter().map(|m| whole(m).map_err(|p| (m, p)));
    whole.collect()
}

/// The formula of `metric` over events only. `outer` are the metrics whose formulas need it.
fn formula<'a>(
    metric: &'a Metric,
    all: &'a [Metric],
    outer: &mut Vec<&'a str>,
) -> Result<Expr, Problem> {
    if outer.contains(&metric.name.as_str()) {
        return Err(Problem::Circle);
    }
    outer.push(&metric.name);
    let named = |term: &Term| {
        let mut others = all.iter().filter(|m| m.box_type == metric.box_type);
        others.find(|m| m.name == term.event && term.settings.is_empty())
    };
    let result = metric
        .formula
        .clone()
        .replace(&mut |term| match named(term) {
            Some(other) => formula(other, all, outer).map(Some),
            None => Ok(None),
        });
    outer.pop();
    result
}
