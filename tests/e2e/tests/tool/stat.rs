// SPDX-License-Identifier: GPL-2.0

//! `uncore stat` shows the values of the traffic definition. In a burst the values are
//! exact, for all metrics whose terms count together. In traffic that flows they are
//! approximate, for the metrics whose terms take turns. The values of the manual's metrics are
//! computed from its own formulas, see `stat/manual.rs`.

mod manual;
mod pictures;
mod terms;

use super::{free_running, rounds};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use uncore_e2e::perf::estimate;
use uncore_e2e::prelude::*;
use uncore_metrics::{Catalogue, Inputs, Metric, Nodes, Term};

platforms!(; e5);

const BURST: u64 = 1_000_000;
const PACKAGES: u8 = 2;
/// Tolerance for rounding: the value is computed from the same whole numbers.
const ROUNDING: f64 = 1e-9;
/// Tolerance for terms in turns: the emulator may stand still between two readings.
const TURNS: f64 = 0.3;
/// Tolerance for clocks: emulated time is the host's.
const CLOCK: f64 = 0.5;
/// Number of intervals: odd, so that there is a middle one.
const INTERVALS: usize = 3;
const UCLK_HZ: f64 = 2.4e9;
/// Cycles of a burst that is long enough for every signal to have its share.
const LONG: u64 = 1 << 28;

/// Units of values that grow with time.
const AMOUNTS: [&str; 6] = ["counts", "ns", "cycles", "requests", "B", "MB"];

/// The metric that needs the time.
const SPEED: &str = "qpi.qpi_speed";

/// Metrics of received flits. Broadwell is said to count these too often
/// (Documentation/hardware/bdx.rst, section 19), so the tool does not have them there.
const OF_RECEIVED_FLITS: [&str; 4] = [
    "qpi.data_from_qpi",
    "qpi.data_from_qpi_to_ha_or_iio",
    "qpi.drs_data_msgs_from_qpi",
    "qpi.ncb_data_msgs_from_qpi",
];

/// Metrics of the manual that the tool must have.
fn metrics(traffic: Traffic) -> Vec<String> {
    let mut names = manual::names(traffic);
    if Platform::current() == Platform::Bdx {
        names.retain(|name| !OF_RECEIVED_FLITS.contains(&name.as_str()));
    }
    names
}

/// Puts as many metrics into a round as there are kinds of boxes: a group on each.
fn one_of_each_kind<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Vec<&'a str>> {
    let kind = |name: &'a str| name.split_once('.').map(|(kind, _)| kind);
    rounds(names, |round, name| {
        round.iter().all(|other| kind(other) != kind(name))
    })
}

/// The metrics of the overview.
fn overview(packages: u8) -> Vec<Metric> {
    let nodes: Vec<u8> = (0..packages).collect();
    let catalogue = Catalogue::overview(Platform::current().name());
    let metrics = catalogue.and_then(|catalogue| catalogue.metrics(&nodes));
    metrics.expect("the data file")
}

/// Traffic on a machine in which each package is a node of its own.
#[derive(Clone, Copy)]
struct Traffic {
    packages: u8,
    uclk: u64,
    seconds: Option<f64>,
}

impl Traffic {
    /// So many clocks on the usual machine.
    const fn of(uclk: u64) -> Self {
        Self {
            packages: PACKAGES,
            uclk,
            seconds: None,
        }
    }
}

/// Expected counts of a metric's terms on a box.
struct Defined<'a> {
    metric: &'a Metric,
    kind: BoxKind,
    instance: u8,
    nodes: Nodes,
    traffic: Traffic,
}

impl Inputs for Defined<'_> {
    type Missing = ();

    fn count(&self, term: &Term) -> Result<f64, ()> {
        let nodes = self.nodes;
        let probe = terms::probe(self.metric, term, self.kind, self.instance, nodes);
        Ok(estimate(probe.count(nodes.own, self.traffic.uclk)))
    }

    fn seconds(&self) -> Result<f64, ()> {
        self.traffic.seconds.ok_or(())
    }
}

/// A line that the tool prints.
struct Shown {
    metric: String,
    value: Option<f64>,
    unit: String,
    counted: f64,
    apart: bool,
    kind: BoxKind,
    instance: u8,
    package: u8,
}

/// Returns the values of boxes in each interval, and the time they were counted.
fn intervals(session: &mut Session, arguments: &str) -> Vec<(f64, Vec<Shown>)> {
    let lines = session.ok(&format!("uncore stat -j -A {arguments}"));
    lines.lines().map(interval).collect()
}

