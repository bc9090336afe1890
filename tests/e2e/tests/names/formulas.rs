// SPDX-License-Identifier: GPL-2.0

//! Metrics of perf's own list that have terms of the uncore: each shows the value that
//! the traffic gives for its formula, on both perfs. A metric that perf's list has and this
//! file has not makes the test fail.

use crate::names::{machine, sum, Perf, BURST};
use serde_json::Value;
use uncore_e2e::prelude::*;

platforms!(; e5 polled);

/// A metric with the value of its formula, in the unit that perf prints. A formula has the
/// time of the run, in seconds.
type Metric = (&'static str, fn(f64) -> f64);

/// Metrics whose events fit the counters together: the values are exact.
const EXACT: &[Metric] = &[
    ("UNCORE_FREQ", |time| first_clocks() / 2.0 / time / 1e9),
    ("io_bandwidth_read", |time| {
        requests("opcode", 0x19e) * 64.0 / 1e6 / time
    }),
    ("llc_data_read_demand_plus_prefetch_miss_latency", |time| {
        latency("miss_opcode") * CORES / clocks() * 1e9 * time
    }),
    (
        "llc_data_read_demand_plus_prefetch_miss_latency_for_local_requests",
        |time| latency("miss_local_opcode") * CORES / clocks() * 1e9 * time,
    ),
    (
        "llc_data_read_demand_plus_prefetch_miss_latency_for_remote_requests",
        |time| latency("miss_remote_opcode") * CORES / clocks() * 1e9 * time,
    ),
    ("lpm_cstate_c0", |_| cores_in("c0")),
    ("lpm_cstate_c3", |_| cores_in("c3")),
    // The traffic has fewer cores in all states together than there are cores.
    ("lpm_cstate_c6", |_| cores_in("c6")),
    ("lpm_mem_bw_ddr_read", |time| lines("rd") * 64e-6 / time),
    ("lpm_mem_bw_ddr_total", |time| {
        (lines("rd") + lines("wr")) * 64e-6 / time
    }),
    ("lpm_mem_bw_ddr_write", |time| lines("wr") * 64e-6 / time),
    ("lpm_mem_local_read", |time| {
        home("reads_local") * 64e-6 / time
    }),
    ("lpm_mem_local_write", |time| {
        home("writes_local") * 64e-6 / time
    }),
    ("lpm_mem_remote_read", |time| {
        home("reads_remote") * 64e-6 / time
    }),
    ("lpm_mem_remote_write", |time| {
        home("writes_remote") * 64e-6 / time
    }),
    ("lpm_mem_sat", |_| {
        100.0 * total(&Probe::cbox(0, "fast_asserted")) / clocks()
    }),
    ("lpm_miss_lat_loc", |time| {
        let tells = has("miss_local_opcode");
        let event = if tells {
            "miss_local_opcode"
        } else {
            "miss_opcode"
        };
        latency(event) * CBOXES / clocks() * 1e9 * time
    }),
    ("lpm_miss_lat_rem", |time| {
        latency("miss_remote_opcode") * CBOXES / clocks() * 1e9 * time
    }),
    ("memory_bandwidth_read", |time| lines("rd") * 64e-6 / time),
    ("memory_bandwidth_total", |time| {
        (lines("rd") + lines("wr")) * 64e-6 / time
    }),
    ("memory_bandwidth_write", |time| lines("wr") * 64e-6 / time),
    ("numa_reads_addressed_to_local_dram", |_| {
        100.0 * local_share()
    }),
    ("numa_reads_addressed_to_remote_dram", |_| {
        100.0 - 100.0 * local_share()
    }),
    ("qpi_data_transmit_bw", |time| {
        total(&Probe::qpi(0, "txl_flits_g0.data")) * 8e-6 / time
    }),
    ("tma_info_system_dram_bw_use", |time| {
        (lines("rd") + lines("wr")) * 64e-9 / time
    }),
    ("tma_info_system_mem_read_latency", |time| {
        latency("miss_opcode") / first_clocks() * 1e9 * time
    }),
    ("tma_info_system_socket_clks", |_| first_clocks()),
    ("tma_info_system_uncore_frequency", |time| {
        first_clocks() / 1e9 / time
    }),
    ("uncore_frequency", |time| clocks() / CORES / 1e9 / time),
];

/// Metrics whose events take turns on counters or filters: the values are about right.
const IN_TURNS: &[Metric] = &[("tma_info_system_mem_parallel_reads", |_| {
    let waiting = Probe::cbox(0, "tor_occupancy.miss_opcode").opc(DATA_READ);
    total(&waiting) / total(&waiting.thresh(1))
})];

/// Metrics without a value on this machine, and the reason.
const WITHOUT: &[(&str, &str)] = &[
    // Also with the kernel's own driver, it counts what all threads do.
    ("io_bandwidth_write", "names a thread and leaves out tid_en"),
    ("llc_code_read_mpi_demand_plus_prefetch", NO_CORE),
    ("llc_data_read_mpi_demand_plus_prefetch", NO_CORE),
];

const NO_CORE: &str = "the machine's cores count no instructions";

/// Returns the names of metrics that one run of any length measures.
pub(crate) fn exact() -> impl Iterator<Item = &'static str> {
    EXACT.iter().map(|(name, _)| *name)
}

