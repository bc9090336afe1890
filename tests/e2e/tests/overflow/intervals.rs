// SPDX-License-Identifier: GPL-2.0

//! Intervals: at the end of each interval of an event, a tracepoint reports its count. What a record
//! has of the other events of the package is tested on the host (`whole::overflow`).

use crate::overflow::{by_interrupt, without_unknown_nmis, PACKAGES};
use uncore_e2e::perf::Table;
use uncore_e2e::prelude::*;

platforms!(; e5);

/// Reads of memory in an interval.
const INTERVAL: u64 = 100_000;

const UCLK: u64 = 20_000_000;

/// Returns the package and the count in a line of `perf script`.
fn snapshot(line: &str) -> Option<(u8, u64)> {
    let (_, fields) = line.split_once("uncore_rs:interval: ")?;
    let field = |name: &str| {
        let mut words = fields.split(' ');
        words.find_map(|word| {
            word.strip_prefix(name)?
                .strip_prefix('=')?
                .parse::<u64>()
                .ok()
        })
    };
    Some((u8::try_from(field("package")?).ok()?, field("count")?))
}

#[test]
fn intervals_sum_up_to_the_count() {
    let reads = Probe::imc(0, "cas_count.rd");
    let event = reads.event().to_string();
    let event = event.trim_end_matches('/');
    let stat = Stat::of(format!("perf-open 'machine burst-through {UCLK}' settle"));
    let stat = stat.option("--per-socket");
    let stat = stat.typed(&format!("{event},interval={INTERVAL},name=event/"));
    without_unknown_nmis(&by_interrupt(), |session| {
        let output = session.run(&format!(
            "perf record -q -a -o /tmp/intervals -e uncore_rs:interval -- {}",
            stat.json()
        ));
        assert_eq!(output.status, 0, "{}", output.stderr);
        let table = Table::parse(&output.stderr).unwrap_or_else(|error| panic!("{error}"));
        let script = session.ok("perf script -i /tmp/intervals && rm /tmp/intervals");
        let snapshots: Option<Vec<_>> = script.lines().map(snapshot).collect();
        let mut snapshots = snapshots.unwrap_or_else(|| panic!("{script}"));
        snapshots.sort_unstable();
        let mut ends = Vec::new();
        for package in PACKAGES {
            let total = reads.count(package, UCLK);
            let line = table.at("event", Place::Socket(package)).expect("a line");
            assert_eq!(reads.exact(line), Some(total), "package {package}");
            ends.extend((1..=total / INTERVAL).map(|n| (package, n * INTERVAL)));
        }
        assert_eq!(snapshots, ends);
    });
}
