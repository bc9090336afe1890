// SPDX-License-Identifier: GPL-2.0

//! Slice of the fault injection: allocations, on the debug kernel. `make failures` runs all of it.

use uncore_campaigns::failures::{config, Failures};
use uncore_e2e::prelude::*;

/// Runs the walks over allocations whose titles contain this text; it may match several
/// walks.
fn allocations_fail(only: &str) {
    on(&config(), |session| {
        let mut failures = Failures::new(session, &[only]);
        failures.run(|_| {});
        assert_none(failures.faults());
        assert!(failures.done() > 0, "{only}");
    });
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