/// Opcode of a data read.
const DATA_READ: u16 = 0x182;

/// Cores, and C-Boxes, of the machine.
const CORES: f64 = 4.0;
const CBOXES: f64 = 6.0;

/// Bursts for metrics whose events take turns, and the largest deviation then. Each burst falls into
/// the turn of one group, so that of 200 a tenth more or less is usual.
const BURSTS: &str = "perf-open 'burst 1000000 200 1000'";
const DEVIATION: f64 = 0.35;

/// Largest part by which the time that the stable perf prints is too long.
const LONGER: f64 = 0.15;

/// Returns the count of all boxes in all packages.
#[expect(clippy::cast_precision_loss, reason = "counts of a burst have 53 bits")]
fn total(probe: &Probe) -> f64 {
    let counts = Platform::packages()
        .iter()
        .map(|&package| sum(probe, package));
    counts.sum::<u64>() as f64
}

fn clocks() -> f64 {
    total(&Probe::cbox(0, "clockticks"))
}

/// Clocks of the first C-Box of each package, which perf adds up.
fn first_clocks() -> f64 {
    clocks() * 2.0 / CBOXES
}

/// Requests with an opcode that C-Boxes take.
fn requests(event: &str, opcode: u16) -> f64 {
    total(&Probe::cbox(0, &format!("tor_inserts.{event}")).opc(opcode))
}

/// Returns whether the part has an event of requests.
fn has(event: &str) -> bool {
    Catalogue::get().has(BoxKind::Cbox, &format!("tor_occupancy.{event}"))
}

/// Clocks that a data read waits; no number if the part has no such event: perf asks for requests of
/// a node then, and names none.
fn latency(event: &str) -> f64 {
    if !has(event) {
        return f64::NAN;
    }
    let waiting = Probe::cbox(0, &format!("tor_occupancy.{event}")).opc(DATA_READ);
    total(&waiting) / requests(event, DATA_READ)
}

fn local_share() -> f64 {
    let local = requests("miss_local_opcode", DATA_READ);
    local / (local + requests("miss_remote_opcode", DATA_READ))
}

fn lines(direction: &str) -> f64 {
    total(&Probe::imc(0, &format!("cas_count.{direction}")))
}

fn home(request: &str) -> f64 {
    total(&Probe::ha(0, &format!("requests.{request}")))
}

fn cores_in(state: &str) -> f64 {
    let cores = Probe::pcu(&format!("power_state_occupancy.cores_{state}"));
    total(&cores) / total(&Probe::pcu("clockticks"))
}

