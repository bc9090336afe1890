// SPDX-License-Identifier: GPL-2.0

//! Single events whose counts a pencil finds, on UBox, C-Box and iMC, and the C-Box
//! filters: Documentation/hardware/ivbep.rst sections 6 and 7.2, tables 2-16 to
//! 2-20, 2-33 and 2-34.

use crate::bench::{uncore, uncore1, Bench, CHANNELS};
use uncore_definition::{on, rate};

/// Cycles of the example in traffic.rst.
const MILLION: u64 = 1_000_000;

const EN: u64 = 1 << 22;

#[test]
fn the_worked_example_of_the_traffic_page() {
    let mut bench = Bench::usual();
    bench.wr(1, 0xd5a, 0x182 << 20);
    bench.wr(1, 0xd50, EN | 0x0335);
    bench.machine.burst(MILLION);
    assert_eq!(bench.rd(1, 0xd56), 222);
    bench.assert_clean();
}

#[test]
fn a_burst_is_complete_in_itself() {
    let mut bench = Bench::usual();
    bench.wr(1, 0xd5a, 0x182 << 20);
    bench.wr(1, 0xd50, EN | 0x0335);
    for round in 1..=3 {
        bench.machine.burst(MILLION);
        assert_eq!(bench.rd(1, 0xd56), 222 * round);
        bench.machine.burst(17);
    }
}

#[test]
fn packages_instances_and_signals_differ() {
    let mut bench = Bench::usual();
    let mut counts = Vec::new();
    for package in 0..2 {
        for base in [0xd00, 0xd20, 0xd40, 0xd60] {
            // TxR_INSERTS.AD_CACHE and .AK_CACHE.
            bench.wr(package, base + 0x10, EN | 0x0102);
            bench.wr(package, base + 0x11, EN | 0x0202);
        }
    }
    bench.machine.burst(MILLION);
    for package in 0..2 {
        for base in [0xd00, 0xd20, 0xd40, 0xd60] {
            counts.push(bench.rd(package, base + 0x16));
            counts.push(bench.rd(package, base + 0x17));
        }
    }
    // At least half of the 31,250 rounds are on, each adding 3.
    assert!(counts.iter().all(|count| (46_875..93_750).contains(count)));
    counts.sort_unstable();
    counts.dedup();
    assert_eq!(counts.len(), 16);
    bench.assert_clean();
}

#[test]
fn eight_packages_see_traffic_of_their_own() {
    let mut bench = Bench::new("packages=8,cores=1");
    for package in 0..8 {
        bench.wr(package, 0xd10, EN | 0x0102);
    }
    bench.machine.burst(MILLION);
    let counts: Vec<u64> = (0..8).map(|package| bench.rd(package, 0xd16)).collect();
    let expected = (0..8).map(|package| 3 * on(31_250, rate(0x02, 0, 0, package)));
    assert_eq!(counts, expected.collect::<Vec<_>>());
    bench.assert_clean();
}

#[test]
fn two_umask_bits_add_up() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN | 0x0102);
    bench.wr(0, 0xd11, EN | 0x0302);
    bench.machine.burst(MILLION);
    let one = bench.rd(0, 0xd16);
    let both = bench.rd(0, 0xd17);
    bench.wr(0, 0xd10, EN | 1 << 17 | 0x0202);
    bench.machine.burst(MILLION);
    assert_eq!(both, one + bench.rd(0, 0xd16));
}

#[test]
fn a_signal_is_on_k_times_in_2_to_the_26_cycles() {
    // RxR_INSERTS.IRQ (0x13) on C-Box 0 of package 0: id = 19 * 9 * 128 = 21,888,
    // 21,888 * 726,541 mod 2^20 = 812,288.
    let k = (1 << 20) + 21_888 * 726_541 % (1 << 20);
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN | 0x0113);
    bench.machine.burst(1 << 26);
    assert_eq!(bench.rd(0, 0xd16), 3 * k);
    // Edges: one per block.
    bench.wr(0, 0xd10, EN | 1 << 17 | 1 << 18 | 1 << 24 | 0x0113);
    bench.machine.burst(1 << 26);
    assert_eq!(bench.rd(0, 0xd16), k);
}

