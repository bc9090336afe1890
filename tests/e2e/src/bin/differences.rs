// SPDX-License-Identifier: GPL-2.0

//! `differences`: puts the same questions to the kernel's own driver and to
//! ours, and prints Documentation/admin-guide/perf/differences.rst.
//!
//! The machine is taken from the environment that the Makefile sets for tests.

use ivbep_e2e::differences::{cases, page, Case};

fn main() {
    let answers: Vec<_> = cases().map(Case::answers).collect();
    print!("{}", page(&answers));
}
