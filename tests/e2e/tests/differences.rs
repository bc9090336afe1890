// SPDX-License-Identifier: GPL-2.0

//! The kernel's own driver is asked what it gets wrong, ours the same: ours is
//! right in everything, the other in nothing, and the page in the
//! documentation says what this run has seen.

use ivbep_e2e::differences::{cases, page, Answers, Case};
use ivbep_e2e::fixture::assert_none;
use std::path::Path;

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../Documentation/admin-guide/perf/differences.rst"
);

/// What is wrong about one row of the page.
fn wrong(answers: &Answers) -> Vec<String> {
    let Answers {
        question,
        right,
        in_tree,
        ours,
        ..
    } = answers;
    let mut wrong = Vec::new();
    if ours != right {
        wrong.push(format!("{question}: {right}, but ivbep_uncore says {ours}"));
    }
    if in_tree == right {
        wrong.push(format!("{question}: intel_uncore is right by now, {right}"));
    }
    wrong
}

#[test]
fn ours_is_right_where_the_in_kernel_driver_is_wrong_and_the_page_says_so() {
    let answers: Vec<Answers> = cases().map(Case::answers).collect();
    let wrong: Vec<String> = answers.iter().flat_map(wrong).collect();
    assert_none(&wrong);

    let printed = page(&answers);
    let committed = std::fs::read_to_string(PAGE).unwrap_or_default();
    if printed != committed {
        let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differences.rst");
        std::fs::write(&fresh, &printed).expect("written");
        panic!(
            "the page is not what this run says: cp {} {PAGE}\n{printed}",
            fresh.display()
        );
    }
}
