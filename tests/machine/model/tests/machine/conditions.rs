// SPDX-License-Identifier: GPL-2.0

//! Conditions of real machines (Documentation/development/readings.rst): locked boxes, lost PMIs,
//! delays of the freeze.

use crate::bench::{uncore, Bench, EN, FULL_48, OV_EN, UNFRZ_ALL};

/// Clock of a memory channel.
const CLOCK: u32 = EN as u32;

#[test]
fn a_locked_box_ignores_writes() {
    let mut bench = Bench::usual();
    let channel = uncore(16, 4);
    bench.wr(0, 0xd14, 0x4_0001);
    bench.set(channel, 0xd8, CLOCK);
    bench.command("lock 0 cbox_0");
    bench.command("lock 0 imc_0");
    // Each would break a rule if it reached the register.
    bench.wr(0, 0xd14, 1 << 31);
    bench.set(channel, 0xd8, 1 << 23);
    bench.set_counter(channel, 0xa0, 0);
    assert_eq!(bench.rd(0, 0xd14), 0x4_0001);
    assert_eq!(bench.cfg(channel, 0xd8), CLOCK);
    bench.machine.burst(1800);
    assert_eq!(bench.cfg_counter(channel, 0xa0), 700, "it counts on");
    bench.wr(0, 0xd34, 1);
    assert_eq!(bench.rd(0, 0xd34), 1, "the next box");
    bench.wr(1, 0xd14, 1);
    assert_eq!(bench.rd(1, 0xd14), 1, "the other package");
    bench.assert_clean();
    bench.machine.lose_power();
    bench.wr(0, 0xd14, 1);
    assert_eq!(bench.rd(0, 0xd14), 0, "locked again after a sleep");
    bench.command("unlock 0 cbox_0");
    bench.wr(0, 0xd14, 1);
    assert_eq!(bench.rd(0, 0xd14), 1);
}

#[test]
fn writes_of_a_locked_box_may_fault() {
    let mut bench = Bench::usual();
    bench.command("lock 1 pcu fault");
    assert!(bench.write_of_faults(1, 0xc24, 0x30000));
    assert_eq!(bench.read_faults(1, 0xc24), Some(false));
    assert!(!bench.write_of_faults(0, 0xc24, 0x30000));
    bench.command("unlock 1 pcu");
    assert!(!bench.write_of_faults(1, 0xc24, 0x30000));
    bench.assert_clean();
}

#[test]
fn one_interrupt_in_some_is_lost() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc08, EN | OV_EN);
    bench.command("pmi drop 1/3");
    let arrived = [(); 6].map(|()| {
        bench.wr(0, 0xc01, 1);
        bench.wr(0, 0xc09, FULL_48 - 1);
        bench.wr(0, 0xc00, UNFRZ_ALL | 1);
        bench.machine.burst(10);
        bench.machine.take_interrupts().len()
    });
    assert_eq!(arrived, [1, 1, 0, 1, 1, 0]);
    let tally = bench.command("interrupts");
    assert!(tally.starts_with("package 0: raised 6, dropped 2, waiting 0"));
}

#[test]
fn boxes_may_stop_later() {
    for (command, options, stopped) in [
        ("freeze-delay 0", "", [0, 1]),
        ("freeze-delay 1", "", [0, 2]),
        ("freeze-delay 5000", "", [0, 5001]),
        ("freeze-delay 100 30", "", [30, 101]),
        ("freeze-delay 100 100", "", [100, 101]),
        ("freeze-delay 100 0", "reading=U-72:b", [0, 101]),
        ("freeze-delay 100", "reading=U-72:b", [50, 101]),
    ] {
        let mut bench = Bench::new(options);
        bench.command(command);
        bench.wr(0, 0xd10, EN);
        bench.arm(0, 1);
        bench.machine.burst(100_000);
        let counts = [0xc09, 0xd16].map(|msr| bench.rd(0, msr));
        assert_eq!(counts, stopped, "{command} {options}");
    }
}
