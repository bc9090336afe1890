// SPDX-License-Identifier: GPL-2.0

//! Search of a kernel log for messages that mean that something went wrong.
//!
//! Each message is searched for [`SIGNS`]; a hit is reported with the messages that
//! follow it, up to the end of the trace. Some messages look alike but are harmless:
//!
//! - "INFO: NMI handler (...) took too long to run", "perf: interrupt took too
//!   long": the emulated processors are preempted by the host.
//! - the stack traces of [`FOLLOWS`], once a test has asked for failing allocations: then
//!   an allocation of the kernel itself may fail, for the loading of a module say.
//! - "NMI watchdog: ...", "Marking clocksource ... unstable": preemption by the host,
//!   too.
//! - data races in which neither of our modules takes part, and [`BENIGN`] ones: the
//!   kernel has some of its own.

/// Words that only appear when something is wrong.
const SIGNS: [&str; 32] = [
    "WARNING: ",
    "BUG: ",
    "BUG kmalloc",
    "kernel BUG at",
    "Oops",
    "Kernel panic",
    "Call Trace:",
    "general protection fault",
    "unable to handle",
    "divide error",
    "invalid opcode",
    "double fault",
    "stack segment",
    "unchecked MSR access",
    "KASAN:",
    "UBSAN:",
    "KFENCE:",
    "KCSAN:",
    "ODEBUG:",
    "possible circular locking",
    "possible recursive locking",
    "possible irq lock inversion",
    "suspicious RCU usage",
    "scheduling while atomic",
    "new suspected memory leaks",
    "refcount_t:",
    "list_add corruption",
    "list_del corruption",
    "for unknown reason",
    "blocked for more than",
    "detected stalls",
    "nobody cared",
];

/// Largest number of messages that are reported with a hit.
const REPORT: usize = 60;

/// Message that the guest's tools log before they make allocations fail.
const ASKED: &str = "FAULT_INJECTION: asked for";

/// First words of a trace that failing allocations cause; the second are from the
/// definition of a module's tracepoints.
const FOLLOWS: [&str; 2] = ["vmalloc error: ", " at event_define_fields+"];

/// First words of a report of the data race detector (KCSAN).
const RACE: &str = "BUG: KCSAN: ";

/// Last line of such a report.
const RACE_END: &str = "==========";

/// Function of the kernel that races with each reader of the time. The race is benign: a
/// reader checks a sequence number and repeats its read.
const BENIGN: &str = "timekeeping_update_from_shadow";

/// Follows each function of our modules in a trace.
const OUR_MODULES: &str = "[uncore_rs";

/// Ends a trace.
const TRACE_END: &str = "</TASK>";

/// Ends a report.
const REPORT_END: &str = "---[ end ";

/// Returns the messages that say that something went wrong, each with the messages that
/// belong to it.
pub(crate) fn splats<'a>(log: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let lines: Vec<&str> = log.into_iter().collect();
    let mut found = Vec::new();
    let mut belong = 0;
    let (mut asked, mut harmless) = (false, false);
    for line in without_races_of_others(&lines) {
        let message = message(line);
        asked |= message.contains(ASKED);
        harmless |= asked && FOLLOWS.iter().any(|words| message.contains(words));
        harmless &= !message.contains(TRACE_END);
        if !harmless && SIGNS.iter().any(|sign| message.contains(sign)) {
            belong = REPORT;
        }
        if belong > 0 {
            found.push(line.to_owned());
            belong -= 1;
        }
        if message.contains(REPORT_END) {
            belong = 0;
        }
    }
    found
}

/// Removes the reports of data races in which no function of ours takes part.
fn without_races_of_others<'a>(mut lines: &[&'a str]) -> Vec<&'a str> {
    let mut rest = Vec::new();
    while let Some((line, after)) = lines.split_first() {
        lines = after;
        if message(line).starts_with(RACE) {
            let is_end = |line: &&str| message(line).starts_with(RACE_END);
            let length = after.iter().position(is_end).unwrap_or(after.len());
            let (report, others) = after.split_at(length);
            if !is_our_race(report) {
                lines = others;
                continue;
            }
        }
        rest.push(*line);
    }
    rest
}

/// Returns true if a report of a data race names a function of ours.
fn is_our_race(report: &[&str]) -> bool {
    let names = |what| report.iter().any(|line| line.contains(what));
    names(OUR_MODULES) && !names(BENIGN)
}

