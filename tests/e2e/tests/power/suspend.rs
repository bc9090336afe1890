// SPDX-License-Identifier: GPL-2.0

//! Suspend to RAM (ACPI state S3), in which the machine forgets its registers, and suspend
//! to idle, in which it does not.

use crate::power::{clock, new_log, pair, probes, Events, BURST, CPUS};
use uncore_e2e::perf::Table;
use uncore_e2e::prelude::*;

platforms!(; client e7);

/// Messages of the kernel when it has slept.
const SLEPT_IN_RAM: &str = "Waking up from system sleep state S3";
const SLEPT_IDLE: &str = "suspend entry (s2idle)";

fn sleeping() -> Config {
    Config::default().with("sleep", "on")
}

#[test]
fn counts_go_on_after_suspend_to_ram() {
    on(&sleeping(), |session| {
        new_log(session);
        let events = Events::new();
        let answers = session.perf_open(&events.around("run suspend mem"));
        events.have_counted(&answers, [2, 1]);
        assert!(new_log(session).contains(SLEPT_IN_RAM));
        session.counts(BURST, Platform::packages(), &Wanted::all(probes()));
    });
}

#[test]
fn perf_stat_goes_on_through_suspend_to_ram() {
    const FILE: &str = "/tmp/stat";
    on(&sleeping(), |session| {
        let probe = pair()[0].clone();
        let bursts = format!("sh -c 'burst {BURST}; suspend mem; burst {BURST}'");
        let stat = Stat::of(bursts).option(&format!("-I 100 --per-socket -o {FILE}"));
        session.ok(&stat.event(&probe.event().named("event")).json());
        let text = session.ok(&format!("cat {FILE} && rm {FILE}"));
        let table = Table::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        for (&package, bursts) in Platform::packages().iter().zip([2, 1]) {
            let lines = table.of("event");
            let here = lines.filter(|line| line.place == Place::Socket(package));
            let counts = here.filter_map(|line| probe.exact(line));
            let expected = bursts * probe.count(package, BURST);
            assert_eq!(counts.sum::<u64>(), expected, "package {package}: {text}");
        }
    });
}

/// The machine's clock stands still while it sleeps. So a counter that runs all the time
/// has counted this clock at most.
#[test]
fn nothing_is_counted_while_the_machine_sleeps() {
    on(&sleeping().with("free-run", "on"), |session| {
        let answers = session.perf_open(&[
            "machine clock",
            &clock().open("event", CPUS[0]),
            "read event",
            "run suspend mem",
            "read event",
            "pause 10000",
            "read event",
            "machine clock",
        ]);
        let clock = |line: &String| line.split(' ').next()?.parse::<u64>().ok();
        let clocks: Vec<u64> = answers.iter().filter_map(clock).collect();
        let counts: Vec<u64> = reads(&answers, "event").into_iter().flatten().collect();
        assert!(counts.is_sorted() && counts[1] < counts[2], "{answers:?}");
        assert!(counts[2] <= clocks[1] - clocks[0], "{answers:?}");
    });
}

#[test]
fn counts_go_on_after_suspend_to_idle() {
    on(&Config::default(), |session| {
        new_log(session);
        session.ok("insmod /lib/modules/wake_up.ko");
        let events = Events::new();
        let answers = session.perf_open(&events.around("run suspend freeze"));
        events.have_counted(&answers, [2, 2]);
        session.ok("rmmod wake_up");
        assert!(new_log(session).contains(SLEPT_IDLE));
    });
}
