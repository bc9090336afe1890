// SPDX-License-Identifier: GPL-2.0

//! Slice of the fuzzer's run: the driver accepts valid requests and nothing else.

use std::io::{stderr, Write as _};
use uncore_campaigns::fuzz::{config, reload, Fuzzer, CASES, SEED};
use uncore_e2e::fixture::{assert_none, on};

/// Number of cases in the slice.
const SLICE: u64 = 2000;

#[test]
fn what_is_legal_is_accepted_and_nothing_else() {
    on(&config(), |session| {
        let mut fuzzer = Fuzzer::new(session, SEED);
        fuzzer.run(0..SLICE, |_| {});
        writeln!(stderr(), "fuzzed {}", fuzzer.totals()).expect("standard error is open");
        let failures = fuzzer.failures();
        assert!(failures.is_empty(), "{}", failures.join("\n\n"));
        reload(session);
    });
}

#[test]
fn each_reason_against_a_request_is_tried() {
    on(&config(), |session| {
        let totals = Fuzzer::new(session, SEED).expected(0..CASES);
        assert_none(&totals.untried());
    });
}
