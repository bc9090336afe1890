// SPDX-License-Identifier: GPL-2.0

//! Overflow, freeze, PMI and a new sample: Documentation/hardware/ivbep.rst
//! sections 3.2, 4 and 5.

use uncore_machine::Pmi;

use crate::bench::{pmi, uncore, Bench, EN, FULL_44, FULL_48, OV_EN, UNFRZ_ALL};

const WK_ON_PMI: u64 = 1 << 30;

/// uclk cycles by which the boxes that did not overflow freeze later.
const DELAY: u64 = 16;

#[test]
fn the_fixed_uclk_counter_end_to_end() {
    let mut bench = Bench::usual();
    bench.wr(1, 0xc00, 0b0100);
    bench.arm(1, 1000);
    bench.wr(1, 0xd10, EN);
    bench.machine.burst(999);
    assert_eq!(bench.rd(1, 0xc01), 0);
    assert_eq!(bench.machine.take_interrupts(), []);
    bench.machine.burst(5000);
    assert_eq!(bench.rd(1, 0xc01), 1, "ov_u_fixed");
    assert_eq!(bench.rd(1, 0xc09), 0, "it freezes as it wraps");
    assert_eq!(
        bench.rd(1, 0xd16),
        999 + 1 + DELAY,
        "the others a little later"
    );
    assert_eq!(bench.rd(1, 0xc15), 0, "no status bit of its own (7.1)");
    assert_eq!(bench.machine.take_interrupts(), [pmi(1, 0b0100)]);
    assert_eq!(bench.machine.take_interrupts(), []);
    bench.machine.burst(5000);
    assert_eq!(bench.rd(1, 0xd16), 1000 + DELAY, "frozen");
    assert_eq!(bench.rd(0, 0xc01), 0, "the other package goes on");
    bench.assert_clean();
}

#[test]
fn a_new_sample_as_section_4_says() {
    let mut bench = Bench::usual();
    let at = uncore(16, 4);
    bench.wr(0, 0xc00, 1);
    bench.set(at, 0xd8, (EN | OV_EN) as u32);
    for sample in 0..3 {
        bench.set(at, 0xf4, 0x30002);
        bench.set(at, 0xf8, 0x1f);
        bench.wr(0, 0xc01, 0x07ff_ffff);
        bench.set_counter(at, 0xa0, FULL_48 - 7000);
        bench.wr(0, 0xc00, UNFRZ_ALL | 1);
        // 18,000 uclk are 7,000 dclk.
        bench.machine.burst(17_999);
        assert_eq!(bench.rd(0, 0xc01), 0, "sample {sample}");
        bench.machine.burst(18_000);
        assert_eq!(bench.cfg(at, 0xf8), 1 << 1, "counter 0 is bit 1");
        assert_eq!(bench.rd(0, 0xc01), 1 << 20, "ov_m0");
        assert_eq!(bench.machine.take_interrupts(), [pmi(0, 1)]);
        assert_eq!(bench.cfg_counter(at, 0xa0), 0);
    }
    bench.assert_clean();
}

#[test]
fn no_new_message_until_both_levels_are_cleared() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1);
    bench.wr(0, 0xc10, EN | OV_EN);
    let overflow = |bench: &mut Bench| {
        bench.wr(0, 0xc16, FULL_44 - 100);
        bench.wr(0, 0xc00, UNFRZ_ALL | 1);
        bench.machine.burst(300);
        let told = bench.machine.take_interrupts().len();
        (
            told,
            bench.rd(0, 0xc16),
            bench.rd(0, 0xc15),
            bench.rd(0, 0xc01),
        )
    };
    assert_eq!(overflow(&mut bench), (1, 0, 1, 2), "first");
    assert_eq!(overflow(&mut bench), (0, 200, 1, 2), "nothing cleared");
    bench.wr(0, 0xc01, 2);
    assert_eq!(
        overflow(&mut bench),
        (0, 200, 1, 0),
        "only the global bit cleared"
    );
    bench.wr(0, 0xc15, 1);
    assert_eq!(overflow(&mut bench), (1, 0, 1, 2), "both cleared");
    bench.wr(0, 0xc15, 1);
    assert_eq!(
        overflow(&mut bench),
        (0, 200, 1, 2),
        "only the box bit cleared"
    );
    bench.wr(0, 0xc15, 1);
    bench.wr(0, 0xc01, 2);
    assert_eq!(overflow(&mut bench), (1, 0, 1, 2), "both cleared again");
    bench.assert_clean();
}

