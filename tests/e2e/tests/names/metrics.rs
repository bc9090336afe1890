// SPDX-License-Identifier: GPL-2.0

//! Metrics that perf itself has for this processor.

use crate::names::{machine, sum, Perf, BURST};
use uncore_e2e::perf::Table;
use uncore_e2e::prelude::*;

platforms!(; e5);

/// Returns the JSON that `perf stat -M` prints.
fn measure(session: &mut Session, perf: Perf, metric: &str, command: &str) -> String {
    let program = perf.program();
    let output = session.run(&format!("{program} stat -j -a -M {metric} -- {command}"));
    assert_eq!(output.status, 0, "{metric}: {}", output.stderr);
    output.stderr
}

/// Checks that the counts of reads and writes are exact, and that perf shows the metric.
fn memory_bandwidth(session: &mut Session, perf: Perf) {
    let metric = "tma_info_system_dram_bw_use";
    let printed = measure(session, perf, metric, &format!("burst {BURST}"));
    let table = Table::parse(&printed).expect("a table");
    for (name, ours) in [("rd", "cas_count.rd"), ("wr", "cas_count.wr")] {
        let probe = Probe::imc(0, ours);
        let sums = Platform::packages().iter();
        let expected: u64 = sums.map(|&package| sum(&probe, package)).sum();
        let event = format!("unc_m_cas_count.{name}");
        let named = |line: &&uncore_e2e::perf::Count| line.event.to_lowercase().contains(&event);
        let counts: Vec<Option<u64>> = table
            .lines
            .iter()
            .filter(named)
            .map(|line| probe.exact(line))
            .collect();
        assert_eq!(counts, [Some(expected)], "{event} in\n{printed}");
    }
    assert!(printed.contains("metric-value"), "{printed}");
    assert!(!printed.contains("nan"), "{printed}");
}

#[test]
fn the_newest_perf_measures_memory_bandwidth_by_alias() {
    on(&machine(&[]), |session| {
        memory_bandwidth(session, Perf::Newest);
    });
}

#[test]
fn both_perfs_measure_memory_bandwidth_with_plain_names() {
    on(&machine(&["names=compat"]), |session| {
        for perf in Perf::BOTH {
            memory_bandwidth(session, perf);
        }
    });
}

/// Metrics with filters, with a fixed box, with more events than counters:
/// each has a value.
#[test]
fn other_metrics_have_values() {
    let bursts = format!("perf-open 'burst {BURST} 50 4000'");
    on(&machine(&[]), |session| {
        for metric in [
            "tma_info_system_socket_clks",
            "tma_info_system_mem_read_latency",
            "tma_info_system_mem_parallel_reads",
            "tma_info_system_uncore_frequency",
        ] {
            let printed = measure(session, Perf::Newest, metric, &bursts);
            assert!(printed.contains("metric-value"), "{metric}: {printed}");
            assert!(!printed.contains("<not"), "{metric}: {printed}");
        }
    });
}