fn interval(line: &str) -> (f64, Vec<Shown>) {
    let line: Value = serde_json::from_str(line).expect("a line of JSON");
    let all = line["metrics"].as_array().expect("metrics").iter();
    let of_boxes = all.filter_map(|metric| {
        let name = metric["box"].as_str()?;
        let unit = metric["type"].as_str()?;
        let kind = BoxKind::all().find(|kind| kind.unit() == unit)?;
        let instance = name
            .rsplit_once('_')
            .and_then(|(_, index)| index.parse().ok());
        Some(Shown {
            metric: format!("{unit}.{}", metric["metric"].as_str()?),
            value: metric["value"].as_f64(),
            unit: metric["unit"].as_str()?.to_owned(),
            counted: metric["counted"].as_f64()?,
            apart: metric["apart"].as_bool()?,
            kind,
            instance: instance.unwrap_or(0),
            package: u8::try_from(metric["package"].as_u64()?).ok()?,
        })
    });
    (
        line["seconds"].as_f64().expect("seconds"),
        of_boxes.collect(),
    )
}

/// Returns the value that the manual defines: infinite or no number if there is none.
fn by_manual(shown: &Shown, traffic: Traffic) -> f64 {
    let site = manual::Site {
        kind: shown.kind,
        instance: shown.instance,
        package: shown.package,
        traffic,
    };
    let (_, name) = shown.metric.split_once('.').expect("box type and name");
    let hundreds = if shown.unit == "%" { 100.0 } else { 1.0 };
    site.value(name) * hundreds
}

/// Returns the value of a metric of the overview: no number if there is none.
fn of_overview(shown: &Shown, metric: &Metric, traffic: Traffic) -> f64 {
    let defined = Defined {
        metric,
        kind: shown.kind,
        instance: shown.instance,
        nodes: Nodes {
            own: shown.package,
            all: (1 << traffic.packages) - 1,
        },
        traffic,
    };
    let value = metric.formula.value(&defined).unwrap_or(f64::NAN);
    value * metric.unit.factor()
}

/// Returns the error in a value, if there is any.
fn mismatch(shown: &Shown, value: f64, tolerance: f64) -> Option<String> {
    let is_near = |shown: f64| (shown - value).abs() <= tolerance * value.abs().max(ROUNDING);
    let is_right = if value.is_finite() {
        shown.value.is_some_and(is_near)
    } else {
        shown.value.is_none()
    };
    let place = format!(
        "{}_{} of package {}",
        shown.kind, shown.instance, shown.package
    );
    (!is_right).then(|| {
        format!(
            "{} on {place}: {:?}, not {value}",
            shown.metric, shown.value
        )
    })
}

/// Returns the values of all metrics of the manual in a burst.
fn in_a_burst(session: &mut Session, traffic: Traffic) -> Vec<Shown> {
    let names = metrics(traffic);
    let rounds = one_of_each_kind(names.iter().map(String::as_str)).into_iter();
    let values = rounds.flat_map(|round| {
        let arguments = format!("-M {} -- burst {}", round.join(","), traffic.uclk);
        intervals(session, &arguments).remove(0).1
    });
    values.collect()
}

/// All metrics of the manual have exact values, but for the few whose terms take turns. A clock
/// without time has no speed.
#[test]
fn metrics_under_a_burst_are_exact() {
    let traffic = Traffic::of(BURST);
    let (mut exact, mut apart, mut mismatches) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for shown in on(&Config::default(), |session| in_a_burst(session, traffic)) {
        if shown.apart {
            apart.insert(shown.metric);
        } else {
            if shown.metric != SPEED {
                mismatches.extend(mismatch(&shown, by_manual(&shown, traffic), ROUNDING));
            }
            exact.insert(shown.metric);
        }
    }
    let all: BTreeSet<String> = metrics(traffic).into_iter().collect();
    println!("{} of {} metrics are exact", exact.len() - 1, all.len());
    assert_none(&mismatches);
    assert_eq!(&exact | &apart, all);
    assert!(apart.len() * 5 < all.len(), "{apart:?}");
}

