// SPDX-License-Identifier: GPL-2.0

//! `uncore stat` counts what it was asked to, at once and all of the time, writes each interval that
//! was over, and costs other users little. What its metrics mean is tested on the host
//! (`tools/uncore-metrics/tests`).

use super::free_running;
use serde_json::Value;
use std::collections::BTreeSet;
use uncore_e2e::prelude::*;

platforms!(; e5 polled);

const BURST: u64 = 1_000_000;

/// Returns what the tool shows of one interval in a burst, a value of JSON for each metric.
fn in_a_burst(session: &mut Session, options: &str) -> Vec<Value> {
    let line = session.ok(&format!("uncore stat {options} -j -- burst {BURST}"));
    let line: Value = serde_json::from_str(&line).expect("a line of JSON");
    line["metrics"].as_array().expect("metrics").clone()
}

/// Returns the number of boxes that the overview counts in a package, and checks that all its events
/// count at once, all of the time.
fn boxes_of_overview(session: &mut Session, package: u8) -> usize {
    let mut boxes = BTreeSet::new();
    for metric in in_a_burst(session, "-A") {
        let at_once = metric["apart"] == false && metric["counted"].as_f64() >= Some(1.0);
        assert!(at_once && metric["value"].is_number(), "{metric}");
        if metric["package"] == package {
            boxes.insert(metric["box"].to_string());
        }
    }
    boxes.len()
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
            let all = in_a_burst(session, &format!("{events} {options}"));
            all.iter().map(|metric| rounded(&metric["value"])).collect()
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
fn a_file_has_every_interval_that_was_over() {
    on(&free_running(), |session| {
        session.ok(
            "uncore stat -M imc.mem_bw_reads -I 300ms -j -o /tmp/stat & \
                    pid=$!; until [ \"$(grep -c . /tmp/stat)\" -ge 3 ]; do sleep 0.1; done; \
                    kill -KILL $pid; wait $pid; [ $? = 137 ]",
        );
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
    on(&Config::default(), |session| {
        let counted = u64::try_from(boxes_of_overview(session, 1)).expect("few");
        assert!(counted > 10, "{counted}");
        let mut of = |intervals: u64| {
            let table = "cat /proc/interrupts";
            let before = between_cpus(&session.ok(table));
            // A group on each of these boxes, in both packages.
            session.ok(&format!(
                "taskset 1 uncore stat -j -I 100ms --interval-count {intervals}"
            ));
            between_cpus(&session.ok(table)) - before
        };
        let [few, many] = [FEW, MANY].map(&mut of);
        let each = many.saturating_sub(few) / (MANY - FEW);
        println!("{few} with {FEW} intervals, {many} with {MANY}: {each} each");
        assert!(each < counted, "{each} interrupts for {counted} boxes");
    });
}
