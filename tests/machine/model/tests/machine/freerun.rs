// SPDX-License-Identifier: GPL-2.0

//! The free-running mode: time by `advance`, on one endless axis.

use crate::bench::{uncore, Bench, EN, FULL_48, OV_EN};

#[test]
fn time_flows_only_while_it_is_on() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN);
    assert!(!bench.machine.is_free_running());
    bench.machine.advance(1000);
    assert_eq!(bench.rd(0, 0xd16), 0);
    bench.command("free-run on");
    assert!(bench.machine.is_free_running());
    bench.machine.advance(1000);
    assert_eq!(bench.rd(0, 0xd16), 1000);
    bench.command("free-run off");
    bench.machine.advance(1000);
    assert_eq!(bench.rd(0, 0xd16), 1000);
}

#[test]
fn bursts_do_not_move_the_axis() {
    let mut bench = Bench::new("cores=4,traffic=burst");
    bench.wr(0, 0xd10, EN | 0x0102);
    bench.command("free-run on");
    bench.machine.advance(100_000);
    let first = bench.rd(0, 0xd16);
    bench.machine.burst(77_777);
    bench.wr(0, 0xd10, EN | 1 << 17 | 0x0102);
    bench.machine.advance(100_000);
    let second = bench.rd(0, 0xd16);
    let mut whole = Bench::usual();
    whole.wr(0, 0xd10, EN | 0x0102);
    whole.machine.burst(200_000);
    assert_eq!(whole.rd(0, 0xd16), first + second);
}

#[test]
fn changes_act_from_now_on() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    bench.wr(0, 0xd10, EN);
    bench.machine.advance(100);
    bench.wr(0, 0xd04, 0x30100);
    bench.machine.advance(100);
    assert_eq!(bench.rd(0, 0xd16), 100, "frozen by the box");
    bench.wr(0, 0xd04, 0x30000);
    bench.machine.advance(100);
    bench.wr(0, 0xc00, 1 << 31);
    bench.machine.advance(100);
    bench.wr(0, 0xc00, 1 << 29);
    bench.machine.advance(5);
    assert_eq!(bench.rd(0, 0xd16), 205, "frozen by the package");
    assert_eq!(bench.command("clock"), "405 100 0", "which stops no clock");
    bench.wr(0, 0xd10, 0);
    bench.machine.advance(100);
    bench.wr(0, 0xd10, EN);
    bench.machine.advance(1);
    assert_eq!(bench.rd(0, 0xd16), 206, "disabled");
}

#[test]
fn an_overflow_is_told_when_it_is_due() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    bench.machine.advance(123_456);
    let at = uncore(16, 4);
    bench.wr(0, 0xc00, 0b10);
    bench.wr(0, 0xd10, EN);
    bench.set(at, 0xf0, (EN | OV_EN) as u32);
    // 123,456 uclk are 48,010 dclk; 48,010 + 700 are reached by 125,255 uclk.
    bench.set_counter(at, 0xd0, FULL_48 - 700);
    let due = (48_710_u64 * 18).div_ceil(7) - 123_456;
    bench.machine.advance(due - 1);
    assert_eq!(bench.machine.take_interrupts(), []);
    assert_eq!(bench.rd(0, 0xc01), 0);
    bench.machine.advance(1);
    assert_eq!(bench.machine.take_interrupts().len(), 1);
    assert_eq!(bench.rd(0, 0xc01), 1 << 20);
    bench.machine.advance(1000);
    assert_eq!(bench.cfg_counter(at, 0xd0), 0);
    assert_eq!(bench.rd(0, 0xd16), due, "time stood still at the interrupt");
}

#[test]
fn a_late_look_finds_the_same() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    let at = uncore(16, 4);
    bench.wr(0, 0xd10, EN);
    bench.set(at, 0xf0, (EN | OV_EN) as u32);
    bench.set_counter(at, 0xd0, FULL_48 - 700);
    bench.machine.advance(1 << 40);
    assert_eq!(
        bench.rd(0, 0xd16),
        1800 + 16,
        "the freeze comes 16 cycles later"
    );
    assert_eq!(bench.cfg_counter(at, 0xd0), 0);
    assert_eq!(bench.cfg(at, 0xf8), 1);
}

#[test]
fn clearing_the_status_does_not_tell_an_old_overflow() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    bench.wr(0, 0xc00, 1);
    bench.wr(0, 0xc08, EN | OV_EN);
    bench.command("poke-msr 0 0xc01 1");
    bench.wr(0, 0xc09, FULL_48 - 10);
    bench.machine.advance(100);
    bench.wr(0, 0xc01, 1);
    bench.machine.advance(100);
    assert_eq!(bench.rd(0, 0xc09), 190, "it wrapped while the bit was set");
    assert_eq!(bench.rd(0, 0xc01), 0);
    assert_eq!(bench.machine.take_interrupts(), []);
}

