// SPDX-License-Identifier: GPL-2.0

//! The enable of all counters is a level, and a sleep of the package loses it.

use super::{usual, CONTROL, EN, FIXED_CTR, FIXED_CTRL, GLOBAL_EN};
use crate::bench::Bench;

/// ARB request counters and the fixed counter are enabled, but the package is not.
fn prepared() -> Bench {
    let mut bench = usual();
    bench.wr(0, FIXED_CTRL, EN);
    bench.wr(0, 0x3b2, EN | 0x0181);
    bench.wr(0, 0x700, EN | 0x8f34);
    bench
}

/// The fixed counter, ARB counter 0 and counter 0 of C-Box 0.
fn counters(bench: &mut Bench) -> [u64; 3] {
    [FIXED_CTR, 0x3b0, 0x706].map(|msr| bench.rd(0, msr))
}

#[test]
fn nothing_counts_without_the_level() {
    let mut bench = prepared();
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), [0; 3]);
    bench.wr(0, CONTROL, GLOBAL_EN);
    bench.machine.burst(1000);
    let once = counters(&mut bench);
    assert!(once[0] == 1000 && once[1] > 0 && once[2] > 0, "{once:?}");
    bench.wr(0, CONTROL, 0xf);
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), once, "other bits are no enable");
    assert_eq!(bench.rd(0, CONTROL), 0xf);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), once.map(|count| 2 * count));
    bench.assert_clean();
}

#[test]
fn a_counter_needs_its_own_enable() {
    let mut bench = prepared();
    bench.wr(0, CONTROL, GLOBAL_EN);
    bench.wr(0, FIXED_CTRL, 1 << 20);
    bench.wr(0, 0x3b2, 0x0181);
    bench.wr(0, 0x700, 0);
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), [0; 3]);
    bench.assert_clean();
}

#[test]
fn a_sleep_of_the_package_loses_the_level_only() {
    let mut bench = prepared();
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.machine.burst(1000);
    let before = counters(&mut bench);
    bench.command("lose-enable 0");
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench), before);
    assert_eq!(bench.rd(0, CONTROL), 0xf);
    assert_eq!(bench.rd(0, 0x3b2), EN | 0x0181);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.machine.burst(1000);
    assert_eq!(counters(&mut bench)[0], 2000);
    bench.assert_clean();
}

/// On the endless axis, what passed before the loss has been counted.
#[test]
fn free_running_time_ends_at_the_loss() {
    let mut bench = prepared();
    bench.command("free-run on");
    bench.wr(0, CONTROL, GLOBAL_EN);
    bench.machine.advance(700);
    bench.command("lose-enable 0");
    bench.machine.advance(300);
    assert_eq!(bench.rd(0, FIXED_CTR), 700);
    assert_eq!(bench.command("clock"), "1000 300");
    bench.wr(0, CONTROL, GLOBAL_EN);
    bench.machine.advance(50);
    assert_eq!(bench.rd(0, FIXED_CTR), 750);
}

#[test]
fn a_burst_through_waits_for_the_level() {
    let mut bench = prepared();
    bench.command("burst-through 1000");
    assert_eq!(bench.rd(0, FIXED_CTR), 0);
    assert_eq!(bench.command("burst-left"), "1000");
    bench.wr(0, CONTROL, GLOBAL_EN);
    assert_eq!(bench.rd(0, FIXED_CTR), 1000);
    assert_eq!(bench.command("burst-left"), "0");
}

#[test]
fn a_machine_without_level_cannot_lose_it() {
    let refused = |bench: &mut Bench, line: &str| {
        let error = bench.machine.command(line);
        error.expect_err("refused").to_string()
    };
    let mut other = Bench::new("platform=bdx");
    let no_level = "the machine has no level in package '0'";
    assert_eq!(refused(&mut other, "lose-enable 0"), no_level);
    let no_package = "the machine has no package '1'";
    assert_eq!(refused(&mut usual(), "lose-enable 1"), no_package);
}

#[test]
fn a_loss_of_power_resets_all() {
    let mut bench = prepared();
    let reset = usual().command("state");
    assert_eq!(
        reset, "package 0:\n",
        "a machine out of reset is not frozen"
    );
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.machine.burst(1000);
    assert!(bench
        .command("state")
        .contains("PERF_GLOBAL_CTRL 0x2000000f"));
    bench.machine.lose_power();
    assert_eq!(bench.command("state"), reset);
    bench.wr(0, FIXED_CTRL, EN);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, FIXED_CTR), 0);
    bench.assert_clean();
}
