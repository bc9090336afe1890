// SPDX-License-Identifier: GPL-2.0

//! What writes to registers of BDX do beside storing a value.

use uncore_machine::Rule;

use super::{pci_boxes, usual, EN, ENABLES, LARGEST, LINKS, OV_EN};
use crate::bench::{uncore, Bench};

#[test]
fn ring_boxes_take_an_event_when_written_twice() {
    let mut bench = Bench::new(LARGEST);
    let rings = LINKS.into_iter().chain([(16, 1)]);
    for (device, function) in rings {
        let at = uncore(device, function);
        // RxR_INSERTS, with its sub-event for both types.
        bench.set(at, 0xd8, EN | 0x1011);
        assert_eq!(bench.cfg(at, 0xd8), EN | 0x1000, "the old event select");
        assert_eq!(bench.broken(), [(Rule::WrittenOnce, 0x11)]);
        bench.machine.burst(1000);
        assert_eq!(bench.cfg_counter(at, 0xa0), 0);
        bench.set(at, 0xd8, 0x1011);
        bench.set(at, 0xd8, EN | 0x1011);
        assert_eq!(bench.cfg(at, 0xd8), EN | 0x1011);
        bench.set(at, 0xd8, EN | 0x1011);
        bench.assert_clean();
        bench.machine.burst(1000);
        assert!(bench.cfg_counter(at, 0xa0) > 0);
        // Another event needs both writes again.
        bench.set(at, 0xd8, EN | 0x1010);
        assert_eq!(bench.cfg(at, 0xd8), EN | 0x1011);
        assert!(bench.broken().contains(&(Rule::WrittenOnce, 0x10)));
    }
}

#[test]
fn s_boxes_take_an_event_when_written_twice() {
    let mut bench = usual();
    for base in [0x720, 0x72a, 0x734, 0x73e] {
        for counter in 1..5 {
            bench.wr(0, base + counter, u64::from(EN) | 0x0102);
            assert_eq!(bench.rd(0, base + counter), u64::from(EN) | 0x0100);
            assert_eq!(bench.broken(), [(Rule::WrittenOnce, 0x02)]);
            bench.wr(0, base + counter, 0x0102);
            bench.wr(0, base + counter, u64::from(EN) | 0x0102);
            assert_eq!(bench.rd(0, base + counter), u64::from(EN) | 0x0102);
            bench.assert_clean();
        }
    }
}

#[test]
fn other_boxes_take_an_event_at_once() {
    let mut bench = usual();
    let event = u64::from(EN) | 0x0113;
    bench.wr(0, 0xe01, event);
    assert_eq!(bench.rd(0, 0xe01), event);
    bench.set(uncore(20, 0), 0xd8, EN | 0x0304);
    assert_eq!(bench.cfg(uncore(20, 0), 0xd8), EN | 0x0304);
    bench.assert_clean();
}

#[test]
fn s_boxes_are_reset_in_steps() {
    let mut bench = usual();
    for base in [0x720, 0x72a, 0x734, 0x73e] {
        bench.wr(0, base + 6, 5);
        bench.wr(0, base + 1, 0x0102);
        assert!(bench.write_of_faults(0, base, 0x30003));
        assert_eq!(bench.broken(), [(Rule::ResetAtOnce, 0)]);
        assert_eq!(bench.rd(0, base + 6), 5, "the fault has no effect");
        for value in [0x1, 0x3, 0x10003, 0x30003] {
            assert!(!bench.write_of_faults(0, base, value), "{value:#x}");
        }
        assert_eq!([bench.rd(0, base + 6), bench.rd(0, base + 1)], [0, 0]);
        for value in [0x30100, 0x30000, 0x30001, 0x30002] {
            assert!(!bench.write_of_faults(0, base, value), "{value:#x}");
        }
        bench.assert_clean();
        assert!(!bench.write_of_faults(0, base, 0x100));
        assert_eq!(bench.broken(), [(Rule::MustBeOne, ENABLES.into())]);
    }
    for other in [0xe00, 0x710] {
        assert!(!bench.write_of_faults(0, other, 0x30003), "{other:#x}");
    }
}

#[test]
fn the_reset_bit_of_qpi_stays() {
    let mut bench = usual();
    let at = uncore(8, 2);
    let rst = 1 << 17;
    bench.set(at, 0xd8, EN | 0x14);
    bench.machine.burst(6000);
    assert_eq!(bench.cfg_counter(at, 0xa0), 5000, "clocks, 5/6 of uclk");
    bench.set(at, 0xd8, EN | rst | 0x14);
    assert_eq!(bench.broken(), [(Rule::HeldInReset, 0)]);
    bench.machine.burst(6000);
    bench.set_counter(at, 0xa0, 77);
    assert_eq!(bench.cfg_counter(at, 0xa0), 0, "held at 0");
    bench.set(at, 0xd8, EN | 0x14);
    bench.machine.burst(6000);
    assert_eq!(bench.cfg_counter(at, 0xa0), 5000);
    bench.assert_clean();
    // Elsewhere the bit only acts.
    let at = uncore(20, 0);
    bench.set(at, 0xd8, EN | rst);
    bench.machine.burst(1800);
    assert_eq!(bench.cfg_counter(at, 0xa0), 700);
    bench.assert_clean();
}

