// SPDX-License-Identifier: GPL-2.0

//! Metrics that leave a counter of each box to others.

use crate::metric::Metric;
use crate::term::Term;
use std::collections::BTreeMap;

/// Splits metrics into those that can be counted together while one general counter of each box
/// stays free, and the rest. `counters` is the number of general counters of a type of box; a type
/// without one has counters for one event each, which are always free for others.
pub fn sparing(
    metrics: impl IntoIterator<Item = Metric>,
    counters: impl Fn(&str) -> Option<u32>,
) -> (Vec<Metric>, Vec<Metric>) {
    let mut counted: BTreeMap<String, Vec<Term>> = BTreeMap::new();
    metrics.into_iter().partition(|metric| {
        let counters = counters(&metric.box_type).filter(|counters| *counters > 0);
        let own = counted.entry(metric.box_type.clone()).or_default();
        let mut terms = own.clone();
        let new = metric.formula.terms().into_iter();
        terms.extend(new.filter(|term| !own.contains(term)).cloned());
        let is_kept = counters.is_none_or(|counters| {
            usize::try_from(counters).is_ok_and(|counters| terms.len() < counters)
        });
        if is_kept {
            *own = terms;
        }
        is_kept
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::metric;

    #[test]
    fn a_counter_of_each_box_stays_free() {
        let metrics = [
            metric("a", "x"),
            metric("b", "x"),
            metric("a", "x + y"),
            metric("b", "x + y"),
            metric("a", "y + z"),
            metric("a", "2 * y"),
            metric("c", "x + y"),
        ];
        let counters = |kind: &str| match kind {
            "a" => Some(3),
            "b" => Some(2),
            _ => Some(0),
        };
        let (kept, rest) = sparing(metrics, counters);
        let names = |all: &[Metric]| -> Vec<String> {
            let names = all
                .iter()
                .map(|one| format!("{}.{}", one.box_type, one.name));
            names.collect()
        };
        assert_eq!(
            names(&kept),
            ["a.x", "b.x", "a.x + y", "a.2 * y", "c.x + y"]
        );
        assert_eq!(names(&rest), ["b.x + y", "a.y + z"]);
    }
}
