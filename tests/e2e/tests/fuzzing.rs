// SPDX-License-Identifier: GPL-2.0

//! A slice of the fuzzer's run that the documentation has the table of: the driver
//! accepts what is legal and nothing else, and the table is of these very cases.

use ivbep_e2e::fixture::on;
use ivbep_e2e::fuzz::{config, page, Fuzzer, CASES, SEED};
use std::io::{stderr, Write as _};
use std::path::Path;

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../Documentation/development/fuzzing.rst"
);

/// Cases that are tried again.
const SLICE: u64 = 2000;

#[test]
fn what_is_legal_is_accepted_and_nothing_else() {
    on(&config(), |session| {
        let mut fuzzer = Fuzzer::new(session, SEED);
        fuzzer.run(0..SLICE, |_| {});
        writeln!(stderr(), "fuzzed {}", fuzzer.totals()).expect("standard error is open");
        let failures = fuzzer.failures();
        assert!(failures.is_empty(), "{}", failures.join("\n\n"));
        session.reload();
    });
}

#[test]
fn the_page_has_what_the_oracle_expects() {
    on(&config(), |session| {
        let printed = page(&Fuzzer::new(session, SEED).expected(0..CASES));
        let committed = std::fs::read_to_string(PAGE).unwrap_or_default();
        if printed != committed {
            let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzzing.rst");
            std::fs::write(&fresh, &printed).expect("written");
            panic!(
                "the page is of other cases, or the oracle expects something else by now; what \
                 make -s fuzz PAGE=1 has to print is in {}",
                fresh.display()
            );
        }
    });
}
