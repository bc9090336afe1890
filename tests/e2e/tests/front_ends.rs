// SPDX-License-Identifier: GPL-2.0

//! Front ends that come with perf: its programs in Python on a terminal, and what `perf
//! stat` and `perf report` show of the uncore at intervals
//! (Documentation/admin-guide/perf/front-ends.rst).

use crate::overflow::by_interrupt;
use std::fmt::Write as _;
use std::time::Duration;

use uncore_e2e::perf::estimate;
use uncore_e2e::prelude::*;

platforms!(; first);

const PACKAGES: [u8; 2] = [0, 1];
const CPUS: u8 = 4;
const CHANNELS: u8 = 8;
const BURST: u64 = 1_000_000;

/// Cycles of uclk in a second of free-running traffic.
const UCLK_HZ: f64 = 2.4e9;
const LINE_BYTES: f64 = 64.0;

/// Tolerance for rates: emulated time is the host's, so only the magnitude is checked.
const TOLERANCE: f64 = 0.5;

/// Directory of perf's programs in Python, in the guest.
const PROGRAMS: &str = "/usr/lib/perf";

/// Reads of memory that end an interval.
const INTERVAL: u64 = 100_000;
const LONG_BURST: u64 = 20_000_000;

/// Program that prints the intervals of `uncore_rs:interval` until there were as many as its
/// argument says.
const LIVE: &str = r#"
import sys
import perf_live

left = int(sys.argv[1])

def show(event):
    global left
    print(event.pmu, event.package, event.count, flush=True)
    left -= 1
    if left == 0:
        raise KeyboardInterrupt

perf_live.LiveSession("uncore_rs:interval", show).run()
"#;

/// Steps of one command that may each take as long as [`patience`] lets them.
const SLOW_STEPS: u32 = 4;

fn with_python(config: Config) -> Config {
    let timeout = Some(SLOW_STEPS * patience(&config));
    Layer::FrontEnds.on(Config { timeout, ..config })
}

/// Returns the longest time that a step may wait for perf's programs in Python, which start slowly.
fn patience(config: &Config) -> Duration {
    Duration::from_secs(180) * config.flavour.factor()
}

fn counted() -> Probe {
    Probe::imc(0, "cas_count.rd")
}

/// Returns the command that runs steps of `on-terminal` with perf's list of events on it. A count
/// is on the screen for one interval of ten seconds, in which the screen must be looked at.
fn on_terminal(config: &Config, steps: &[String]) -> String {
    let patience = patience(config).as_secs();
    let steps = steps.join("' '");
    format!("PATIENCE={patience} on-terminal 100x30 '{steps}' -- python3 {PROGRAMS}/ilist.py -I 10")
}

/// Steps that choose an event or metric.
fn choose(name: &str) -> Vec<String> {
    let steps = ["wait PMUs", "type s", "wait Event name", "type NAME\\r"];
    let named = steps.iter().map(|step| step.replace("NAME", name));
    named.collect()
}

/// The list shows the events of each box, and what the chosen one has counted in the last
/// interval.
#[test]
fn the_interactive_list_counts_what_the_definition_says() {
    let config = with_python(Config::default());
    on(&config, |session| {
        let counts = PACKAGES.map(|package| counted().count(package, BURST));
        let mut expected = format!("^total {}", counts.iter().sum::<u64>());
        let cpus = session.cpumask(&counted().pmu());
        for (cpu, count) in cpus.iter().zip(counts) {
            let _ = write!(expected, "\\ncpu{cpu} {count}");
        }
        let mut steps = choose("cas_count.rd");
        steps.extend([
            "wait ^total 0$".to_owned(),
            format!("do burst {BURST}"),
            format!("wait {expected}$"),
            "screen".to_owned(),
            "type \\x11".to_owned(),
        ]);
        let screen = session.ok(&on_terminal(&config, &steps));
        for text in [
            "ivbep_uncore_imc_0/cas_count.rd/",
            "ivbep_uncore_imc_0/event=0x04,umask=0x03/",
            "▶ ivbep_uncore_ha_1",
            "▼ ivbep_uncore_imc_0",
        ] {
            let is_there = screen.lines().any(|line| line.contains(text));
            assert!(is_there, "no `{text}` on\n{screen}");
        }
    });
}

#[test]
fn the_interactive_list_lets_go_when_its_terminal_is_gone() {
    const HANGUP: i32 = 128 + 1;
    let config = with_python(Config::default());
    on(&config, |session| {
        let mut steps = choose("cas_count.rd");
        steps.extend(["wait ^total 0$".to_owned(), "hang up".to_owned()]);
        let output = session.run(&on_terminal(&config, &steps));
        assert_eq!(output.status, HANGUP, "{}", output.stderr);
        session.reload();
    });
}