#[test]
fn without_ov_en_it_wraps_and_shows_in_the_box_only() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1);
    bench.wr(0, 0xc11, EN);
    bench.wr(0, 0xc17, FULL_44 - 100);
    bench.machine.burst(300);
    assert_eq!(bench.rd(0, 0xc17), 200);
    assert_eq!(bench.rd(0, 0xc15), 2);
    assert_eq!(bench.rd(0, 0xc01), 0);
    assert_eq!(bench.machine.take_interrupts(), []);
}

#[test]
fn no_core_selected_no_pmi() {
    let mut bench = Bench::usual();
    bench.arm(0, 1);
    bench.machine.burst(10);
    assert_eq!(bench.rd(0, 0xc01), 1);
    assert_eq!(bench.rd(0, 0xc09), 0, "frozen all the same");
    assert_eq!(bench.machine.take_interrupts(), []);
}

#[test]
fn wk_on_pmi_goes_with_the_interrupt() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, WK_ON_PMI | 0x7fff);
    bench.arm(0, 1);
    bench.machine.burst(10);
    let expected = Pmi {
        wake: true,
        ..pmi(0, 0x7fff)
    };
    assert_eq!(bench.machine.take_interrupts(), [expected]);
}

#[test]
fn a_waveform_freezes_in_the_cycle_that_wraps_it() {
    // CAS_COUNT.RD_REG on imc_0 of package 0: id = 36 * 128 = 4608.
    let k = (1 << 20) + 4608 * 726_541 % (1 << 20);
    let wanted = 1000;
    // Three per on-block, in cycles 0 to 2 of the round: 1000 = 3 * 333 + 1, so
    // the first cycle of the 334th on-block.
    let mut rounds = (0..1000).filter(|r| (r + 1) * k / (1 << 21) == 334);
    let round: u64 = rounds.next().expect("at least every other round is on");
    let cycles = round * 32 + 1;
    let uclk = (cycles * 18).div_ceil(7);
    let mut bench = Bench::usual();
    let at = uncore(16, 4);
    let run = |bench: &mut Bench, burst: u64| {
        bench.set(at, 0xf8, 0x1f);
        bench.wr(0, 0xc01, 0x07ff_ffff);
        bench.set(at, 0xd8, (EN | OV_EN) as u32 | 0x0104);
        bench.set_counter(at, 0xa0, FULL_48 - wanted);
        bench.wr(0, 0xd10, EN | 1 << 17);
        bench.wr(0, 0xc00, UNFRZ_ALL);
        bench.machine.burst(burst);
        (
            bench.rd(0, 0xc01),
            bench.cfg_counter(at, 0xa0),
            bench.rd(0, 0xd16),
        )
    };
    assert_eq!(run(&mut bench, uclk - 1), (0, FULL_48 - 1, uclk - 1));
    assert_eq!(run(&mut bench, uclk), (1 << 20, 0, uclk));
    assert_eq!(run(&mut bench, 1 << 44), (1 << 20, 0, uclk + DELAY));
}

