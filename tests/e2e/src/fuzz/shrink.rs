// SPDX-License-Identifier: GPL-2.0

//! The smallest part of a case that still fails: operations and words of
//! attributes are left out, one at a time, as long as that is so.

use super::operation::Operation;

/// So many times a part is tried at most; each costs an exchange with the guest.
const TRIALS: usize = 300;

/// Leaves out what it can; `fails` says whether the rest still fails.
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

/// The same with one thing less, the largest things first.
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

/// The operation with one thing less in it.
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