/// Returns a command that counts with an interval in a burst.
fn count_with_interval() -> String {
    let event = counted().event().to_string();
    let event = event.trim_end_matches('/');
    format!(
        "perf stat -a -e {event},interval={INTERVAL}/ -- \
         perf-open 'machine burst-through {LONG_BURST}' settle"
    )
}

/// Returns how many intervals that command has in each package.
fn intervals() -> [u64; 2] {
    PACKAGES.map(|package| counted().count(package, LONG_BURST) / INTERVAL)
}

#[test]
fn a_live_session_has_the_fields_of_each_interval() {
    on(&with_python(by_interrupt()), |session| {
        session.machine("reading + U-44:b");
        session.ok(&format!("cat > /tmp/live.py <<'END'{LIVE}END"));
        let all: u64 = intervals().iter().sum();
        let shown = session.ok(&format!(
            "PYTHONPATH={PROGRAMS} python3 /tmp/live.py {all} > /tmp/live 2>/dev/null & pid=$!; \
             until [ \"$(grep -c perf_event /proc/$pid/maps)\" = {CPUS} ]; do sleep 0.1; done; \
             until grep -q poll /proc/$pid/wchan; do sleep 0.1; done; \
             {} 2>/dev/null; wait $pid; cat /tmp/live",
            count_with_interval()
        ));
        for (package, intervals) in PACKAGES.into_iter().zip(intervals()) {
            let of_package = format!("{} {package} ", counted().pmu());
            let ends: Vec<&str> = shown
                .lines()
                .filter_map(|line| line.strip_prefix(&of_package))
                .collect();
            let expected: Vec<String> = (1..=intervals)
                .map(|end| (end * INTERVAL).to_string())
                .collect();
            assert_eq!(ends, expected, "package {package}");
        }
        session.machine("reading - U-44:b");
    });
}

#[test]
fn a_report_counts_the_intervals_of_each_box_and_package() {
    on(&by_interrupt(), |session| {
        session.machine("reading + U-44:b");
        session.ok(&format!(
            "perf record -q -a -o /tmp/intervals -e uncore_rs:interval -- {} 2>/dev/null",
            count_with_interval()
        ));
        let report = session.ok(
            "perf report -i /tmp/intervals --stdio -q -F sample -s pmu,package 2>/dev/null; \
             rm /tmp/intervals",
        );
        let mut lines: Vec<Vec<&str>> = report
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .filter(|words| !words.is_empty())
            .collect();
        lines.sort_unstable_by_key(|words| words.last().copied());
        let pmu = counted().pmu();
        let expected = PACKAGES.into_iter().zip(intervals());
        let expected = expected.map(|(package, n)| format!("{n} {pmu} {package}"));
        let lines: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        assert_eq!(lines, expected.collect::<Vec<_>>());
        session.machine("reading - U-44:b");
    });
}

/// Returns the gigabytes per second that free-running traffic reads and writes.
fn bandwidth(package: u8) -> f64 {
    const LONG: u64 = 1 << 26;
    let of_channel = |channel| {
        ["cas_count.rd", "cas_count.wr"]
            .map(|event| Probe::imc(channel, event).count(package, LONG))
            .iter()
            .sum::<u64>()
    };
    let lines: u64 = (0..CHANNELS).map(of_channel).sum();
    estimate(lines) / estimate(LONG) * UCLK_HZ * LINE_BYTES / 1e9
}

#[test]
fn a_metric_alone_is_shown_for_each_interval_and_socket() {
    let config = Config::default()
        .with("free-run", "on")
        .with("traffic", "burst");
    on(&config, |session| {
        let shown = session.run(
            "perf stat -a --per-socket --metric-only -I 500 --interval-count 3 \
             -M tma_info_system_dram_bw_use",
        );
        assert_eq!(shown.status, 0, "{}", shown.stderr);
        for package in PACKAGES {
            let socket = format!("S{package}");
            let rates: Vec<f64> = shown
                .stderr
                .lines()
                .filter(|line| line.split_whitespace().any(|word| word == socket))
                .filter_map(|line| line.split_whitespace().last()?.parse().ok())
                .collect();
            let expected = bandwidth(package);
            let near = |rate: &f64| (rate / expected - 1.0).abs() < TOLERANCE;
            let all_near = rates.len() == 3 && rates.iter().all(near);
            assert!(all_near, "not {expected}:\n{}", shown.stderr);
        }
    });
}
