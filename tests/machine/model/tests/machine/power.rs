// SPDX-License-Identifier: GPL-2.0

//! The PCU: filter bands, demotions, occupancies and residency;
//! Documentation/hardware/ivbep.rst section 7.6, tables 2-118 and 2-121 to 2-127.

use uncore_machine::{Cpu, Rule};

use crate::bench::Bench;
use uncore_definition::{on, rate};

const EN: u64 = 1 << 22;
const RST: u64 = 1 << 17;
const OCC_EDGE_DET: u64 = 1 << 31;
const OCC_INVERT: u64 = 1 << 30;
const EDGE_DET: u64 = 1 << 18;

/// Cycles of uclk in which the PCU sees 1,024,000: 32,000 rounds.
const SPAN: u64 = 3 * 1_024_000;
const ROUNDS: u64 = 32_000;

/// On-blocks of a signal in package 0.
fn transactions(code: u64, signal: u64) -> u64 {
    on(ROUNDS, rate(code, signal, 0, 0))
}

/// Returns the count of counter 0 with a control value.
fn count(bench: &mut Bench, control: u64) -> u64 {
    bench.wr(0, 0xc30, EN | RST | control);
    bench.machine.burst(SPAN);
    bench.rd(0, 0xc36)
}

#[test]
fn bands_t2_123() {
    let mut bench = Bench::usual();
    for band in 0..4_u64 {
        let event = 0x0B + band;
        let total = transactions(event, 8);
        for frequency in [0, 11, 12, 13, 20, 33, 34, 35, 0xFF] {
            // The other bytes are 0xFF: bands that no frequency reaches.
            let filter = !(0xFF << (8 * band)) & 0xFFFF_FFFF | frequency << (8 * band);
            bench.wr(0, 0xc34, filter);
            let passing = 23 - (frequency.clamp(12, 35) - 12);
            let first = 23 - passing;
            let expected = total / 23 * passing + (total % 23).saturating_sub(first);
            let counted = count(&mut bench, event);
            assert_eq!(counted, 3 * expected, "band {band} at {frequency}");
        }
    }
    bench.assert_clean();
}

#[test]
fn demotions_t2_123() {
    let mut bench = Bench::usual();
    let cores: Vec<u64> = (0x1E..=0x25).chain(0x40..=0x46).collect();
    assert_eq!(cores.len(), 15);
    let reasons = [0x01, 0x02, 0x03, 0x10, 0x40, 0x80, 0xFF];
    for event in cores {
        let total = transactions(event, 8);
        let mut sum = 0;
        for reason in reasons {
            bench.wr(0, 0xc34, 0x5A5A_5A00 | reason);
            sum += count(&mut bench, event);
        }
        assert_eq!(sum, 3 * total, "every demotion has one reason");
        for other in [0, 4, 0xFE] {
            bench.wr(0, 0xc34, 0x0101_0100 | other);
            assert_eq!(count(&mut bench, event), 0, "{other:#x} is no reason");
        }
        // The same code with the extra bit is another event, or none.
        bench.wr(0, 0xc34, 0);
        let other = count(&mut bench, 1 << 21 | event);
        assert_eq!(other > 0, event <= 0x25, "DELAYED_C_STATE_ABORT");
        bench.command("clear-violations");
    }
}

/// occ_sel and thresh of POWER_STATE_OCCUPANCY.
fn occupancy(occ_sel: u64, thresh: u64) -> u64 {
    thresh << 24 | occ_sel << 14 | 0x80
}

#[test]
fn sub_counters_t2_127() {
    let mut bench = Bench::usual();
    let counts = [1, 2, 3].map(|occ_sel| count(&mut bench, occupancy(occ_sel, 0)));
    let (c0, c3) = (transactions(0x80, 6), transactions(0x80, 7));
    // Blocks of max_inc 8: 8, 4, 1, 0.
    assert_eq!(counts, [13 * c0, 13 * c3, 13 * (c0 + c3)]);
    assert_ne!(c0, c3);
    bench.assert_clean();
    assert_eq!(count(&mut bench, occupancy(0, 0)), 0);
    assert_eq!(bench.broken(), [(Rule::UnknownUmask, 0)]);
}