/// Counts the packets of class 15, which do not exist, by these options, with these words in
/// MATCH0 and MASK0 of the set for sent packets.
fn packets(options: &str, [match0, mask0]: [u32; 2]) -> u64 {
    const NONE: u32 = 0xf << 9;
    let mask_of_class = if options.contains("U-23:b") { 0 } else { NONE };
    let mut bench = Bench::new(options);
    let (at, filters) = (uncore(8, 2), uncore(8, 6));
    let received = [(0x228, NONE), (0x238, mask_of_class)];
    let sent = [(0x200, match0), (0x210, mask0)];
    for (offset, value) in received.into_iter().chain(sent) {
        bench.set(filters, offset, value);
    }
    bench.set(at, 0xd8, EN | 1 << 21 | 0x38);
    bench.machine.burst(6000);
    bench.assert_clean();
    bench.cfg_counter(at, 0xa0)
}

#[test]
fn sent_packets_count_by_one_reading() {
    // Class 14, which packets have, class 15, and with it node 31.
    let (some, none, nowhere) = (0x1c00, 0x1e00, 0x3_fe00);
    for (options, sent, counts) in [
        ("platform=bdx", [0, 0], false),
        ("platform=bdx,reading=B-6:b", [0, 0], true),
        ("platform=bdx,reading=B-6:b", [some, some], true),
        ("platform=bdx,reading=B-6:b", [none, none], false),
        ("platform=bdx,reading=B-6:b", [nowhere, none], false),
        // A mask bit that is 1 ignores.
        ("platform=bdx,reading=B-6:b+U-23:b", [none, none], true),
        ("platform=bdx,reading=B-6:b+U-23:b", [nowhere, none], false),
        ("platform=bdx,reading=B-6:b+U-23:b", [none, 0], false),
    ] {
        assert_eq!(packets(options, sent) > 0, counts, "{options} {sent:x?}");
    }
}

#[test]
fn a_box_obeys_a_freeze_if_it_is_enabled() {
    for (enables, counted) in [(0, 2000), (1 << 17, 2000), (1 << 16, 1000), (ENABLES, 1000)] {
        let mut bench = usual();
        bench.wr(0, 0xe00, enables.into());
        bench.wr(0, 0xe01, EN.into());
        bench.machine.burst(1000);
        bench.wr(0, 0x700, 1 << 31);
        bench.machine.burst(1000);
        assert_eq!(bench.rd(0, 0xe08), counted, "global freeze, {enables:#x}");
        bench.wr(0, 0x700, 1 << 29);
        bench.wr(0, 0xe00, (enables | 1 << 8).into());
        bench.machine.burst(1000);
        let more = if counted == 1000 { 0 } else { 1000 };
        assert_eq!(bench.rd(0, 0xe08), counted + more, "own freeze");
    }
}

#[test]
fn rings_obey_a_freeze_without_enables() {
    let mut bench = usual();
    let at = uncore(16, 1);
    bench.set(at, 0xd8, 0x01);
    bench.set(at, 0xd8, EN | 0x01);
    bench.machine.burst(1000);
    bench.wr(0, 0x700, 1 << 31);
    bench.machine.burst(1000);
    assert_eq!(bench.cfg_counter(at, 0xa0), 1000);
}

/// Lets counter 0 of a box overflow and returns GLOBAL_STATUS.
fn status_after_overflow(enables: u32) -> u64 {
    let mut bench = usual();
    let at = uncore(18, 1);
    bench.set(at, 0xf4, enables);
    bench.set(at, 0xd8, EN | OV_EN);
    bench.set_counter(at, 0xa0, (1 << 48) - 10);
    bench.machine.burst(1000);
    assert_eq!(bench.cfg(at, 0xf8), 1, "the status is set in any case");
    bench.rd(0, 0x701)
}

#[test]
fn a_box_sends_overflows_if_it_is_enabled() {
    let ha0 = 1 << 21;
    let statuses = [0, 1 << 16, 1 << 17, ENABLES].map(status_after_overflow);
    assert_eq!(statuses, [0, 0, ha0, ha0]);
}

#[test]
fn a_reset_clears_what_it_should() {
    let mut bench = Bench::new(LARGEST);
    for (at, counters) in pci_boxes() {
        for counter in 0..counters {
            bench.set(at, 0xd8 + 4 * counter, 0x0101);
        }
        bench.set(at, 0xa0, 7);
        bench.set(at, 0xf4, ENABLES | 3);
        for counter in 0..counters {
            assert_eq!(bench.cfg(at, 0xd8 + 4 * counter), 0);
        }
        assert_eq!(bench.cfg(at, 0xa0), 0);
    }
    bench.assert_clean();
}