/// Returns the metrics of perf's list that have terms of the uncore.
fn listed(session: &mut Session, perf: Perf) -> Vec<String> {
    let list = session.ok(&format!("{} list -j metrics 2>/dev/null", perf.program()));
    let list: Vec<Value> = serde_json::from_str(&list).expect("JSON");
    let of_uncore = list.iter().filter(|metric| {
        let formula = metric["MetricExpr"].as_str().unwrap_or_default();
        let terms = ["UNC_", "cbox", "tma_info_system_socket_clks"];
        terms.iter().any(|term| formula.contains(term))
    });
    let names = of_uncore.filter_map(|metric| metric["MetricName"].as_str());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the lines that perf prints for a metric.
fn measure(session: &mut Session, perf: Perf, name: &str, command: &str) -> Vec<Value> {
    let program = perf.program();
    let output = session.run(&format!("{program} stat -j -a -M {name} -- {command}"));
    assert_eq!(output.status, 0, "{name}: {}", output.stderr);
    let lines = output.stderr.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Returns the number in a field, `None` if it is none: `nan`, `<not supported>`.
fn field(line: &Value, name: &str) -> Option<f64> {
    let value: f64 = line[name].as_str()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// Returns the value of a metric.
fn value(lines: &[Value], name: &str) -> Option<f64> {
    let of_metric = |line: &&Value| {
        let unit = line["metric-unit"].as_str().unwrap_or_default();
        // The stable perf has room for 64 characters.
        let shown = unit.split_whitespace().last();
        shown.is_some_and(|shown| name.starts_with(shown))
    };
    field(lines.iter().find(of_metric)?, "metric-value")
}

/// Returns the time of a run in seconds, `None` if the metric does not need it.
fn time(lines: &[Value]) -> Option<f64> {
    let mut times = lines.iter().filter(|line| line["event"] == "duration_time");
    let nanoseconds = times.next().and_then(|line| field(line, "counter-value"));
    nanoseconds.map(|nanoseconds| nanoseconds / 1e9)
}

/// Returns what is wrong with a metric.
fn wrong(session: &mut Session, perf: Perf, name: &str) -> Option<String> {
    let find = |metrics: &[Metric]| {
        let mut found = metrics.iter().filter(|(metric, _)| *metric == name);
        found.next().map(|(_, formula)| *formula)
    };
    // The stable perf prints a longer time than the one that it takes for formulas; of a
    // second, the difference is a small part.
    let burst = match perf {
        Perf::Newest => format!("burst {BURST}"),
        Perf::Stable => format!("sh -c 'burst {BURST}; sleep 1'"),
    };
    let (command, formula, deviation) = if let Some(formula) = find(EXACT) {
        (&*burst, formula, 1e-5)
    } else if let Some(formula) = find(IN_TURNS) {
        (BURSTS, formula, DEVIATION)
    } else if let Some((_, reason)) = WITHOUT.iter().find(|(metric, _)| *metric == name) {
        let lines = measure(session, perf, name, BURSTS);
        let has_one = *reason == NO_CORE && value(&lines, name).is_some();
        return has_one.then(|| format!("{perf:?} {name} has a value: {lines:?}"));
    } else {
        return Some(format!("{perf:?} {name} is new"));
    };
    let lines = measure(session, perf, name, command);
    let time = time(&lines);
    let expected = formula(time.unwrap_or(1.0));
    let deviation = match perf {
        Perf::Stable if time.is_some() => LONGER,
        _ => deviation,
    };
    let near = |value: f64| (value - expected).abs() <= expected * deviation + 2e-6;
    let is_right = value(&lines, name).map_or(expected.is_nan(), near);
    (!is_right).then(|| format!("{perf:?} {name}: {expected}, but {lines:?}"))
}

fn check(parameters: &[&str], perf: Perf) {
    on(&machine(parameters), |session| {
        let names = listed(session, perf);
        assert!(names.len() >= 5, "{names:?}");
        println!("{perf:?}: {} metrics", names.len());
        let wrong = names.iter().filter_map(|name| wrong(session, perf, name));
        assert_none(&wrong.collect::<Vec<_>>());
    });
}

#[test]
fn the_newest_perf_shows_right_values_by_alias() {
    check(&["alias=all"], Perf::Newest);
}

#[test]
fn both_perfs_show_right_values_with_plain_names() {
    for perf in Perf::BOTH {
        check(&["names=compat"], perf);
    }
}

/// With an alias, a metric that asks for a thread by halves is refused, and with the reason.
#[test]
#[ignore = "only on Broadwell, and what is like it"]
fn a_metric_of_a_thread_that_is_not_compared_is_refused() {
    platforms!(; e5);
    on(&machine(&[]), |session| {
        let lines = measure(session, Perf::Newest, "io_bandwidth_write", "true");
        assert_eq!(value(&lines, "io_bandwidth_write"), None, "{lines:?}");
        // Those of perf's own attempts may be the last ones.
        let rejections = session.rejections();
        let found = rejections.iter().any(|line| line.contains("tid_en"));
        assert!(found, "{rejections:?}");
    });
}