#[test]
fn two_boxes_within_the_delay_both_tell() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1);
    bench.arm(0, 100);
    let near = uncore(14, 1);
    bench.set(near, 0xd8, (EN | OV_EN) as u32);
    bench.set_counter(near, 0xa0, FULL_48 - 100 - DELAY);
    let far = uncore(28, 1);
    bench.set(far, 0xd8, (EN | OV_EN) as u32);
    bench.set_counter(far, 0xa0, FULL_48 - 101 - DELAY);
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, 0xc01), 1 | 1 << 18, "ov_u_fixed and ov_h0");
    assert_eq!(bench.cfg_counter(near, 0xa0), 0);
    assert_eq!(
        bench.cfg_counter(far, 0xa0),
        FULL_48 - 1,
        "one cycle too late"
    );
    assert_eq!(bench.cfg(far, 0xf8), 0);
    assert_eq!(bench.machine.take_interrupts(), [pmi(0, 1), pmi(0, 1)]);
}

#[test]
fn two_channels_share_a_global_bit() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1);
    for (function, left) in [(4, 7), (5, 8)] {
        bench.set(uncore(16, function), 0xd8, (EN | OV_EN) as u32);
        bench.set_counter(uncore(16, function), 0xa0, FULL_48 - left);
    }
    bench.machine.burst(100_000);
    assert_eq!(bench.rd(0, 0xc01), 1 << 20);
    assert_eq!(
        bench.machine.take_interrupts().len(),
        1,
        "the bit was set already"
    );
    assert_eq!(bench.cfg(uncore(16, 4), 0xf8), 2);
    assert_eq!(
        bench.cfg(uncore(16, 5), 0xf8),
        2,
        "its own bit is set all the same"
    );
}

#[test]
fn two_counters_of_a_box_in_one_cycle() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1);
    for counter in 0..2 {
        bench.wr(0, 0xc10 + counter, EN | OV_EN);
        bench.wr(0, 0xc16 + counter, FULL_44 - 50);
    }
    bench.arm(0, 50);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xc01), 0b11);
    assert_eq!(bench.rd(0, 0xc15), 0b11);
    assert_eq!(bench.machine.take_interrupts().len(), 1);
    assert_eq!([0xc16, 0xc17, 0xc09].map(|msr| bench.rd(0, msr)), [0; 3]);
}

#[test]
fn a_frozen_box_cannot_overflow() {
    let mut bench = Bench::usual();
    let at = uncore(16, 4);
    bench.set(at, 0xd8, (EN | OV_EN) as u32);
    bench.set_counter(at, 0xa0, FULL_48 - 1);
    bench.set(at, 0xf4, 0x30100);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xc01), 0);
    bench.set(at, 0xf4, 0x30000);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xc01), 1 << 20);
}

#[test]
fn packages_overflow_apart() {
    let mut bench = Bench::new("packages=4,cores=2");
    for package in 0..4 {
        bench.wr(package, 0xc00, 1 << (package % 2));
        bench.arm(package, 1 + u64::from(package) * 10);
    }
    bench.machine.burst(25);
    let expected = [pmi(0, 1), pmi(1, 2), pmi(2, 1)];
    assert_eq!(bench.machine.take_interrupts(), expected);
    assert_eq!(bench.rd(3, 0xc09), FULL_48 - 6);
}

#[test]
fn the_status_of_a_counter_that_wraps_often() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc10, EN);
    bench.machine.burst(3 * FULL_44 + 5);
    assert_eq!(bench.rd(0, 0xc16), 5);
    assert_eq!(bench.rd(0, 0xc15), 1);
}

#[test]
fn cores_may_be_numbered_otherwise() {
    for (map, expected) in [
        ("slot", [1, 2, 4, 8]),
        ("reversed", [8, 4, 2, 1]),
        ("2+0+3+1", [4, 1, 8, 2]),
    ] {
        for (bit, cores) in (0..).zip(expected) {
            let mut bench = Bench::new(&format!("cores=4,core-map={map}"));
            bench.wr(1, 0xc00, 1 << bit);
            bench.arm(1, 1);
            bench.machine.burst(10);
            assert_eq!(bench.machine.take_interrupts(), [pmi(1, cores)], "{map}");
            assert_eq!(bench.rd(1, 0xc00), 1 << bit, "the register shows the bit");
        }
    }
}