#[test]
fn clocks_of_the_domains() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc08, EN);
    bench.wr(0, 0xc10, EN);
    bench.wr(0, 0xd10, EN);
    bench.wr(0, 0xc30, EN);
    bench.set(uncore(16, 4), 0xf0, 1 << 22);
    bench.set(uncore(16, 4), 0xd8, 1 << 22);
    bench.set(uncore(8, 2), 0xd8, 1 << 22 | 0x14);
    bench.machine.burst(1_000_003);
    assert_eq!(bench.rd(0, 0xc09), 1_000_003, "UBox, fixed");
    assert_eq!(bench.rd(0, 0xc16), 1_000_003, "UBox CLOCKTICKS");
    assert_eq!(bench.rd(0, 0xd16), 1_000_003, "C-Box CLOCKTICKS");
    assert_eq!(bench.rd(0, 0xc36), 333_334, "PCU CLOCKTICKS");
    assert_eq!(
        bench.cfg_counter(uncore(16, 4), 0xd0),
        388_890,
        "iMC, fixed"
    );
    assert_eq!(
        bench.cfg_counter(uncore(16, 4), 0xa0),
        388_890,
        "iMC DCLOCKTICKS"
    );
    assert_eq!(
        bench.cfg_counter(uncore(8, 2), 0xa0),
        416_667,
        "QPI CLOCKTICKS"
    );
    bench.assert_clean();
}

#[test]
fn clock_events_with_threshold_and_edge() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xd10, EN | 1 << 24);
    bench.wr(0, 0xd11, EN | 2 << 24);
    bench.wr(0, 0xd12, EN | 1 << 18 | 1 << 24);
    bench.wr(0, 0xd13, EN | 1 << 18 | 2 << 24);
    bench.machine.burst(5000);
    let counts: Vec<u64> = (0xd16..=0xd19).map(|msr| bench.rd(0, msr)).collect();
    assert_eq!(counts, [5000, 0, 1, 0]);
}

#[test]
fn the_catalogue_excludes_counters() {
    let mut bench = Bench::usual();
    // RxR_OCCUPANCY.IRQ only on counter 0, ring events only on 2 and 3.
    for (counter, event) in [(0xd11, 0x0111), (0xd10, 0x011b), (0xd12, 0x0102)] {
        bench.wr(0, counter, EN | event);
    }
    bench.machine.burst(MILLION);
    assert_eq!([0xd16, 0xd17, 0xd18].map(|msr| bench.rd(0, msr)), [0; 3]);
}

#[test]
fn ubox_filter_match_counts_only_what_is_documented() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc10, EN | 0x0541);
    bench.wr(0, 0xc11, EN | 0x0241);
    bench.machine.burst(MILLION);
    assert_eq!(bench.rd(0, 0xc16), 0, "ENABLE and U2C_ENABLE");
    assert!(bench.rd(0, 0xc17) > 0, "DISABLE");
}

#[test]
fn counter_0_occupancy_with_its_own_threshold() {
    let mut bench = Bench::usual();
    // TOR_OCCUPANCY.ALL on counter 0; counters 1 to 3 watch it.
    bench.wr(0, 0xd11, EN | 0x1f);
    bench.wr(0, 0xd12, EN | 11 << 24 | 0x1f);
    bench.wr(0, 0xd13, EN | 1 << 18 | 1 << 24 | 0x1f);
    bench.wr(0, 0xd10, EN | 0x0836);
    bench.machine.burst(MILLION);
    let [all, shown, high, edges] = [0xd16, 0xd17, 0xd18, 0xd19].map(|msr| bench.rd(0, msr));
    // Blocks of max_inc 20: 20, 10, 1, 0.
    assert_eq!(all, 31 * edges);
    assert_eq!(shown, all);
    assert_eq!(high, edges);
    assert!(edges > 15_000);
    bench.assert_clean();
}

#[test]
fn states_and_nodes_divide_the_lookups() {
    let mut bench = Bench::usual();
    let mut total = 0;
    bench.wr(0, 0xd11, EN | 0x1134);
    for state in 17..=22 {
        bench.wr(0, 0xd14, 1 << state);
        bench.wr(0, 0xd10, EN | 1 << 17 | 0x1134);
        bench.machine.burst(MILLION);
        total += bench.rd(0, 0xd16);
    }
    assert_eq!(total, bench.rd(0, 0xd17), "all states together");
    bench.wr(0, 0xd14, 0x3f << 17);
    bench.wr(0, 0xd10, EN | 1 << 17 | 0x1134);
    bench.machine.burst(MILLION);
    assert_eq!(total, bench.rd(0, 0xd16), "the whole mask");
    let mut by_node = 0;
    for node in 0..16 {
        bench.wr(0, 0xd1a, 1 << node);
        bench.wr(0, 0xd10, EN | 1 << 17 | 0x5134);
        bench.machine.burst(MILLION);
        by_node += bench.rd(0, 0xd16);
    }
    assert_eq!(total, by_node, "all nodes together");
    bench.assert_clean();
}

