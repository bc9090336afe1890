// SPDX-License-Identifier: GPL-2.0

//! Overflow on BDX: the bits of GLOBAL_STATUS, and boxes that have none.

use super::{pci_boxes, CHANNELS, EN, ENABLES, LARGEST, LINKS, OV_EN};
use crate::bench::{uncore, Bench};

/// A machine in which every counter of every box in configuration space counts clocks of
/// its own, with overflow enabled. No counter is near its overflow.
fn armed() -> Bench {
    let mut bench = Bench::new(LARGEST);
    for (at, counters) in pci_boxes() {
        // DCLOCKTICKS, CLOCKTICKS: 0x00, but 0x01 for the rings and 0x14 for QPI.
        let event = match at.device {
            11 | 16 => 0x01,
            8..=10 => 0x14,
            _ => 0x00,
        };
        bench.set(at, 0xf4, ENABLES);
        for counter in 0..counters {
            let control = OV_EN | event;
            bench.set(at, 0xd8 + 4 * counter, control);
            bench.set(at, 0xd8 + 4 * counter, EN | control);
        }
    }
    bench.wr(0, 0x710, ENABLES.into());
    bench.assert_clean();
    bench
}

/// The bit of GLOBAL_STATUS that a box sets; R3QPI sets two.
fn bits(device: u8, function: u8) -> u64 {
    match (device, function) {
        (18, 1) => 1 << 21,
        (18, _) => 1 << 22,
        (20 | 21, _) => 1 << 23,
        (23 | 24, _) => 1 << 24,
        (8 | 9, _) => 1 << 25,
        (10, _) => 1 << 26,
        (11, 1 | 2) => 1 << 27 | 1 << 35,
        (11, _) => 1 << 28 | 1 << 35,
        (16, _) => 1 << 29,
        _ => 1 << 34,
    }
}

#[test]
fn each_box_sets_its_bits() {
    for (at, counters) in pci_boxes() {
        let lows: &[u16] = match at.device {
            5 => &[0xa0, 0xb0, 0xb8, 0xc0],
            _ => &[0xa0, 0xa8, 0xb0, 0xb8],
        };
        for (counter, low) in lows.iter().enumerate().take(counters.into()) {
            let mut bench = armed();
            bench.set_counter(at, *low, (1 << 48) - 10);
            bench.machine.burst(10_000);
            let wanted = bits(at.device, at.function);
            assert_eq!(bench.rd(0, 0x701), wanted, "{at} counter {counter}");
            let first = usize::from((20..=24).contains(&at.device));
            assert_eq!(bench.cfg(at, 0xf8), 1 << (first + counter), "{at}");
            assert_eq!(bench.rd(1, 0x701), 0);
        }
    }
}

#[test]
fn ubox_and_pcu_set_their_bits() {
    for (control, counter, event, wanted) in [
        (0x703, 0x704, 0, 1),
        (0x705, 0x709, 0x0842, 2),
        (0x706, 0x70a, 0x0842, 2),
        (0x711, 0x717, 0, 4),
        (0x714, 0x71a, 0, 4),
    ] {
        let mut bench = armed();
        bench.wr(0, control, u64::from(EN | OV_EN) | event);
        bench.wr(0, counter, (1 << 48) - 10);
        bench.machine.burst(10_000);
        assert_eq!(bench.rd(0, 0x701), wanted, "{counter:#x}");
        bench.assert_clean();
    }
}

#[test]
fn the_fixed_counter_of_a_channel_is_status_bit_0() {
    for (device, function) in CHANNELS {
        let (mut bench, at) = (armed(), uncore(device, function));
        bench.set(at, 0xf0, EN | OV_EN);
        bench.set_counter(at, 0xd0, (1 << 48) - 10);
        bench.machine.burst(10_000);
        assert_eq!(bench.cfg(at, 0xf8), 1);
        assert_eq!(bench.rd(0, 0x701), bits(device, function));
    }
}

#[test]
fn c_boxes_and_s_boxes_set_their_status_only() {
    let mut bench = armed();
    for (base, status) in [(0xe00, 7), (0xf70, 7), (0x720, 5), (0x73e, 5)] {
        bench.wr(0, base, ENABLES.into());
        bench.wr(0, base + 2, 0);
        bench.wr(0, base + 2, EN.into());
        bench.wr(0, base + status + 2, (1 << 48) - 10);
        bench.machine.burst(100);
        assert_eq!(bench.rd(0, base + status), 0b10, "{base:#x}");
        assert_eq!(bench.rd(0, base + status + 2), 90, "it goes on");
        bench.wr(0, base + status, 0b10);
        assert_eq!(bench.rd(0, base + status), 0);
    }
    assert_eq!(bench.rd(0, 0x701), 0);
    bench.assert_clean();
}

#[test]
fn a_link_overflows_again_when_a_bit_is_clear() {
    let (device, function) = LINKS[0];
    let (mut bench, at) = (armed(), uncore(device, function));
    let overflow = |bench: &mut Bench| {
        bench.set_counter(at, 0xa0, (1 << 48) - 10);
        bench.wr(0, 0x700, 1 << 29);
        bench.machine.burst(1000);
        bench.rd(0, 0x701)
    };
    let both = 1 << 27 | 1 << 35;
    assert_eq!(overflow(&mut bench), both);
    bench.set(at, 0xf8, 1);
    assert_eq!(overflow(&mut bench), both, "nothing new");
    assert_eq!(
        bench.cfg_counter(at, 0xa0),
        990,
        "no freeze without a message"
    );
    bench.set(at, 0xf8, 1);
    bench.wr(0, 0x701, both);
    assert_eq!(overflow(&mut bench), both);
    assert_eq!(
        bench.cfg_counter(at, 0xa0),
        0,
        "frozen in the cycle of the wrap"
    );
}
