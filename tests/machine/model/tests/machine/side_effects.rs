// SPDX-License-Identifier: GPL-2.0

//! Side effects of writes: resets, box freeze, global freeze;
//! Documentation/hardware/ivbep.rst sections 3.1, 4, 6.2 and 7.

use uncore_machine::Function;

use crate::bench::{uncore, Bench, EN, IMC, IRP};
use crate::registers::At;

const RST: u64 = 1 << 17;

#[test]
fn control_rst_clears_one_counter_and_reads_zero() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd16, 5);
    bench.wr(0, 0xd17, 6);
    bench.wr(0, 0xd10, EN | RST | 0x0102);
    assert_eq!(bench.rd(0, 0xd10), EN | 0x0102);
    assert_eq!([bench.rd(0, 0xd16), bench.rd(0, 0xd17)], [0, 6]);
    bench.wr(0, 0xc16, 7);
    bench.wr(0, 0xc10, RST);
    assert_eq!(bench.rd(0, 0xc16), 0);
    bench.assert_clean();
}

#[test]
fn imc_fixed_counter_resets_by_bit_19_not_17() {
    let mut bench = Bench::usual();
    let at = uncore(16, 0);
    bench.set_counter(at, 0xd0, 0x1234_5678_9abc);
    bench.set(at, 0xf0, 1 << 17);
    assert_eq!(bench.cfg_counter(at, 0xd0), 0x1234_5678_9abc);
    bench.set(at, 0xf0, 1 << 19 | 1 << 22);
    assert_eq!(bench.cfg_counter(at, 0xd0), 0);
    assert_eq!(bench.cfg(at, 0xf0), 1 << 22);
    bench.assert_clean();
}

#[test]
fn ubox_fixed_counter_has_no_reset_bit() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc09, 99);
    bench.wr(0, 0xc08, 1 << 17 | 1 << 19);
    assert_eq!(bench.rd(0, 0xc09), 99);
}

#[test]
fn box_resets_counters_and_controls_apart() {
    let mut bench = Bench::usual();
    let setup = |bench: &mut Bench| {
        for counter in 0..4 {
            bench.wr(0, 0xd50 + counter, 0x0102);
            bench.wr(0, 0xd56 + counter, 77);
        }
        bench.wr(0, 0xd54, 0x1f);
        bench.wr(0, 0xd5a, 0xffff);
    };
    let values = |bench: &mut Bench, first: u32| [0, 1, 2, 3].map(|i| bench.rd(0, first + i));
    setup(&mut bench);
    bench.wr(0, 0xd44, 0x30002);
    assert_eq!(values(&mut bench, 0xd56), [0; 4], "rst_ctrs");
    assert_eq!(values(&mut bench, 0xd50), [0x0102; 4]);
    setup(&mut bench);
    bench.wr(0, 0xd44, 0x30001);
    assert_eq!(values(&mut bench, 0xd56), [77; 4], "rst_ctrl");
    assert_eq!(values(&mut bench, 0xd50), [0; 4]);
    assert_eq!(
        [bench.rd(0, 0xd54), bench.rd(0, 0xd5a)],
        [0x1f, 0xffff],
        "filters stay"
    );
    assert_eq!(bench.rd(0, 0xd44), 0x30000, "WO bits read 0");
    bench.assert_clean();
}

#[test]
fn a_session_as_section_4_says() {
    let mut bench = Bench::usual();
    let home = uncore(14, 1);
    // Values left behind by an earlier user.
    bench.wr(0, 0xd16, 99);
    bench.wr(0, 0xc16, 99);
    bench.set_counter(home, 0xa0, 99);
    // a) freeze, d) reset first: rst_ctrl would erase b) and c).
    bench.wr(0, 0xc00, 1 << 31);
    bench.wr(0, 0xd04, 0x3_0003);
    bench.set(home, 0xf4, 0x3_0003);
    bench.wr(0, 0xc16, 0);
    // b), c) enable and select; an occupancy with q_occ_rst.
    bench.wr(0, 0xd14, 0x3f << 17);
    bench.wr(0, 0xd10, EN | 0x1134);
    bench.wr(0, 0xc10, EN | 0x0142);
    let occupancy = EN as u32 | 0x0143;
    bench.set(home, 0xd8, 1 << 16 | occupancy);
    assert_eq!(bench.cfg(home, 0xd8), occupancy, "q_occ_rst reads 0");
    bench.machine.burst(10_000);
    assert_eq!([bench.rd(0, 0xd16), bench.rd(0, 0xc16)], [0, 0]);
    // f) start, then stop and read.
    bench.wr(0, 0xc00, 1 << 29);
    bench.machine.burst(10_000);
    bench.wr(0, 0xd04, 0x3_0100);
    bench.wr(0, 0xc00, 1 << 31);
    let read = |bench: &mut Bench| {
        let msrs = [bench.rd(0, 0xd16), bench.rd(0, 0xc16)];
        (msrs, bench.cfg_counter(home, 0xa0))
    };
    let counts = read(&mut bench);
    assert!(counts.0[0] > 0 && counts.0[1] > 0 && counts.1 > 0);
    bench.machine.burst(10_000);
    assert_eq!(read(&mut bench), counts);
    bench.assert_clean();
}

/// A box in configuration space, its CLOCKTICKS, and its cycles in 3600 of uclk.
const PCI_BOXES: [(Function, u32, u64); 6] = [
    (uncore(14, 1), 0x00, 3600),
    (IRP, 0x00, 3600),
    (uncore(19, 1), 0x01, 3600),
    (uncore(19, 5), 0x01, 3600),
    (IMC, 0x00, 1400),
    (uncore(8, 2), 0x14, 1500),
];

