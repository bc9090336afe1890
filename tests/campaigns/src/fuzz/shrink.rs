// SPDX-License-Identifier: GPL-2.0

//! Reduction of a failing case: operations and words of attributes are removed, one at a
//! time, as long as the case still fails.

use super::operation::Operation;

/// Greatest number of reduced cases to try; each costs an exchange with the guest.
const TRIALS: usize = 300;

/// Reduces a case; `fails` tells if a reduced case still fails.
pub(super) fn shrink(
    mut operations: Vec<Operation>,
    mut fails: impl FnMut(&[Operation]) -> bool,
) -> Vec<Operation> {
    let mut trials = TRIALS;
    let mut place = 0;
    while trials > 0 {
        let simpler = simpler(&operations);
        let Some(candidate) = simpler.get(place) else {
            break;
        };
        trials -= 1;
        if fails(candidate) {
            operations.clone_from(candidate);
            place = 0;
        } else {
            place += 1;
        }
    }
    operations
}

/// Returns the cases that lack one thing of this one, those that lack the largest first.
fn simpler(operations: &[Operation]) -> Vec<Vec<Operation>> {
    let mut all = Vec::new();
    for place in (0..operations.len()).rev() {
        let mut fewer = operations.to_vec();
        fewer.remove(place);
        all.push(fewer);
    }
    for (place, operation) in operations.iter().enumerate() {
        for simpler in plainer(operation) {
            let mut operations = operations.to_vec();
            operations[place] = simpler;
            all.push(operations);
        }
    }
    all
}

/// Returns the operations that lack one thing of this one.
fn plainer(operation: &Operation) -> Vec<Operation> {
    match operation {
        Operation::Child(operation) => vec![(**operation).clone()],
        Operation::Open(open) => {
            let words = open.attr.words().filter(|&(place, _)| place > 1);
            let without = words.map(|(place, _)| {
                let mut open = open.clone();
                open.attr.set_word(place, 0);
                Operation::Open(open)
            });
            without.collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_is_left() {
        let burst = Operation::Burst(1);
        let fork = Operation::Child(Box::new(Operation::Close(2)));
        let operations = vec![burst.clone(), fork, Operation::Read(1, 8), burst];
        let close = Operation::Close(2);
        let left = shrink(operations, |operations| {
            let closes = |operation: &Operation| match operation {
                Operation::Child(operation) => **operation == close,
                operation => *operation == close,
            };
            operations.iter().any(closes)
        });
        assert_eq!(left, [Operation::Close(2)]);
    }
}
