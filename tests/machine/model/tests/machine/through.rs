// SPDX-License-Identifier: GPL-2.0

//! Bursts-through, whose time is suspended while a package is frozen (traffic.rst,
//! "Bursts-through"), and many wraps within one.

use uncore_machine::Function;

use crate::bench::{uncore, uncore1, Bench, EN, FULL_44, FULL_48, IRP, OV_EN, UNFRZ_ALL};

/// Clears the overflows of a PCI box and unfreezes; false if there was no overflow.
fn handle(bench: &mut Bench, at: Function) -> bool {
    let told = !bench.machine.take_interrupts().is_empty();
    if told {
        let (global, status) = (bench.rd(0, 0xc01), bench.cfg(at, 0xf8));
        bench.set(at, 0xf8, status);
        bench.wr(0, 0xc01, global);
        bench.wr(0, 0xc00, UNFRZ_ALL | 1);
    }
    told
}

#[test]
fn without_an_overflow_it_is_a_burst() {
    let count = |line: &str| {
        let mut bench = Bench::usual();
        bench.wr(0, 0xd10, EN | 0x0102);
        bench.set(uncore1(16, 4), 0xd8, EN as u32 | 0x0304);
        bench.command(line);
        assert_eq!(bench.command("burst-left"), "0");
        let residency = bench.rd(1, 0x3fc);
        (
            bench.rd(0, 0xd16),
            bench.cfg_counter(uncore1(16, 4), 0xa0),
            residency,
        )
    };
    assert_eq!(count("burst-through 1234567"), count("burst 1234567"));
}

#[test]
fn it_waits_while_the_package_is_frozen() {
    let mut bench = Bench::usual();
    for package in 0..2 {
        bench.wr(package, 0xd10, EN);
    }
    bench.wr(0, 0xc00, 1 << 31);
    bench.command("burst-through 1000");
    assert_eq!([bench.rd(0, 0xd16), bench.rd(1, 0xd16)], [0, 1000]);
    assert_eq!(bench.command("burst-left"), "1000");
    bench.wr(0, 0xc00, 5);
    assert_eq!(bench.command("burst-left"), "1000", "still frozen");
    bench.wr(0, 0xc00, UNFRZ_ALL);
    assert_eq!(bench.rd(0, 0xd16), 1000);
    assert_eq!(bench.command("burst-left"), "0");
}

#[test]
fn a_poke_can_unfreeze_too() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN);
    bench.wr(0, 0xc00, 1 << 31);
    bench.command("burst-through 1000");
    bench.command("poke-msr 0 0xc00 0x20000000");
    assert_eq!(bench.rd(0, 0xd16), 1000);
}

#[test]
fn only_one_at_a_time() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1 << 31);
    bench.command("burst-through 1000");
    let error = bench.machine.command("burst-through 5").expect_err("busy");
    let words = "1000 cycles of the last burst-through are still to come";
    assert_eq!(error.to_string(), words);
    bench.command("burst-through 0");
    assert_eq!(bench.command("burst-left"), "0");
    bench.command("burst-through 5");
}

/// Boxes of three clocks with a waveform each.
const WAVES: [(Function, u32); 3] = [(MEMORY, 0x0304), (QPI, 0x0100), (HOME, 0x0101)];

/// A bench that counts these waveforms and pclk.
fn with_waves() -> Bench {
    let mut bench = Bench::usual();
    for (at, event) in WAVES {
        bench.set(at, 0xd8, EN as u32 | event);
    }
    bench.wr(0, 0xc30, EN);
    bench
}

fn waves(bench: &mut Bench) -> ([u64; 3], u64) {
    let counted = WAVES.map(|(at, _)| bench.cfg_counter(at, 0xa0));
    (counted, bench.rd(0, 0xc36))
}

#[test]
fn each_box_sees_all_of_it_whoever_freezes() {
    let mut plain = with_waves();
    plain.command("burst 654321");
    for distance in [1, 17, 776, 100_003] {
        let mut bench = with_waves();
        bench.arm(0, distance);
        bench.wr(0, 0xc00, 1);
        bench.command("burst-through 654321");
        let mut freezes = 0;
        while !bench.machine.take_interrupts().is_empty() {
            freezes += 1;
            bench.wr(0, 0xc09, FULL_48 - distance);
            bench.wr(0, 0xc01, 1);
            bench.wr(0, 0xc00, UNFRZ_ALL | 1);
        }
        assert_eq!(bench.command("burst-left"), "0");
        assert_eq!(freezes, 654_321 / distance, "the UBox has seen it all, too");
        assert_eq!(waves(&mut bench), waves(&mut plain), "{distance}");
    }
}

