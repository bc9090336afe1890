// SPDX-License-Identifier: GPL-2.0

//! Registers, functions and allocations that fail, one at a time: some of them, and on the
//! debug kernel all allocations; `make failures` is the whole of it.

use ivbep_e2e::failures::{config, Failures};
use ivbep_e2e::fixture::{assert_none, on};
use ivbep_e2e::Flavour;

/// Has all fail that have one of these in their titles.
fn fail(only: &[&str]) {
    on(&config(), |session| {
        let mut failures = Failures::new(session, only);
        failures.run(|_| {});
        assert_none(failures.faults());
        assert_eq!(failures.done(), only.len(), "{only:?}");
    });
}

/// The same of allocations, of which a text may stand for more.
fn allocations_fail(only: &str) {
    let config = config();
    if config.flavour != Flavour::Debug {
        return;
    }
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
fn a_load_fails_and_the_next_one_does_not() {
    allocations_fail("memory: loading");
}

#[test]
fn an_event_is_refused_and_the_next_one_opens() {
    allocations_fail("memory: opening");
}

#[test]
fn a_cpu_comes_without_the_pmu_that_it_brings_and_with_it_the_next_time() {
    allocations_fail("memory: a CPU");
}

#[test]
fn a_function_is_not_bound_and_the_next_time_is() {
    allocations_fail("memory: giving");
}