/// All events of the overview count at once, all of the time.
fn overview_is_exact(session: &mut Session, traffic: Traffic) {
    let overview = overview(traffic.packages);
    let (_, all) = intervals(session, &format!("-- burst {}", traffic.uclk)).remove(0);
    let (mut seen, mut mismatches) = (BTreeSet::new(), Vec::new());
    for shown in all {
        let of_kind =
            |metric: &&Metric| shown.metric == format!("{}.{}", metric.box_type, metric.name);
        let metric = overview.iter().find(of_kind).expect("a metric");
        assert!(!shown.apart && shown.counted >= 1.0, "{}", shown.metric);
        let value = of_overview(&shown, metric, traffic);
        mismatches.extend(mismatch(&shown, value, ROUNDING));
        seen.insert((shown.metric, shown.package));
    }
    assert_none(&mismatches);
    let swept: BTreeSet<_> = BoxKind::all().map(BoxKind::unit).collect();
    let expected = overview.iter();
    let expected = expected.filter(|metric| swept.contains(metric.box_type.as_str()));
    let expected = expected.count() * usize::from(traffic.packages);
    assert_eq!(seen.len(), expected, "{seen:?}");
}

#[test]
fn the_overview_of_four_packages_is_exact() {
    let config = Config::default().with("packages", "4").with("cores", "1");
    on_new(&config, |session| {
        let traffic = Traffic {
            packages: 4,
            ..Traffic::of(BURST)
        };
        overview_is_exact(session, traffic);
    });
}

#[test]
fn the_overview_of_a_burst_is_exact() {
    on(&Config::default(), |session| {
        overview_is_exact(session, Traffic::of(BURST));
        let text = session.ok(&format!("uncore stat -- burst {BURST}"));
        for package in Platform::packages() {
            assert!(text.contains(&format!("\nsocket {package} ")), "{text}");
        }
        assert!(
            text.contains("  memory ") && text.contains("  llc "),
            "{text}"
        );
    });
}

/// Events with perf's options: of one box or of all, of each socket or of the machine.
#[test]
fn events_of_the_user_are_counted() {
    let channels = Shape::of(&Config::default()).boxes(BoxKind::Imc, 0);
    let read = |package: u8| -> u64 {
        let channels = (0..channels).map(|channel| Probe::imc(channel, "cas_count.rd"));
        channels.map(|probe| 64 * probe.count(package, BURST)).sum()
    };
    let clock = Probe::cbox(1, "clockticks").count(0, BURST);
    on(&Config::default(), |session| {
        let mut values = |options: &str| -> Vec<u64> {
            let events = "-e imc/cas_count.rd/,cbox_1/event=0/";
            let line = session.ok(&format!(
                "uncore stat {events} {options} -j -- burst {BURST}"
            ));
            let line: Value = serde_json::from_str(&line).expect("a line of JSON");
            let all = line["metrics"].as_array().expect("metrics").iter();
            all.map(|metric| rounded(&metric["value"])).collect()
        };
        let sockets = [read(0), read(1), clock, clock];
        assert_eq!(values("--per-socket"), sockets);
        assert_eq!(values(""), [read(0) + read(1), 2 * clock]);
        assert_eq!(values("-C 3"), [read(1), clock]);
    });
}

/// A count that the tool shows as a number with a point.
fn rounded(value: &Value) -> u64 {
    let value = value.as_f64().expect("a number");
    assert!(value.fract() == 0.0 && value >= 0.0, "{value}");
    format!("{value:.0}").parse().expect("a whole number")
}

#[test]
fn metrics_whose_terms_take_turns_are_about_right() {
    let all = on(&Config::default(), |session| {
        in_a_burst(session, Traffic::of(BURST))
    });
    let apart = all.into_iter().filter(|shown| shown.apart);
    let in_turns: BTreeSet<String> = apart.map(|shown| shown.metric).collect();
    on(&free_running(), |session| {
        let (mut seen, mut mismatches) = (BTreeSet::new(), Vec::new());
        let mut expect = |metrics: &[&str], tolerance: f64| {
            let arguments = format!(
                "-M {} -I 1s --interval-count {INTERVALS}",
                metrics.join(",")
            );
            let intervals = session.in_long_turns(|session| intervals(session, &arguments));
            let traffic = Traffic {
                seconds: Some(estimate(LONG) / UCLK_HZ),
                ..Traffic::of(LONG)
            };
            for shown in middle(intervals) {
                mismatches.extend(mismatch(&shown, by_manual(&shown, traffic), tolerance));
                seen.insert((shown.metric, shown.package));
            }
        };
        for round in one_of_each_kind(in_turns.iter().map(String::as_str)) {
            expect(&round, TURNS);
        }
        expect(&[SPEED], CLOCK);
        assert_none(&mismatches);
        let metrics = in_turns.len() + 1;
        assert_eq!(seen.len(), usize::from(PACKAGES) * metrics, "{seen:?}");
    });
}