#[test]
fn configuration_examples_1_to_4_of_t2_126() {
    let mut bench = Bench::usual();
    let voltage = count(&mut bench, 0x03);
    assert_eq!(
        voltage,
        3 * transactions(0x03, 8),
        "cycles with a transition"
    );
    let blocks = transactions(0x80, 6);
    let cores = count(&mut bench, occupancy(1, 0));
    assert_eq!(cores, 13 * blocks, "cores in C0, accumulated");
    let busy = count(&mut bench, occupancy(1, 5));
    assert_eq!(busy, blocks, "cycles with more than 4 cores in C0");
    let starts = count(&mut bench, OCC_EDGE_DET | occupancy(1, 5));
    assert_eq!(starts, blocks, "transitions into that");
    bench.assert_clean();
}

#[test]
fn inversion_counts_the_other_cycles() {
    let mut bench = Bench::usual();
    for (thresh, occ_sel) in [(1, 1), (4, 2), (5, 3), (8, 1), (9, 2), (31, 3)] {
        let above = count(&mut bench, occupancy(occ_sel, thresh));
        let below = count(&mut bench, OCC_INVERT | occupancy(occ_sel, thresh));
        assert_eq!(above + below, SPAN / 3, "thresh {thresh}");
    }
    bench.assert_clean();
}

#[test]
fn falling_edges_and_the_one_at_cycle_0() {
    let mut bench = Bench::usual();
    for (thresh, reached) in [(1, 1), (4, 1), (5, 1), (8, 1), (9, 0)] {
        let falling = OCC_INVERT | OCC_EDGE_DET | occupancy(2, thresh);
        let expected = 1 + reached * transactions(0x80, 7);
        assert_eq!(count(&mut bench, falling), expected, "thresh {thresh}");
    }
    // From the first cycle on: no core is in C3 before the first block.
    let falling = EN | RST | OCC_INVERT | OCC_EDGE_DET | occupancy(2, 5);
    for (uclk, expected) in [(0, 0), (2, 0), (3, 1), (3 * 32, 1)] {
        bench.wr(0, 0xc30, falling);
        bench.machine.burst(uclk);
        assert_eq!(bench.rd(0, 0xc36), expected, "{uclk} cycles of uclk");
    }
    bench.assert_clean();
}

#[test]
fn an_edge_is_where_the_value_falls() {
    // Blocks of C3 are cycles 28 to 31 of a round: 8, 4, 1, 0. With thresh 4 two
    // cycles are high, so the low phase starts in cycle 30.
    let mut bench = Bench::usual();
    let k = rate(0x80, 7, 0, 0);
    let first = (0..9).find(|round| on(round + 1, k) > 0);
    let start = 32 * first.expect("it comes") + 28;
    for (cycle, expected) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2)] {
        let falling = OCC_INVERT | OCC_EDGE_DET | occupancy(2, 4);
        bench.wr(0, 0xc30, EN | RST | falling);
        bench.machine.burst(3 * (start + cycle));
        assert_eq!(bench.rd(0, 0xc36), expected, "{cycle} cycles of the block");
    }
}

#[test]
fn either_edge_bit_and_both() {
    let mut bench = Bench::usual();
    for invert in [0, OCC_INVERT] {
        let control = invert | occupancy(3, 5);
        let counts = [OCC_EDGE_DET, EDGE_DET, OCC_EDGE_DET | EDGE_DET]
            .map(|edge| count(&mut bench, edge | control));
        assert_eq!(counts[0], counts[1]);
        assert_eq!(counts[0], counts[2]);
    }
    bench.assert_clean();
}