/// A line of the log without its time.
fn message(line: &str) -> &str {
    let rest = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "));
    rest.map_or(line, |(_, message)| message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(log: &str) -> Vec<String> {
        splats(log.lines())
    }

    #[test]
    fn each_sign_is_a_hit() {
        let real = [
            "WARNING: CPU: 0 PID: 1 at kernel/events/core.c:1 perf_pmu_register+0x1/0x2",
            "WARNING: possible circular locking dependency detected",
            "BUG: KASAN: slab-out-of-bounds in foo+0x1/0x2",
            "BUG: sleeping function called from invalid context at kernel/x.c:1",
            "BUG: unable to handle page fault for address: 0000000000001000",
            "BUG: soft lockup - CPU#1 stuck for 22s! [perf:77]",
            "Oops: general protection fault, kernel NULL pointer dereference [#1] SMP",
            "unchecked MSR access error: RDMSR from 0xd04 at rIP: 0xffffffffc0001000",
            "UBSAN: shift-out-of-bounds in drivers/x.c:1:2",
            "Uhhuh. NMI received for unknown reason 20 on CPU 1.",
            "kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
            "INFO: task perf:77 blocked for more than 120 seconds.",
            "rcu: INFO: rcu_sched detected stalls on CPUs/tasks: { 1 }",
            "Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100",
            "ODEBUG: free active (active state 0) object: 0 object type: hrtimer",
            "irq 16: nobody cared (try booting with the \"irqpoll\" option)",
            "refcount_t: underflow; use-after-free.",
        ];
        for line in real {
            assert_eq!(hits(&format!("[    1.234567] {line}")).len(), 1, "{line}");
            assert_eq!(
                hits(&format!("[    1.234567][   T77] {line}")).len(),
                1,
                "{line}"
            );
        }
    }

    #[test]
    fn ordinary_messages_are_none() {
        let log = "\
[    0.000000] Linux version 7.3.4
[    0.100000] Performance Events: IvyBridge events, 16-deep LBR, Intel PMU driver.
[    0.200000] INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.2 msecs
[    0.300000] perf: interrupt took too long (2501 > 2500), lowering rate
[    0.400000] kmemleak: Kernel memory leak detector initialized (mem pool available: 4000)
[    0.500000] clocksource: Marking clocksource 'tsc' as unstable because of skew
[    0.600000] debugfs: ready
[    0.700000]     KTAP version 1";
        assert_eq!(hits(log), Vec::<String>::new());
    }

    #[test]
    fn a_hit_brings_its_trace_and_no_more() {
        let log = "\
[    1.000000] fine
[    2.000000] WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2
[    2.000001] Call Trace:
[    2.000002]  <TASK>
[    2.000003]  f+0x1/0x2
[    2.000004]  </TASK>
[    2.000005] ---[ end trace 0000000000000000 ]---
[    3.000000] fine again";
        let found = hits(log);
        assert_eq!(found.len(), 6);
        assert!(found[0].contains("WARNING") && found[5].contains("end trace"));
    }

    #[test]
    fn races_count_if_we_have_a_part_in_them() {
        let report = |function: &str| {
            format!(
                "\
[    1.000000] ==================================================================
[    1.000001] BUG: KCSAN: data-race in f / g
[    1.000002] read to 0xffff888000000000 of 8 bytes by task 1 on cpu 0:
[    1.000003]  {function}
[    1.000004] ==================================================================
[    1.000005] BUG: unable to handle page fault for address: 0000000000001000"
            )
        };
        assert!(hits(&report("f+0x1/0x2 [uncore_rs]"))[0].contains("KCSAN"));
        let others = [
            "f+0x1/0x2 [msr]",
            "timekeeping_update_from_shadow+0x1/0x2\n f+0x1/0x2 [uncore_rs]",
        ];
        for other in others {
            let hits = hits(&report(other));
            assert!(hits.len() == 1 && hits[0].contains("unable"), "{hits:?}");
        }
    }

    #[test]
    fn memory_that_cannot_be_had_is_harmless_where_it_was_asked_for() {
        let real = "\
[    2.000000] insmod: vmalloc error: size 4096, failed to allocate pages, mode:0xcc0
[    2.000001] Call Trace:
[    2.000002]  <TASK>
[    2.000003]  </TASK>";
        assert_eq!(hits(real).len(), 3);
        let asked = format!("[    1.000000] FAULT_INJECTION: asked for\n{real}");
        assert_eq!(hits(&asked), Vec::<String>::new());
        let later = format!("{asked}\n[    3.000000] Call Trace:");
        assert_eq!(hits(&later), ["[    3.000000] Call Trace:"]);
    }
}
