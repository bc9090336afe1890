// SPDX-License-Identifier: GPL-2.0

//! The code with which the kernel's self-test of resctrl finds the memory controllers and
//! measures what is read from memory.

use super::{machine, COMPAT};
use uncore_e2e::perf::estimate;
use uncore_e2e::prelude::*;

const BURST: u64 = 1_000_000;

/// Precision of the sums of that code, which are `float`.
const PRECISION: f64 = 1e-5;

fn reads_all_channels(parameters: &[&str]) {
    let config = machine(parameters);
    let channels = Shape::of(&config).most(BoxKind::Imc);
    on(&config, |session| {
        for &package in Platform::packages() {
            let cpu = 2 * package;
            let said = session.ok(&format!("resctrl-imc {cpu} 'burst {BURST}'"));
            let words: Vec<&str> = said.split_whitespace().collect();
            let [counters, "counters,", mebibytes, "MiB"] = words[..] else {
                panic!("{said}");
            };
            assert_eq!(counters, channels.to_string(), "{said}");
            let of_channel = |channel| Probe::imc(channel, "cas_count.rd").count(package, BURST);
            let bytes = (0..channels).map(of_channel).sum::<u64>() * 64;
            let expected = estimate(bytes) / f64::from(1 << 20);
            let mebibytes: f64 = mebibytes.parse().expect("a number");
            let error = (mebibytes / expected - 1.0).abs();
            assert!(error < PRECISION, "{said}, not {expected} MiB");
        }
    });
}

#[test]
#[ignore = "make test-judges runs it"]
fn it_reads_from_all_channels_what_the_definition_says() {
    reads_all_channels(&COMPAT);
}

/// It looks for a part of the name only.
#[test]
#[ignore = "make test-judges runs it"]
fn it_finds_the_channels_by_names_of_our_own() {
    reads_all_channels(&[]);
}