/// Returns each value of the middle interval, since the emulator may stand still in one
/// interval. Amounts, which grow with time, are converted to the time of `LONG`.
fn middle(intervals: Vec<(f64, Vec<Shown>)>) -> Vec<Shown> {
    let mut by_box: BTreeMap<(String, u8, u8), Vec<Shown>> = BTreeMap::new();
    for (seconds, all) in intervals {
        for shown in all {
            let scale = if AMOUNTS.contains(&&*shown.unit) {
                estimate(LONG) / UCLK_HZ / seconds
            } else {
                1.0
            };
            let value = shown.value.map(|value| value * scale);
            let key = (shown.metric.clone(), shown.instance, shown.package);
            by_box
                .entry(key)
                .or_default()
                .push(Shown { value, ..shown });
        }
    }
    let middle = by_box.into_values().map(|mut all| {
        all.sort_by(|a, b| a.value.partial_cmp(&b.value).expect("numbers"));
        all.swap_remove(all.len() / 2)
    });
    middle.collect()
}

#[test]
fn a_file_has_every_interval_that_was_over() {
    on(&free_running(), |session| {
        session.ok("uncore stat -M imc.mem_bw_reads -I 300 -j -o /tmp/stat & \
                    pid=$!; while [ \"$(grep -c . /tmp/stat)\" != 3 ]; do sleep 0.1; done; \
                    kill -KILL $pid; wait $pid; [ $? = 137 ]");
        let killed = session.ok("cat /tmp/stat");
        assert_eq!(lines(&killed), killed.lines().count(), "{killed}");
        // An interrupt ends the interval it comes in.
        session.ok("uncore stat -M imc.mem_bw_reads -I 10m -j -o /tmp/last & \
             pid=$!; while ! [ -e /tmp/last ]; do sleep 0.1; done; sleep 1; \
             kill -INT $pid; wait $pid");
        assert_eq!(lines(&session.ok("cat /tmp/last")), 1);
    });
}

#[test]
fn a_command_may_run_on_all_processors() {
    on(&free_running(), |session| {
        let list = "grep Cpus_allowed_list /proc/self/status";
        let alone = session.ok(list);
        let counted = session.ok(&format!("uncore stat -M imc -o /dev/null -- {list}"));
        assert_eq!(counted, alone);
    });
}

/// Returns the number of whole lines.
fn lines(text: &str) -> usize {
    let whole = text.lines().map(serde_json::from_str::<Value>);
    whole.flatten().count()
}

/// Returns the number of interrupts that CPUs have sent to others, to call a function and to
/// schedule, in a table of `/proc/interrupts`.
fn between_cpus(table: &str) -> u64 {
    let rows = table
        .lines()
        .filter_map(|row| row.trim().split_once(':'))
        .filter(|(name, _)| ["CAL", "RES"].contains(name));
    rows.flat_map(|(_, row)| row.split_whitespace().map_while(|n| n.parse::<u64>().ok()))
        .sum()
}

#[test]
fn an_interval_interrupts_a_package_less_than_once_for_each_box() {
    const FEW: u64 = 1;
    const MANY: u64 = 21;
    let shape = Shape::of(&Config::default());
    let boxes = |kind: BoxKind| u64::from(shape.boxes(kind, 1));
    let overview = overview(PACKAGES);
    let counted = BoxKind::all().filter(|kind| {
        let mut metrics = overview.iter();
        metrics.any(|metric| metric.box_type == kind.unit())
    });
    let counted: u64 = counted.map(boxes).sum();
    on(&Config::default(), |session| {
        let mut of = |intervals: u64| {
            let table = "cat /proc/interrupts";
            let before = between_cpus(&session.ok(table));
            // A group on each of these boxes, in both packages.
            session.ok(&format!(
                "taskset 1 uncore stat -j -I 100 --interval-count {intervals}"
            ));
            between_cpus(&session.ok(table)) - before
        };
        let [few, many] = [FEW, MANY].map(&mut of);
        let each = many.saturating_sub(few) / (MANY - FEW);
        println!("{few} with {FEW} intervals, {many} with {MANY}: {each} each");
        assert!(each < counted, "{each} interrupts for {counted} boxes");
    });
}
