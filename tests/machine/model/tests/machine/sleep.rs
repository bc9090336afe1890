// SPDX-License-Identifier: GPL-2.0

//! A sleep without power: every register is as after reset afterwards.

use crate::bench::{uncore, Bench, EN, FULL_48, IRP, UNFRZ_ALL};

/// A counter of a C-Box, of a memory channel and of the IRP run; the UBox has overflowed
/// and has frozen the package.
fn busy() -> Bench {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN);
    bench.wr(0, 0xd14, 0x1f);
    bench.set(uncore(16, 4), 0xd8, EN as u32);
    bench.set(IRP, 0xd8, EN as u32);
    bench.arm(0, 100);
    bench.wr(0, 0xc00, UNFRZ_ALL | 0b10);
    bench.machine.burst(1000);
    assert!(bench.command("state").contains("frozen"));
    bench
}

#[test]
fn every_register_is_at_its_reset_value() {
    let mut bench = busy();
    bench.machine.lose_power();
    assert_eq!(bench.command("state"), Bench::usual().command("state"));
    assert_eq!(bench.rd(0, 0xd16), 0);
    assert_eq!(bench.rd(0, 0x3fc), 0);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xd16), 0, "no counter is enabled");
    bench.assert_clean();
}

#[test]
fn firmware_names_the_packages_again() {
    let mut bench = Bench::new("numc=5:6,nodes=3:2");
    let names = |bench: &mut Bench| {
        let at = uncore(11, 0);
        (bench.rd(0, 0xc06), bench.rd(1, 0xc06), bench.cfg(at, 0x40))
    };
    let before = names(&mut bench);
    bench.wr(0, 0xc06, 1);
    bench.machine.lose_power();
    assert_eq!(names(&mut bench), before);
}

#[test]
fn interrupts_on_their_way_are_lost() {
    let mut bench = busy();
    bench.machine.take_interrupts();
    bench.command("pmi delay 500");
    bench.wr(0, 0xc01, 1);
    bench.wr(0, 0xc15, 1);
    bench.wr(0, 0xc09, FULL_48 - 100);
    bench.wr(0, 0xc00, UNFRZ_ALL | 0b10);
    bench.machine.burst(150);
    assert!(bench.command("interrupts").contains("waiting 1"));
    bench.machine.lose_power();
    bench.machine.burst(1000);
    assert_eq!(bench.machine.take_interrupts(), []);
}

#[test]
fn what_is_planted_stays() {
    let mut bench = Bench::usual();
    bench.command("hide 7f:10.4");
    bench.command("defect rate cbox 0 1/2");
    bench.machine.lose_power();
    assert_eq!(bench.cfg(uncore(16, 4), 0), u32::MAX);
    bench.wr(0, 0xd10, EN);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xd16), 500);
}

#[test]
fn free_running_time_goes_on_and_the_freeze_does_not() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    bench.wr(0, 0xd10, EN);
    bench.machine.advance(100);
    bench.wr(0, 0xc00, 1 << 31);
    bench.machine.advance(100);
    bench.machine.lose_power();
    bench.machine.advance(100);
    assert_eq!(bench.command("clock"), "300 100 0");
    bench.wr(0, 0xd10, EN);
    bench.machine.advance(7);
    assert_eq!(bench.rd(0, 0xd16), 7);
}
