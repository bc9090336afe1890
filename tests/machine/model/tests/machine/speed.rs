// SPDX-License-Identifier: GPL-2.0

//! Costs that must not depend on the length of a burst. The bounds are wide:
//! they fail when something walks through cycles or transactions.

use std::time::Duration;

use crate::bench::{uncore, Bench};

/// All conditions at once on every TOR counter of 15 C-Boxes and every packet
/// counter of two ports, and every channel counting with overflow enabled.
fn busy_machine() -> Bench {
    let mut bench = Bench::new("cores=15");
    for package in 0..2 {
        for cbox in 0..15 {
            let base = 0xd00 + 0x20 * cbox;
            bench.wr(package, base + 0x14, 0x3f << 17 | 0x1d);
            bench.wr(package, base + 0x1a, 3 << 30 | 0x1e6 << 20 | 0xfff0);
            for counter in 0..2 {
                bench.wr(package, base + 0x10 + counter, 1 << 22 | 1 << 19 | 0xc335);
            }
            bench.wr(package, base + 0x12, 1 << 22 | 0xff1b);
        }
    }
    for device in [8, 9] {
        for (offset, word) in [
            (0x228, 0x3_fd78),
            (0x22c, 0),
            (0x238, 0x3_fff8),
            (0x23c, 0xf_0000),
        ] {
            bench.set(uncore(device, 6), offset, word);
        }
        for counter in 0..4 {
            let control = 1 << 22 | 1 << 20 | 1 << 21 | 0x38;
            bench.set(uncore(device, 2), 0xd8 + 4 * counter, control);
        }
    }
    for function in [4, 5, 0, 1] {
        for counter in 0..4 {
            let control = 1 << 22 | 1 << 20 | 0xff83;
            bench.set(uncore(16, function), 0xd8 + 4 * counter, control);
        }
    }
    bench
}

/// Returns the processor time of an action, whatever else the computer does meanwhile.
fn time(action: impl FnOnce()) -> Duration {
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
        let (ns, _) = text.split_once(' ').expect("fields");
        Duration::from_nanos(ns.parse().expect("nanoseconds"))
    };
    let start = spent();
    action();
    spent().saturating_sub(start)
}

#[test]
fn a_burst_of_2_to_the_44_is_as_quick_as_a_million() {
    let mut bench = busy_machine();
    bench.machine.burst(1_000_000);
    let short = time(|| bench.machine.burst(1_000_000));
    let long = time(|| bench.machine.burst(1 << 44));
    assert!(
        long < short * 20 + Duration::from_millis(200),
        "{short:?} and {long:?}"
    );
    assert!(bench.rd(0, 0xd16) > 0, "something passed all filters");
}

#[test]
fn register_accesses_are_quick_while_time_runs() {
    let mut bench = busy_machine();
    bench.command("free-run on");
    bench.machine.advance(1_000_000);
    let rounds = 20_000;
    let spent = time(|| {
        for _ in 0..rounds {
            bench.machine.advance(2400);
            bench.rd(0, 0xc01);
            bench.rd(0, 0xd18);
            bench.cfg(uncore(16, 4), 0xa0);
        }
    });
    assert!(spent < rounds * Duration::from_micros(100), "{spent:?}");
}