/// Boxes with an interrupt: place, CLOCKTICKS, width, cycles of uclk for the
/// number of their own cycles (numerator and denominator).
const BOXES: [(Function, u32, u64, (u64, u64)); 5] = [
    (HOME, 0x00, FULL_48, (1, 1)),
    (MEMORY, 0x00, FULL_48, (18, 7)),
    (QPI, 0x14, FULL_48, (12, 5)),
    (R2PCIE, 0x01, FULL_44, (1, 1)),
    (R3QPI, 0x01, FULL_44, (1, 1)),
];

const HOME: Function = uncore(14, 1);
const MEMORY: Function = uncore(16, 4);
const QPI: Function = uncore(8, 2);
const R2PCIE: Function = uncore(19, 1);
const R3QPI: Function = uncore(19, 5);

#[test]
fn a_thousand_wraps_of_each_box_type() {
    for (at, ticks, full, (numerator, denominator)) in BOXES {
        let mut bench = Bench::usual();
        bench.wr(0, 0xc00, 1);
        bench.set(at, 0xd8, (EN | OV_EN) as u32 | ticks);
        let own = u128::from(full) * 1000 + 12345;
        let uclk = (own * u128::from(numerator)).div_ceil(u128::from(denominator));
        bench.command(&format!("burst-through {uclk}"));
        let mut wraps = 0;
        while handle(&mut bench, at) {
            wraps += 1;
        }
        assert_eq!(wraps, 1000, "{at}");
        assert_eq!(bench.cfg_counter(at, 0xa0), 12345, "{at}");
        assert_eq!(bench.command("burst-left"), "0", "{at}");
    }
}

#[test]
fn a_thousand_wraps_of_ubox_and_pcu() {
    for (control, counter, status, full, ratio, bits) in [
        (0xc08, 0xc09, None, FULL_48, 1, 1),
        (0xc10, 0xc16, Some(0xc15), FULL_44, 1, 1 << 1),
        (0xc30, 0xc36, Some(0xc35), FULL_48, 3, 1 << 2),
    ] {
        let mut bench = Bench::usual();
        bench.wr(0, 0xc00, 1);
        bench.wr(0, control, EN | OV_EN);
        bench.command(&format!("burst-through {}", (1000 * full + 99) * ratio));
        let mut wraps = 0;
        while !bench.machine.take_interrupts().is_empty() {
            wraps += 1;
            if let Some(status) = status {
                bench.wr(0, status, 1);
            }
            bench.wr(0, 0xc01, bits);
            bench.wr(0, 0xc00, UNFRZ_ALL | 1);
        }
        assert_eq!((wraps, bench.rd(0, counter)), (1000, 99), "{control:#x}");
    }
}

#[test]
fn a_wrap_that_is_not_cleared_tells_nobody_and_stops_nothing() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1);
    bench.arm(0, 100);
    bench.command(&format!("burst-through {}", 5 * FULL_48));
    assert_eq!(bench.machine.take_interrupts().len(), 1);
    bench.wr(0, 0xc00, UNFRZ_ALL | 1);
    assert_eq!(bench.machine.take_interrupts(), []);
    assert_eq!(bench.rd(0, 0xc09), FULL_48 - 100);
    assert_eq!(bench.command("burst-left"), "0");
}

#[test]
fn a_plain_burst_in_between_is_another_one() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN | 0x0102);
    bench.arm(0, 5000);
    bench.command("burst-through 20000");
    bench.wr(0, 0xc01, 1);
    bench.wr(0, 0xc08, 0);
    bench.command("burst 3000");
    bench.wr(0, 0xc00, UNFRZ_ALL);
    bench.command("burst 3000");
    let mut other = Bench::usual();
    other.wr(0, 0xd10, EN | 0x0102);
    other.command("burst 20000");
    other.command("burst 3000");
    assert_eq!(bench.rd(0, 0xd16), other.rd(0, 0xd16));
}

