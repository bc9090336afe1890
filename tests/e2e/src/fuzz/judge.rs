// SPDX-License-Identifier: GPL-2.0

//! A case's answers against those of the oracle, up to the first that differs:
//! what follows would only say the same again.

use super::ground::Ground;
use super::operation::Operation;
use super::oracle::{Answer, Expected, World};
use super::totals::Totals;

/// Where the kernel and the oracle disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    /// The operation's place; behind the last, all is closed.
    pub(super) place: usize,
    pub(super) expected: String,
    pub(super) answer: String,
}

/// Looks at the answers to a case, in `perf-ops`' words.
pub(super) fn judge(
    ground: &Ground,
    operations: &[Operation],
    answers: &str,
    totals: &mut Totals,
) -> Option<Mismatch> {
    let mut world = World::new(ground);
    let words: Vec<&str> = answers.split(' ').collect();
    totals.cases += 1;
    for (place, operation) in operations.iter().enumerate() {
        let expected = world.take(operation);
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

/// What the oracle expects of a case, without anybody's answers.
pub(super) fn expect(ground: &Ground, operations: &[Operation], totals: &mut Totals) {
    let mut world = World::new(ground);
    totals.cases += 1;
    for operation in operations {
        let expected: Expected = world.take(operation);
        totals.add(operation, &expected, true);
    }
}