#[test]
fn box_freeze_stops_and_releases_only_its_box() {
    let in_functions = PCI_BOXES.map(|(at, ticks, cycles)| {
        let registers = [0xf4, 0xd8, 0xa0].map(|offset| At::Config(at, offset));
        (registers, ticks, cycles)
    });
    let in_msrs = [
        ([0xd04, 0xd10, 0xd16].map(At::Msr), 0, 3600),
        ([0xc24, 0xc30, 0xc36].map(At::Msr), 0, 1200),
    ];
    let boxes = in_functions.into_iter().chain(in_msrs);
    for ([box_control, control, counter], ticks, cycles) in boxes {
        let mut bench = Bench::usual();
        control.write(&mut bench, 1 << 22 | ticks);
        bench.wr(0, 0xd30, EN);
        box_control.write(&mut bench, 0x30100);
        bench.machine.burst(3600);
        assert_eq!(counter.count(&mut bench), 0, "{counter:x?} frozen");
        assert_eq!(bench.rd(0, 0xd36), 3600, "another box");
        box_control.write(&mut bench, 0x30000);
        bench.machine.burst(3600);
        assert_eq!(counter.count(&mut bench), cycles, "{counter:x?} released");
        bench.assert_clean();
    }
}

#[test]
fn global_freeze_stops_every_counter_of_the_package() {
    let mut bench = Bench::usual();
    for package in 0..2 {
        bench.wr(package, 0xc08, EN);
        bench.wr(package, 0xc10, EN);
        bench.wr(package, 0xc30, EN);
        bench.wr(package, 0xd10, EN);
    }
    for (at, ticks, _) in PCI_BOXES {
        bench.set(at, 0xd8, 1 << 22 | ticks);
    }
    bench.wr(0, 0xc00, 1 << 31);
    assert_eq!(bench.rd(0, 0xc00), 0, "frz_all reads 0");
    bench.machine.burst(3600);
    let counters = [0xc09, 0xc16, 0xc36, 0xd16];
    assert_eq!(counters.map(|msr| bench.rd(0, msr)), [0; 4]);
    assert_eq!(
        counters.map(|msr| bench.rd(1, msr)),
        [3600, 3600, 1200, 3600]
    );
    assert_eq!(
        PCI_BOXES.map(|(at, ..)| bench.cfg_counter(at, 0xa0)),
        [0; 6]
    );
    bench.wr(0, 0xc00, 1 << 29);
    bench.machine.burst(3600);
    assert_eq!(
        counters.map(|msr| bench.rd(0, msr)),
        [3600, 3600, 1200, 3600]
    );
    for (at, _, cycles) in PCI_BOXES {
        assert_eq!(bench.cfg_counter(at, 0xa0), cycles, "{at}");
    }
    bench.assert_clean();
}

#[test]
fn box_freeze_and_global_freeze_are_apart() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN);
    bench.wr(0, 0xd30, EN);
    bench.wr(0, 0xd04, 0x30100);
    bench.wr(0, 0xc00, 1 << 31);
    bench.wr(0, 0xc00, 1 << 29);
    bench.machine.burst(10);
    assert_eq!(bench.rd(0, 0xd16), 0, "unfrz_all leaves the box frozen");
    assert_eq!(bench.rd(0, 0xd36), 10);
    bench.wr(0, 0xc00, 1 << 31);
    bench.wr(0, 0xd04, 0x30000);
    bench.machine.burst(10);
    assert_eq!(
        bench.rd(0, 0xd16),
        0,
        "releasing the box leaves the package frozen"
    );
}

#[test]
fn a_disabled_counter_keeps_its_value() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, 0);
    bench.wr(0, 0xd16, 42);
    bench.machine.burst(1000);
    assert_eq!(bench.rd(0, 0xd16), 42);
}

#[test]
fn byte_and_word_accesses() {
    let mut bench = Bench::usual();
    let at = uncore(16, 4);
    bench.set(at, 0xd8, 0x1234_5678 & 0xff14_ffff);
    let read = |bench: &mut Bench, offset, size| bench.machine.config_read(at, offset, size);
    assert_eq!(read(&mut bench, 0xd8, 1), Some(0x78));
    assert_eq!(read(&mut bench, 0xd9, 1), Some(0x56));
    assert_eq!(read(&mut bench, 0xda, 2), Some(0x1214));
    bench.assert_clean();
    bench.machine.config_write(at, 0xdb, 1, 0xab);
    assert_eq!(bench.cfg(at, 0xd8), 0xab14_5678);
    // The byte with en and rst does not act when another is written.
    bench.set_counter(at, 0xa0, 9);
    bench.machine.config_write(at, 0xd8, 2, 0x0204);
    assert_eq!(bench.cfg(at, 0xd8), 0xab14_0204);
    assert_eq!(bench.cfg_counter(at, 0xa0), 9);
    // RW1C bits of other bytes stay.
    bench.command(&format!("poke-config {at} 0xf8 0x1f"));
    bench.machine.config_write(at, 0xf9, 1, 0xff);
    assert_eq!(bench.cfg(at, 0xf8), 0x1f);
    bench.machine.config_write(at, 0xf8, 1, 0x03);
    assert_eq!(bench.cfg(at, 0xf8), 0x1c);
}

#[test]
fn a_byte_write_beside_frz_does_not_release() {
    let mut bench = Bench::usual();
    let at = uncore(16, 4);
    bench.set(at, 0xf0, 1 << 22);
    bench.set(at, 0xf4, 0x30100);
    bench.machine.config_write(at, 0xf6, 1, 0x03);
    bench.machine.burst(1000);
    assert_eq!(bench.cfg_counter(at, 0xd0), 0);
    bench.machine.config_write(at, 0xf5, 1, 0x00);
    bench.machine.burst(1800);
    assert_eq!(bench.cfg_counter(at, 0xd0), 700);
}
