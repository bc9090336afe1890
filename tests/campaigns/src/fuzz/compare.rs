// SPDX-License-Identifier: GPL-2.0

//! Comparison of a case's answers with those of the oracle, up to the first difference,
//! because later ones would only follow from it.

use super::env::Env;
use super::operation::Operation;
use super::oracle::{Answer, Expected, PerfModel};
use super::totals::Totals;

/// A disagreement between the kernel and the oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// Index of the operation; after the last operation, all descriptors are closed.
    pub(super) place: usize,
    pub(super) expected: String,
    pub(super) answer: String,
}

/// Compares the answers to a case, in the words of `perf-ops`, with the expected ones.
pub(super) fn compare(
    env: &Env,
    operations: &[Operation],
    answers: &str,
    totals: &mut Totals,
) -> Option<Mismatch> {
    let mut model = PerfModel::new(env);
    let words: Vec<&str> = answers.split(' ').collect();
    totals.cases += 1;
    for (place, operation) in operations.iter().enumerate() {
        let expected = model.take(operation);
        let said = words.get(place).copied().unwrap_or_default();
        let answer = Answer::parse(said);
        let agrees = answer.as_ref().is_some_and(|answer| expected.is(answer));
        totals.add(operation, &expected, agrees);
        if !agrees {
            return Some(Mismatch {
                place,
                expected: expected.to_string(),
                answer: answer.map_or_else(|| format!("`{said}`"), |answer| answer.to_string()),
            });
        }
    }
    let users = words.get(operations.len()).copied().unwrap_or_default();
    (users != "0").then(|| Mismatch {
        place: operations.len(),
        expected: "nobody uses the driver when all is closed".to_owned(),
        answer: format!("{users} users"),
    })
}

/// Counts the oracle's expectations of a case in `totals`, without any answers.
pub(super) fn expect(env: &Env, operations: &[Operation], totals: &mut Totals) {
    let mut model = PerfModel::new(env);
    totals.cases += 1;
    for operation in operations {
        let expected: Expected = model.take(operation);
        totals.add(operation, &expected, true);
    }
}
