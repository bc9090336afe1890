// SPDX-License-Identifier: GPL-2.0

//! `uncore top` shows the traffic of the definition on a terminal, survives what happens to
//! terminals, processors and other programs, and costs little.

use super::free_running;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use uncore_e2e::cost::Cost;
use uncore_e2e::perf::estimate;
use uncore_e2e::prelude::*;

/// Cycles of uclk that stand for the traffic of any time.
const LONG: u64 = 1 << 28;
/// Tolerance for two rates of one box, which are shown with four digits.
const ROUNDING: f64 = 0.002;
/// Screens of which the median is taken.
const SCREENS: usize = 5;
/// Most instructions of an interval, all processes and the kernel included.
const COST: i64 = 10_000_000;
/// Fewest boxes of which that is asked.
const BOXES: usize = 30;

/// Returns the command that runs steps of `on-terminal` with `top` on it.
fn on_terminal(config: &Config, size: &str, steps: &[&str], options: &str) -> String {
    let patience = 60 * config.flavour.factor();
    let steps = steps.join("' '");
    format!("PATIENCE={patience} on-terminal {size} '{steps}' -- uncore top {options}")
}

fn with_terminal() -> Config {
    Layer::FrontEnds.on(free_running())
}

/// Channels of all packages.
fn all_channels() -> usize {
    let shape = Shape::of(&Config::default());
    let packages = shape.packages().into_iter();
    let channels = packages.map(|package| usize::from(shape.boxes(BoxKind::Imc, package)));
    channels.sum()
}

/// Returns how often the module is in use.
fn uses(session: &mut Session) -> String {
    session.ok("cat /sys/module/uncore_rs/refcnt")
}

/// Returns the ratios of the first two rates of each channel on all screens, by package and
/// channel, in ascending order.
fn ratios(screens: &str) -> BTreeMap<(u8, u8), Vec<f64>> {
    let (mut package, mut channels) = (0, BTreeMap::<_, Vec<f64>>::new());
    for line in screens.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&first, rest)) = words.split_first() else {
            continue;
        };
        if let ("socket", Some(number)) = (first, rest.first()) {
            package = number.parse().unwrap_or(package);
        }
        let channel = first
            .strip_prefix("imc_")
            .and_then(|number| number.parse().ok());
        let rates: Vec<f64> = words.windows(2).filter_map(rate).collect();
        if let (Some(channel), [read, write, ..]) = (channel, rates.as_slice()) {
            let ratios = channels.entry((package, channel)).or_default();
            ratios.push(read / write);
            ratios.sort_by(f64::total_cmp);
        }
    }
    channels
}

/// A number and its unit, as `1.500 GB/s`.
fn rate(words: &[&str]) -> Option<f64> {
    let factor = match words[1] {
        "B/s" => 1.0,
        "kB/s" => 1e3,
        "MB/s" => 1e6,
        "GB/s" => 1e9,
        _ => return None,
    };
    Some(factor * words[0].parse::<f64>().ok()?)
}

/// The rates depend on how fast the emulator is, but not what one is of the other, if nothing
/// comes between the reads of the two counters. A busy host stops the guest there now and then,
/// which shows in the two intervals beside that moment, but not in the median of five.
#[test]
fn the_screen_shows_the_traffic() {
    let config = with_terminal().with("traffic", "burst");
    on(&config, |session| {
        let mut steps = vec!["wait ^socket 1 "];
        steps.extend(["screen", "do sleep 1"].repeat(SCREENS));
        steps.push("type q");
        let screens = session.ok(&on_terminal(&config, "120x40", &steps, ""));
        let shown = ratios(&screens);
        assert_eq!(shown.len(), all_channels(), "{screens}");
        for ((package, channel), shown) in shown {
            assert_eq!(shown.len(), SCREENS, "{screens}");
            let [read, write] = ["cas_count.rd", "cas_count.wr"]
                .map(|event| estimate(Probe::imc(channel, event).count(package, LONG)));
            let (shown, defined) = (shown[SCREENS / 2], read / write);
            assert!(
                (shown / defined - 1.0).abs() <= ROUNDING,
                "imc_{channel} of {package}: {shown}, not {defined}\n{screens}"
            );
        }
    });
}

