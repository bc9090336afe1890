// SPDX-License-Identifier: GPL-2.0

//! Questions to both drivers about known defects of the kernel's own: our driver answers
//! all of them right, the kernel's own none. With `--nocapture` the test prints the rows of
//! the page's table.

use uncore_e2e::differences::{cases, Answers, Case};
use uncore_e2e::fixture::assert_none;

platforms!(; each first);

/// Returns the errors in the answers to one question.
fn wrong(answers: &Answers) -> Vec<String> {
    let Answers {
        question,
        right,
        in_tree,
        ours,
    } = answers;
    let mut wrong = Vec::new();
    if ours != right {
        wrong.push(format!("{question}: {right}, but uncore_rs says {ours}"));
    }
    if in_tree == right {
        wrong.push(format!("{question}: intel_uncore is right by now, {right}"));
    }
    wrong
}

#[test]
fn ours_is_right_where_the_in_kernel_driver_is_wrong() {
    let answers: Vec<Answers> = cases().map(Case::answers).collect();
    for answers in &answers {
        println!("{answers}");
    }
    let wrong: Vec<String> = answers.iter().flat_map(wrong).collect();
    assert_none(&wrong);
}