#[test]
fn local_and_remote_divide_the_requests() {
    let mut bench = Bench::usual();
    let mut read = |umask: u64| {
        bench.wr(0, 0xd10, EN | 1 << 17 | umask << 8 | 0x35);
        bench.machine.burst(MILLION);
        bench.rd(0, 0xd16)
    };
    let (all, local, remote) = (read(0x08), read(0x28), read(0x88));
    assert_eq!(all, local + remote);
    assert!(remote > local && local > 0, "20 against 11 of 31");
    assert_eq!(read(0xa8), 0, "nothing is both");
}

/// T2-18 in its order, without the code that it prints twice; and 0x195 of a metric.
const OPCODES: [u64; 21] = [
    0x180, 0x181, 0x182, 0x187, 0x18c, 0x18d, 0x190, 0x191, 0x192, 0x193, 0x194, 0x195, 0x19c,
    0x19d, 0x19e, 0x1c4, 0x1c5, 0x1c8, 0x1e4, 0x1e5, 0x1e6,
];

#[test]
fn opcodes_of_t2_18_divide_the_requests() {
    let mut bench = Bench::usual();
    let mut read = |opc: u64| {
        bench.wr(0, 0xd1a, opc << 20);
        bench.wr(0, 0xd10, EN | 1 << 17 | 0x0135);
        bench.machine.burst(4 * MILLION);
        bench.rd(0, 0xd16) / 3
    };
    let total = on(125_000, rate(0x35, 0, 0, 0));
    let counts = OPCODES.map(&mut read);
    assert!(counts.is_sorted_by(|a, b| a < b), "each has a share");
    assert_eq!(counts.iter().sum::<u64>() + read(0x1ff), total);
    assert_eq!(read(0x183), 0);
    assert_eq!(read(0), 0, "the filter after reset");
}

#[test]
fn threads_divide_everything() {
    let mut bench = Bench::usual();
    let mut total = 0;
    for tid in 0..32 {
        bench.wr(1, 0xd14, tid);
        bench.wr(1, 0xd10, EN | 1 << 17 | 1 << 19 | 0x0102);
        bench.machine.burst(MILLION);
        total += bench.rd(1, 0xd16);
    }
    bench.wr(1, 0xd10, EN | 1 << 17 | 0x0102);
    bench.machine.burst(MILLION);
    assert_eq!(total, bench.rd(1, 0xd16));
}

#[test]
fn memory_channels_are_instances_0_to_7() {
    let mut bench = Bench::usual();
    for (device, function) in CHANNELS {
        // CAS_COUNT.RD_REG.
        bench.set(uncore1(device, function), 0xdc, 1 << 22 | 0x0104);
    }
    bench.machine.burst(2_400_000);
    for (instance, (device, function)) in (0..).zip(CHANNELS) {
        let id = (4 * 9) * 128 + instance * 8 + 1;
        let k = (1 << 20) + id * 726_541 % (1 << 20);
        // 933,333 cycles: 29,166 whole rounds and 21 cycles; block 0 is over.
        let rounds = 29_166 + 1;
        let expected = 3 * (rounds * k / (1 << 21));
        let got = bench.cfg_counter(uncore1(device, function), 0xa8);
        assert_eq!(got, expected, "imc_{instance}");
    }
    bench.assert_clean();
}

#[test]
fn umasks_that_select_no_signal() {
    for (event, umask) in [
        (0x34, 0x00),
        (0x34, 0x02),
        (0x34, 0x40),
        (0x34, 0x52),
        (0x37, 0x00),
        (0x37, 0x10),
        (0x37, 0x80),
        (0x35, 0x00),
        (0x35, 0x02),
        (0x35, 0x40),
        (0x35, 0xe2),
        (0x02, 0x00),
        (0x02, 0x80),
    ] {
        let mut bench = Bench::usual();
        bench.wr(0, 0xd14, 0x3f << 17);
        bench.wr(0, 0xd1a, 0xffff);
        bench.wr(0, 0xd10, EN | umask << 8 | event);
        bench.machine.burst(MILLION);
        assert_eq!(bench.rd(0, 0xd16), 0, "event {event:#x} umask {umask:#x}");
    }
}

#[test]
fn a_qualifier_alone_stands_for_all_signals() {
    for (event, alone, all) in [(0x34, 0x01, 0x1f), (0x34, 0x41, 0x5f), (0x37, 0x40, 0x4f)] {
        let mut bench = Bench::usual();
        bench.wr(0, 0xd14, 0x3f << 17);
        bench.wr(0, 0xd1a, 0x8000);
        bench.wr(0, 0xd10, EN | alone << 8 | event);
        bench.wr(0, 0xd11, EN | all << 8 | event);
        bench.machine.burst(MILLION);
        assert!(bench.rd(0, 0xd16) > 0, "event {event:#x}");
        assert_eq!(bench.rd(0, 0xd16), bench.rd(0, 0xd17), "event {event:#x}");
    }
}