#[test]
fn every_way_out_gives_the_terminal_back() {
    let config = with_terminal();
    on(&config, |session| {
        let before = uses(session);
        let ways: [&[&str]; 5] = [
            &["type q"],
            &["type \\x03"],
            &["do kill -TERM $(pidof uncore)"],
            &["do kill -HUP $(pidof uncore)"],
            // The shell has the terminal, and gives it to the program again.
            &[
                "type \\x1a",
                "do sleep 1; kill -CONT $(pidof uncore)",
                "type ?",
                "wait ^Keys",
                "type q",
            ],
        ];
        for way in ways {
            let steps = [&["wait ^socket 0 "], way].concat();
            session.ok(&on_terminal(&config, "80x24", &steps, "-d 200ms"));
            assert_eq!(uses(session), before, "{way:?}");
        }
        session.ok(&on_terminal(
            &config,
            "80x24",
            &["wait ^socket 1 "],
            "-d 200ms -n 3",
        ));
    });
}

#[test]
fn a_terminal_may_change_and_be_lost() {
    let config = with_terminal();
    on(&config, |session| {
        let before = uses(session);
        let steps = [
            "wait needs 60 columns",
            "resize 80x24",
            "wait ^socket 0 ",
            "resize 120x40",
            "wait ^socket 1 ",
            "hang up",
        ];
        session.ok(&on_terminal(&config, "40x8", &steps, "-d 200ms"));
        assert_eq!(uses(session), before);
    });
}

/// Lines of JSON of each interval.
fn intervals(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

#[test]
fn counting_goes_on_when_its_processor_goes() {
    on(&free_running(), |session| {
        let cpus = session.cpumask(&Probe::imc(0, "cas_count.rd").pmu());
        let cpu = cpus.last().expect("a CPU of the last package");
        let online = format!("/sys/devices/system/cpu/cpu{cpu}/online");
        let lines = session.ok(&format!(
            "uncore top -j -d 500ms -n 6 > /tmp/lines & pid=$!; sleep 1.2; echo 0 > {online}; \
             wait $pid; status=$?; echo 1 > {online}; cat /tmp/lines; exit $status"
        ));
        let intervals = intervals(&lines);
        let last = intervals.last().expect("intervals");
        let metrics = last["metrics"].as_array().expect("metrics").iter();
        let reads = metrics.filter(|one| one["metric"] == "memory_read_bytes");
        let mut count = 0;
        for one in reads {
            assert!(one["value"].as_f64() > Some(0.0), "{one}");
            assert!(one["counted"].as_f64() > Some(0.9), "{one}");
            count += 1;
        }
        assert_eq!((intervals.len(), count), (6, all_channels()));
    });
}

#[test]
fn an_interval_costs_little() {
    const FEW: i64 = 2;
    const MANY: i64 = 22;
    on(&Config::default().with("count", "on"), |session| {
        let mut of = |intervals: i64| {
            let top = format!("uncore top -b -d 100ms -n {intervals} > /tmp/screens");
            let output = session.perf_open(&[format!("cost run {top}")]).join("\n");
            Cost::all(&output)[0].instructions()
        };
        let [few, many] = [FEW, MANY].map(&mut of);
        let each = (many - few) / (MANY - FEW);
        println!("{few} with {FEW} intervals, {many} with {MANY}: {each} each");
        let lines = session.ok("uncore top -j -n 1");
        let metrics = intervals(&lines)[0]["metrics"].clone();
        let metrics = metrics.as_array().expect("metrics").iter();
        let boxes: BTreeSet<String> = metrics
            .map(|one| format!("{} {}", one["package"], one["box"]))
            .collect();
        println!("{} boxes", boxes.len());
        assert!(boxes.len() >= BOXES, "{boxes:?}");
        assert!(each > 0, "nothing was measured");
        assert!(each <= COST, "{each} instructions");
    });
}