#[test]
fn without_a_threshold_they_are_reported() {
    let mut bench = Bench::usual();
    let plain = count(&mut bench, occupancy(1, 0));
    assert_eq!(count(&mut bench, OCC_INVERT | occupancy(1, 0)), plain);
    assert_eq!(bench.broken(), [(Rule::NoThreshold, 0)]);
    let edges = count(&mut bench, OCC_EDGE_DET | OCC_INVERT | occupancy(1, 0));
    assert_eq!(edges, transactions(0x80, 6), "thresh 0 counts as 1");
    assert_eq!(bench.broken(), [(Rule::NoThreshold, 0)]);
}

#[test]
fn occupancy_bits_belong_to_occupancy_events() {
    let mut bench = Bench::usual();
    let plain = count(&mut bench, 0x03);
    assert_eq!(count(&mut bench, OCC_INVERT | 1 << 24 | 0x03), plain);
    assert_eq!(bench.broken(), [(Rule::OccupancyOnly, OCC_INVERT)]);
    assert_eq!(count(&mut bench, OCC_EDGE_DET | 1 << 24 | 0x03), plain);
    let text = "package 0 pcu CTL0 (MSR 0xc30): bits 0x80000000 are for occupancy events only";
    assert_eq!(bench.command("violations"), text);
    bench.command("clear-violations");
    assert_eq!(count(&mut bench, 1 << 14 | 0x03), 0, "occ_sel 1");
    assert_eq!(bench.broken(), [(Rule::UnknownUmask, 0x40)]);
}

fn read(bench: &mut Bench, package: u8, core: u8, msr: u32) -> u64 {
    let cpu = Cpu {
        package,
        core,
        thread: 1,
    };
    let answer = bench.machine.rdmsr(cpu, msr);
    answer.expect("an MSR of the machine").expect("no fault")
}

#[test]
fn residency_of_each_core_t2_118_t2_124_t2_125() {
    let mut bench = Bench::new("packages=4,cores=15");
    bench.machine.burst(100_000);
    bench.machine.burst(100_000);
    for package in 0..4_u8 {
        for core in 0..15_u8 {
            let share = u64::from(15 * package + core + 1);
            let c3 = 2 * (100_000 * share / 1024);
            assert_eq!(read(&mut bench, package, core, 0x3fc), c3);
            assert_eq!(read(&mut bench, package, core, 0x3fd), 2 * c3);
        }
    }
    bench.assert_clean();
}

#[test]
fn residency_knows_nothing_of_pmon() {
    let mut bench = Bench::usual();
    bench.wr(0, 0xc00, 1 << 31);
    bench.wr(0, 0xc24, 0x3_0103);
    bench.machine.burst(1024);
    bench.wr(0, 0xc24, 0x3_0003);
    assert_eq!([bench.rd(0, 0x3fc), bench.rd(0, 0x3fd)], [1, 2]);
    bench.wr(0, 0x3fc, u64::MAX);
    bench.machine.burst(1024);
    assert_eq!(bench.rd(0, 0x3fc), 0, "64 bits, and round again");
    assert_eq!(
        read(&mut bench, 0, 1, 0x3fc),
        4,
        "another core's is its own"
    );
    assert_eq!(bench.command("peek-msr 0 0x3fd"), "0x4", "of core 0");
    bench.assert_clean();
}

#[test]
fn residency_runs_freely() {
    let mut bench = Bench::usual();
    bench.command("free-run on");
    for _ in 0..1000 {
        bench.machine.advance(1);
        read(&mut bench, 1, 3, 0x3fc);
    }
    bench.machine.advance(24);
    assert_eq!(read(&mut bench, 1, 3, 0x3fc), 15 + 3 + 1);
    bench.machine.burst(1024);
    assert_eq!(read(&mut bench, 1, 3, 0x3fd), 4 * 19);
    bench.command("free-run off");
    bench.machine.advance(5000);
    assert_eq!(read(&mut bench, 1, 3, 0x3fd), 4 * 19);
}