#[test]
fn a_burst_in_free_running_mode_overflows_too() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    bench.wr(0, 0xc00, 1);
    bench.arm(0, 1000);
    bench.machine.advance(500);
    bench.machine.burst(499);
    assert_eq!(bench.machine.take_interrupts(), []);
    bench.machine.advance(1);
    assert_eq!(bench.machine.take_interrupts().len(), 1);
    assert_eq!(bench.rd(0, 0xc09), 0);
}

#[test]
fn a_late_interrupt_needs_time_to_pass() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    bench.command("pmi delay 1000");
    bench.wr(0, 0xc00, 1);
    bench.arm(0, 10);
    bench.machine.advance(10);
    bench.machine.advance(999);
    assert_eq!(bench.machine.take_interrupts(), []);
    bench.machine.advance(1);
    assert_eq!(bench.machine.take_interrupts().len(), 1);
}

#[test]
fn a_written_counter_counts_from_its_new_value() {
    let mut bench = Bench::usual();
    let at = uncore(14, 1);
    bench.command("free-run on");
    bench.wr(0, 0xd10, EN);
    bench.set(at, 0xd8, EN as u32);
    bench.machine.advance(100);
    bench.wr(0, 0xd16, 5);
    bench.set(at, 0xa0, 6);
    bench.machine.advance(10);
    assert_eq!(bench.rd(0, 0xd16), 15);
    assert_eq!(bench.cfg_counter(at, 0xa0), 16);
    bench.machine.advance(100);
    bench.command("preload 0 cbox_0 0 7");
    bench.command("poke-msr 0 0xc01 0");
    bench.machine.advance(10);
    assert_eq!(bench.rd(0, 0xd16), 17);
}

#[test]
fn a_freeze_in_a_burst_loses_no_free_running_time() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    bench.wr(0, 0xd10, EN);
    bench.machine.advance(500);
    bench.arm(0, 1000);
    bench.machine.burst(10_000);
    assert_eq!(bench.rd(0, 0xd16), 500 + 1000 + 16);
}

#[test]
fn every_way_to_arm_a_counter_is_noticed() {
    // The machine has looked ahead and found nothing; each of these changes that.
    let arm: [fn(&mut Bench); 5] = [
        |bench| bench.wr(0, 0xc09, FULL_48 - 10),
        |bench| bench.wr(0, 0xc08, EN | OV_EN),
        |bench| bench.wr(0, 0xc01, 1),
        |bench| bench.command("preload 0 ubox fixed 0xfffffffffff6").clear(),
        |bench| bench.command("poke-msr 0 0xc01 0").clear(),
    ];
    for (case, arm) in arm.into_iter().enumerate() {
        let mut bench = Bench::usual();
        bench.command("free-run on");
        if case != 1 {
            bench.wr(0, 0xc08, EN | OV_EN);
        }
        if matches!(case, 1 | 2 | 4) {
            bench.wr(0, 0xc09, FULL_48 - 10);
        }
        if matches!(case, 2 | 4) {
            bench.command("poke-msr 0 0xc01 1");
            bench.wr(0, 0xc08, 0);
            bench.machine.advance(1);
            bench.wr(0, 0xc08, EN | OV_EN);
        }
        bench.machine.advance(0);
        arm(&mut bench);
        bench.machine.advance(9);
        assert_eq!(bench.rd(0, 0xc01), 0, "case {case}");
        bench.machine.advance(1);
        assert_eq!(bench.rd(0, 0xc01), 1, "case {case}");
        assert_eq!(bench.rd(0, 0xc09), 0, "case {case}");
    }
}

#[test]
fn a_cleared_box_status_arms_again() {
    let mut bench = Bench::usual();
    let at = uncore(14, 1);
    bench.command("free-run on");
    bench.set(at, 0xd8, (EN | OV_EN) as u32);
    bench.command("poke-config 7f:0e.1 0xf8 1");
    bench.set_counter(at, 0xa0, FULL_48 - 100);
    bench.machine.advance(10);
    bench.set(at, 0xf8, 1);
    bench.machine.advance(1000);
    assert_eq!(bench.rd(0, 0xc01), 1 << 18);
}

#[test]
fn the_clock_tells_how_long_an_overflow_freezes() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    // The UBox's clock, 60 cycles before its overflow.
    bench.arm(0, 60);
    bench.machine.advance(100);
    assert_eq!(
        bench.command("clock"),
        "100 24 0",
        "16 cycles from overflow to freeze"
    );
    bench.machine.advance(100);
    assert_eq!(bench.command("clock"), "200 124 0");
    bench.wr(0, 0xc01, 1);
    bench.wr(0, 0xc00, 1 << 29);
    bench.machine.advance(50);
    assert_eq!(bench.command("clock"), "250 124 0");
}