#[test]
fn a_box_whose_message_is_late_sees_the_rest_afterwards() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1);
    bench.wr(0, 0xd10, EN);
    bench.set(HOME, 0xd8, (EN | OV_EN) as u32);
    bench.set_counter(HOME, 0xa0, FULL_48 - 400);
    bench.command("late-message 0 ha_0 read");
    bench.command("burst-through 1000");
    assert_eq!(bench.rd(0, 0xd16), 1000);
    assert_eq!(bench.cfg_counter(HOME, 0xa0), 0);
    assert_eq!(bench.command("burst-left"), "600");
    assert_eq!(bench.rd(0, 0xc01), 0);
    assert!(handle(&mut bench, HOME));
    assert_eq!(bench.cfg_counter(HOME, 0xa0), 600);
    assert_eq!(bench.rd(0, 0xd16), 1000);
    assert_eq!(bench.command("burst-left"), "0");
}

#[test]
fn late_interrupts_wait_for_time_that_is_counted() {
    let mut bench = Bench::usual();
    bench.command("pmi delay 1000");
    bench.wr(0, 0xc00, 1);
    bench.arm(0, 500);
    bench.command("burst-through 2000");
    assert_eq!(bench.machine.take_interrupts(), []);
    // 16 cycles have passed from the message to the freeze; 984 remain.
    bench.command("burst 983");
    assert_eq!(bench.machine.take_interrupts(), []);
    bench.command("burst 1");
    assert_eq!(bench.machine.take_interrupts().len(), 1);
}

#[test]
fn everything_overflows_in_one_burst() {
    let mut bench = Bench::new("cores=4,part=ex");
    let pci = [
        (14, 1, 0),
        (28, 1, 0),
        (16, 4, 0),
        (16, 5, 0),
        (16, 0, 0),
        (16, 1, 0),
        (30, 4, 0),
        (30, 5, 0),
        (30, 0, 0),
        (30, 1, 0),
        (8, 2, 0x14),
        (9, 2, 0x14),
        (24, 2, 0x14),
        (19, 5, 1),
        (19, 6, 1),
        (18, 5, 1),
        (19, 1, 1),
    ];
    for package in 0..2 {
        bench.wr(package, 0xc00, 1 << package);
        for control in [0xc08, 0xc10, 0xc30] {
            bench.wr(package, control, EN | OV_EN);
        }
        for (device, function, ticks) in pci {
            let at = [uncore(device, function), uncore1(device, function)];
            bench.set(at[usize::from(package)], 0xd8, (EN | OV_EN) as u32 | ticks);
        }
    }
    // All within the delay of the freeze, whatever their clocks.
    bench.command("freeze-delay 1000");
    bench.command("preload-all 100");
    bench.command("burst 10000");
    for package in 0..2 {
        assert_eq!(bench.rd(package, 0xc01), 0x07fc_0007, "all but the C-Boxes");
    }
    let mut told: Vec<u8> = bench
        .machine
        .take_interrupts()
        .iter()
        .map(|pmi| pmi.package)
        .collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [[0; 11], [1; 11]].concat(),
        "the UBox sends two bits at once"
    );
}

#[test]
fn counters_are_preloaded_all_at_once() {
    let mut bench = Bench::usual();
    bench.command("preload-all 0x1000 imc");
    for channel in 0..2 {
        assert_eq!(
            bench.cfg_counter(uncore(16, 4 + channel), 0xd0),
            FULL_48 - 0x1000
        );
        assert_eq!(
            bench.cfg_counter(uncore1(30, 4 + channel), 0xb8),
            FULL_48 - 0x1000
        );
    }
    assert_eq!(bench.rd(0, 0xd16), 0, "another type");
    bench.command("preload-all 1");
    assert_eq!(bench.rd(0, 0xd16), FULL_44 - 1);
    assert_eq!(bench.rd(1, 0xc09), FULL_48 - 1);
    assert_eq!(bench.rd(1, 0xc17), FULL_44 - 1);
    assert_eq!(bench.cfg_counter(IRP, 0xa0), FULL_48 - 1);
    bench.command("preload-all 0x100000000000 cbox");
    assert_eq!(bench.rd(0, 0xd16), 0);
}
