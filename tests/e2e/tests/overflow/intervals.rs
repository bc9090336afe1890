// SPDX-License-Identifier: GPL-2.0

//! Intervals: at the end of each interval of an event, a tracepoint reports the counts of
//! all events of the package.

use crate::overflow::{by_interrupt, without_unknown_nmis, PACKAGES};
use uncore_e2e::perf::Table;
use uncore_e2e::prelude::*;

platforms!(; e5);

/// Reads of memory in an interval.
const INTERVAL: u64 = 100_000;

const UCLK: u64 = 20_000_000;

/// Cycles of uclk from an overflow to the freeze of the other boxes.
const FREEZE_DELAY: u64 = 16;

/// One line of `perf script`.
struct Snapshot {
    package: u8,
    count: u64,
    all: Vec<(String, u64)>,
}

impl Snapshot {
    fn parse(line: &str) -> Option<Self> {
        let (_, fields) = line.split_once("uncore_rs:interval: ")?;
        let (fields, all) = fields.split_once(" all=")?;
        let field = |name: &str| {
            let mut words = fields.split(' ');
            let value = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value?.parse().ok()
        };
        let event = |word: &str| {
            let (event, count) = word.rsplit_once('=')?;
            Some((event.to_owned(), count.parse().ok()?))
        };
        Some(Self {
            package: u8::try_from(field("package")?).ok()?,
            count: field("count")?,
            all: all.split_whitespace().map(event).collect::<Option<_>>()?,
        })
    }

    /// Returns the count of an event.
    fn of(&self, probe: &Probe) -> u64 {
        let name = probe.kind.box_name(probe.instance);
        let config = probe.words().0[0];
        let wanted = format!("{name}/{config:#x}/");
        let found = self.all.iter().find(|(event, _)| *event == wanted);
        found
            .unwrap_or_else(|| panic!("no {wanted}: {:?}", self.all))
            .1
    }
}

/// Returns the event with the interval (reads), two other events of the same box, and one
/// of another box.
fn events() -> [Probe; 4] {
    [
        Probe::imc(0, "cas_count.rd"),
        Probe::imc(0, "cas_count.wr"),
        Probe::imc(0, "clockticks"),
        Probe::imc(5, "cas_count.rd"),
    ]
}

/// Returns the cycles of uclk in which dclk has `dclk` cycles.
fn uclk(dclk: u64) -> u64 {
    (dclk * 18).div_ceil(7)
}

/// Returns perf's table and the snapshots of one burst.
fn record(session: &mut Session) -> (Table, Vec<Snapshot>) {
    let mut stat = Stat::of(format!("perf-open 'machine burst-through {UCLK}' settle"));
    stat = stat.option("--per-socket");
    for (index, probe) in events().iter().enumerate() {
        let interval = if index == 0 { INTERVAL } else { 0 };
        let event = probe.event().to_string();
        let event = event.trim_end_matches('/');
        let interval = match interval {
            0 => String::new(),
            _ => format!(",interval={interval}"),
        };
        stat = stat.typed(&format!("{event}{interval},name=event{index}/"));
    }
    let output = session.run(&format!(
        "perf record -q -a -o /tmp/intervals -e uncore_rs:interval -- {}",
        stat.json()
    ));
    assert_eq!(output.status, 0, "{}", output.stderr);
    let table = Table::parse(&output.stderr).unwrap_or_else(|error| panic!("{error}"));
    let script = session.ok("perf script -i /tmp/intervals && rm /tmp/intervals");
    let snapshots = script.lines().map(|line| {
        let snapshot = Snapshot::parse(line);
        snapshot.unwrap_or_else(|| panic!("`{line}` is no snapshot"))
    });
    (table, snapshots.collect())
}

#[test]
fn intervals_sum_up_to_the_count() {
    without_unknown_nmis(&by_interrupt(), |session| {
        let (table, snapshots) = record(session);
        let reads = &events()[0];
        for package in PACKAGES {
            let total = reads.count(package, UCLK);
            let line = table.at("event0", Place::Socket(package)).expect("a line");
            assert_eq!(reads.exact(line), Some(total), "package {package}");
            let mut counts: Vec<u64> = snapshots
                .iter()
                .filter(|snapshot| snapshot.package == package)
                .map(|snapshot| snapshot.count)
                .collect();
            counts.sort_unstable();
            let ends: Vec<u64> = (1..=total / INTERVAL).map(|n| n * INTERVAL).collect();
            assert_eq!(counts, ends, "package {package}");
        }
    });
}

/// All counters are frozen while they are read: those of the same box from the cycle that
/// ended the interval, others from a fixed time later.
#[test]
fn each_snapshot_is_of_one_moment() {
    without_unknown_nmis(&by_interrupt(), |session| {
        let (_, snapshots) = record(session);
        let [reads, writes, clock, elsewhere] = events();
        assert!(snapshots.len() > 10, "{} snapshots", snapshots.len());
        for snapshot in &snapshots {
            let package = snapshot.package;
            let at = uclk(snapshot.of(&clock));
            assert_eq!(snapshot.of(&reads), snapshot.count);
            assert_eq!(reads.count(package, at), snapshot.count);
            assert_eq!(writes.count(package, at), snapshot.of(&writes));
            // The other box counted for a moment longer at each end of an interval.
            let freezes = snapshot.count / INTERVAL;
            let latest = at + freezes * (FREEZE_DELAY + 1);
            let seen = snapshot.of(&elsewhere);
            let earliest = elsewhere.count(package, at);
            let latest = elsewhere.count(package, latest);
            assert!(
                (earliest..=latest).contains(&seen),
                "{seen} is not from {earliest} to {latest}"
            );
        }
    });
}
