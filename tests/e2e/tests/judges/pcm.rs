// SPDX-License-Identifier: GPL-2.0

//! PCM with `PCM_USE_UNCORE_PERF=1`: it finds the PMUs and shows the counts of the
//! definition.

use super::{machine, COMPAT};
use uncore_e2e::perf::estimate;
use uncore_e2e::prelude::*;

const BURST: u64 = 1_000_000;

/// Precision of the two decimals that it prints.
const PRECISION: f64 = 0.006;

/// Returns the rates of memory channels that `pcm-memory` shows, with package and probe.
fn rates(shown: &str) -> Vec<(u8, Probe, f64)> {
    let mut rates = Vec::new();
    let mut channel = 0;
    for line in shown.lines().filter(|line| line.contains("(MB/s):")) {
        for (package, cell) in (0..).zip(line.trim_matches('|').split("||")) {
            let Some((title, value)) = cell.split_once("(MB/s):") else {
                continue;
            };
            let words: Vec<&str> = title.split_whitespace().collect();
            let event = match words[..] {
                ["--", "Mem", "Ch", number, "Reads"] => {
                    channel = number.trim_end_matches(':').parse().expect("a channel");
                    "cas_count.rd"
                }
                ["--", "Writes"] => "cas_count.wr",
                _ => continue,
            };
            let value = value.trim_end_matches(['-', ' ']).trim();
            let value = value.parse().expect("a rate");
            rates.push((package, Probe::imc(channel, event), value));
        }
    }
    rates
}

/// Rates are counts in an elapsed time that it does not show, which is the same for all.
#[test]
#[ignore = "make test-judges runs it"]
fn its_memory_channels_have_the_counts_of_the_definition() {
    let config = machine(&COMPAT);
    on(&config, |session| {
        session.tolerate_violations(); // It reads all of the configuration spaces.
        let shown = session.ok(&format!(
            "PCM_USE_UNCORE_PERF=1 pcm-memory -- burst {BURST} 2>&1"
        ));
        let rates = rates(&shown);
        let packages = Platform::packages().len();
        let channels = usize::from(Shape::of(&config).most(BoxKind::Imc));
        assert_eq!(rates.len(), 2 * packages * channels, "{shown}");
        let count = |(package, probe, _): &(u8, Probe, f64)| estimate(probe.count(*package, BURST));
        let all: f64 = rates.iter().map(|(.., rate)| rate).sum();
        let per_count = all / rates.iter().map(count).sum::<f64>();
        let wrong = rates.iter().filter_map(|line| {
            let expected = count(line) * per_count;
            let (package, probe, rate) = line;
            let is_right = (rate - expected).abs() < PRECISION;
            (!is_right).then(|| format!("{package} {}: {rate}, not {expected}", probe.event()))
        });
        assert_none(&wrong.collect::<Vec<_>>());
        assert!(
            session.rejections().is_empty(),
            "{:?}",
            session.rejections()
        );
    });
}

/// Requests that ask for nothing, or for what the hardware does not have: an event of QPI
/// without a umask for counters that are not used, a threshold that is inverted. Each program
/// with parts of the reasons.
const REFUSED: [(&str, &[&str]); 2] = [
    ("pcm-pcie", &["umask: 0 selects nothing"]),
    ("pcm-power", &["umask: 0 selects nothing", "(0x800000)"]),
];

#[test]
#[ignore = "make test-judges runs it"]
fn other_programs_ask_for_no_more_than_they_did() {
    on(&machine(&COMPAT), |session| {
        session.tolerate_violations(); // They read all of the configuration spaces.
        for (program, reasons) in REFUSED {
            session.reload();
            session.run(&format!("PCM_USE_UNCORE_PERF=1 {program} -- burst {BURST}"));
            let refused = session.rejections();
            let is_known = |line: &String| reasons.iter().any(|reason| line.contains(reason));
            assert!(refused.iter().all(is_known), "{program}: {refused:?}");
            for reason in reasons {
                let is_there = refused.iter().any(|line| line.contains(reason));
                assert!(is_there, "{program} is not refused: {reason}: {refused:?}");
            }
        }
    });
}
