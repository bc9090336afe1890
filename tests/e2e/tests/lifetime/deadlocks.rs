// SPDX-License-Identifier: GPL-2.0

//! Unloading the driver waits for programs that open events. Such a program may wait for a
//! CPU that goes or comes, and that CPU calls the driver. None of the three may wait for
//! another in a circle.

use crate::lifetime::{samples, without_driver, BURST, LOAD};
use std::fmt::Write as _;
use std::time::Duration;
use uncore_e2e::prelude::*;

/// Command that mounts tracefs, where perf finds tracepoints.
const TRACEFS: &str = "mountpoint -q /sys/kernel/tracing || \
                       mount -t tracefs tracefs /sys/kernel/tracing";
/// Time of the guest in which the driver is loaded and unloaded, a few times.
const TIME: Duration = Duration::from_secs(12);
/// Time of the guest after which a step is taken to hang.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time after which a silent guest is given up.
const SILENCE: Duration = Duration::from_secs(90);
/// File in the guest with the actors' steps.
const PLAN: &str = "/tmp/plan";

/// The debug kernel records the order in which locks are taken, and complains about two
/// orders that form a circle, even if no program hangs.
#[test]
fn unloading_after_a_tracepoint_was_opened() {
    on(&without_driver(), |session| {
        session.ok(TRACEFS);
        for _ in 0..2 {
            session.ok(LOAD);
            session.ok("perf stat -a -e uncore_rs:interval -- true");
            let switch = |on| [2, 3].map(|cpu| switch(cpu, on)).join(" && ");
            session.ok(&switch(false));
            session.ok(&switch(true));
            session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
            session.ok(UNLOAD);
        }
    });
}

/// Opening the first event of a tracepoint waits until no CPU goes or comes.
#[test]
fn unloading_while_tracepoints_are_opened_and_cpus_go() {
    let usual = without_driver();
    let factor = usual.flavour.factor();
    let config = Config {
        timeout: Some(SILENCE * factor),
        ..usual
    };
    on_new(&config, |session| {
        session.ok(TRACEFS);
        session.ok(&format!(
            "cat > {PLAN} <<'END'\n{}END",
            plan(TIME * factor, PATIENCE * factor)
        ));
        let report = session.ok(&format!("storm < {PLAN}"));
        for what in ["unload", "tracepoint", "write"] {
            assert!(times(&report, what) > 0, "{what} in\n{report}");
        }
        restore(session);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}

/// Three actors for the guest's `storm`. Each takes its steps again and again.
fn plan(time: Duration, patience: Duration) -> String {
    let mut plan = format!(
        "for {}\npatience {}\n",
        time.as_millis(),
        patience.as_millis()
    );
    let mut actor = |name: &str, steps: &[String]| {
        let _ = writeln!(plan, "actor {name}\n{}", steps.join("\n"));
    };
    let write = |cpu, online| format!("write /sys/devices/system/cpu/cpu{cpu}/online {online}");
    let switches = [2, 3].map(|cpu| [write(cpu, 0), write(cpu, 1)]);
    actor("CPUs", &switches.concat());
    let opens = ["switch", "wakeup"].map(|name| format!("tracepoint sched/sched_{name} 1"));
    actor("program", &opens);
    let reload = [format!("load {MODULE}"), "unload uncore_rs".to_owned()];
    actor("loader", &reload);
    plan
}

/// Returns the number of times that `what` was done without an error.
fn times(report: &str, what: &str) -> u64 {
    let lines = report
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let done = lines.filter_map(|fields| match fields[..] {
        [_, deed, "done", times] if deed == what => times.parse::<u64>().ok(),
        _ => None,
    });
    done.sum()
}

/// Brings all CPUs and the driver back.
fn restore(session: &mut Session) {
    session.ok(&[2, 3].map(|cpu| switch(cpu, true)).join(" && "));
    session.ok(&format!("[ -e /sys/module/uncore_rs ] || {LOAD}"));
}
