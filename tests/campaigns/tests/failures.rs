// SPDX-License-Identifier: GPL-2.0

//! Slice of the fault injection: some registers and functions, and on the debug kernel
//! all allocations. `make failures` runs all of it.

use uncore_campaigns::failures::{config, Failures};
use uncore_e2e::prelude::*;

/// Injects the faults whose titles contain one of these texts.
fn fail(only: &[&str]) {
    on(&config(), |session| {
        let mut failures = Failures::new(session, only);
        failures.run(|_| {});
        assert_none(failures.faults());
        assert_eq!(failures.done(), only.len(), "{only:?}");
    });
}

/// Runs the walks over allocations whose titles contain this text; it may match several
/// walks.
fn allocations_fail(only: &str) {
    let config = config();
    assert_eq!(config.flavour, Flavour::Debug);
    on(&config, |session| {
        let mut failures = Failures::new(session, &[only]);
        failures.run(|_| {});
        assert_none(failures.faults());
        assert!(failures.done() > 0, "{only}");
    });
}

#[test]
fn a_box_that_faults_is_missing_and_alone() {
    fail(&[
        "cbox_1 control 0 0xd30, before",
        "pcu filter 0xc34, before",
        "ubox control 0 0xc10, before",
    ]);
}

#[test]
fn a_box_that_dies_while_it_counts_is_named_and_alone() {
    fail(&[
        "cbox_0 counter 1 0xd17, while",
        "cbox_0 filter 0 0xd14, while",
        "ubox fixed counter 0xc09, while",
        "imc_0 function ff:10.4, while",
        "qpi_0 filter function ff:08.6, while",
    ]);
}

#[test]
#[ignore = "needs the debug kernel"]
fn a_load_fails_and_the_next_one_does_not_on_debug() {
    allocations_fail("memory: loading");
}

#[test]
#[ignore = "needs the debug kernel"]
fn an_event_is_refused_and_the_next_one_opens_on_debug() {
    allocations_fail("memory: opening");
}

#[test]
#[ignore = "needs the debug kernel"]
fn a_cpu_comes_without_the_pmu_that_it_brings_and_with_it_the_next_time_on_debug() {
    allocations_fail("memory: a CPU");
}

#[test]
#[ignore = "needs the debug kernel"]
fn a_function_is_not_bound_and_the_next_time_is_on_debug() {
    allocations_fail("memory: giving");
}
