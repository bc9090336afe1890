// SPDX-License-Identifier: GPL-2.0

//! The model of JKT against Documentation/hardware/jkt.rst: functions, what faults, the filter of the
//! C-Box, freeze and resets, overflows, and the readings of its own points.

use uncore_catalogue::readings_with;
use uncore_machine::Rule;

use crate::bench::{uncore, Bench, EN, IRP};
use crate::readings::cases::ONES;
use crate::readings::Case;
use crate::registers::{check_fixed, check_functions, check_missing, check_others, At};

/// Two packages of four cores.
const USUAL: &str = "platform=jkt,cores=4";

/// `en` of control registers in PCI functions.
const ENABLE: u32 = 1 << 22;

/// `frz_en` of box control registers, with and without `frz`.
const RUN: u32 = 0x1_0000;
const FREEZE: u32 = 0x1_0100;

/// Long enough for every attribute of a transaction to occur.
const LONG: u64 = 3_000_000;

#[test]
fn functions() {
    check_functions(USUAL, "jkt", &[]);
    let mut bench = Bench::new("platform=jkt,cboxes=6");
    for (device, function, id) in [
        (8, 0, 0x3c80),
        (9, 0, 0x3c90),
        (11, 0, 0x3ce0),
        (12, 2, 0x3ce8),
        (13, 2, 0x3ce8),
    ] {
        let at = uncore(device, function);
        assert_eq!(bench.cfg(at, 0), id << 16 | 0x8086, "{at}");
    }
    for (device, function) in [(12, 3), (13, 3), (16, 2), (19, 4), (5, 6)] {
        let id = bench.machine.config_read(uncore(device, function), 0, 4);
        assert_eq!(id, None, "{device}.{function}");
    }
}

#[test]
fn registers_beside_the_boxes() {
    const STATUS: [u32; 3] = [0xc15, 0xc35, 0xd15];
    check_others(
        USUAL,
        &[0xbff, 0xc18, 0xc3a, 0xe00],
        &[[0xc00, 0xc01, 0xc06], STATUS].concat(),
    );
    check_fixed(USUAL, At::Config(uncore(9, 0), 0xd4), 0b101, 0x17);
    check_missing("platform=jkt,cores=4,cboxes=6", (0xd04, 0x20), 8, 0b11_1111);
    let mut bench = Bench::new(USUAL);
    for (device, function) in [(14, 1), (16, 0), (8, 2), (19, 1), (19, 5)] {
        assert_eq!(bench.cfg(uncore(device, function), 0xf8), 0, "no status");
        assert_eq!(bench.broken(), [(Rule::Undocumented, 0)]);
    }
}

/// Counts an event of a box with MSRs on counter 0.
fn count(bench: &mut Bench, base: u32, event: u64) -> u64 {
    bench.wr(0, base + 0x10, event | EN);
    bench.wr(0, base + 0x16, 0);
    bench.machine.burst(LONG);
    bench.rd(0, base + 0x16)
}

/// Lookups of a state, requests of an opcode and of a node, and those of a thread: each with one field
/// of the filter, and with another value of it.
#[test]
fn each_field_of_the_filter() {
    let mut bench = Bench::new(USUAL);
    for (event, one, all) in [
        (0x0334, 1 << 18, 0x1f << 18),
        (0x0135, 0x182 << 23, 0x1ff << 23),
        (0x4835, 1 << 10, 0xff << 10),
        (0x8_0039 | 0x0400, 3, 0x1f),
    ] {
        let of = [one, all, 0].map(|filter| {
            bench.wr(0, 0xd14, filter);
            count(&mut bench, 0xd00, event)
        });
        assert!(of[0] > 0 && of[0] != of[1], "{event:#x}: {of:?}");
        assert!(of[2] < of[0], "{event:#x}: {of:?}");
    }
    bench.assert_clean();
}

#[test]
fn a_box_freezes_only_with_its_enable() {
    let mut bench = Bench::new(USUAL);
    let (cbox, agent) = (0xd00, uncore(14, 1));
    bench.wr(0, cbox + 0x10, EN);
    bench.set(agent, 0xd8, ENABLE);
    let passed = |bench: &mut Bench, value: u32| {
        bench.wr(0, cbox + 4, value.into());
        bench.set(agent, 0xf4, value);
        let before = [bench.rd(0, cbox + 0x16), bench.cfg_counter(agent, 0xa0)];
        bench.machine.burst(100);
        let after = [bench.rd(0, cbox + 0x16), bench.cfg_counter(agent, 0xa0)];
        [0, 1].map(|n: usize| after[n] - before[n])
    };
    assert_eq!(passed(&mut bench, RUN), [100; 2]);
    assert_eq!(passed(&mut bench, FREEZE), [0; 2]);
    assert_eq!(passed(&mut bench, 1 << 8), [100; 2], "without frz_en");
    bench.assert_clean();
    assert_eq!(bench.cfg(agent, 0xf4), 0);
    bench.set(agent, 0xf4, RUN);
    assert_eq!(bench.cfg(agent, 0xf4), RUN);
}

/// Examples 5 and 6 of section 7.6: an event while more than four cores, or fewer than four, are in
/// C0. No voltage changes while a core is in a state; below a threshold all of the event counts.
#[test]
fn an_event_beside_an_occupancy() {
    const BELOW: u64 = 1 << 30;
    let mut bench = Bench::new(USUAL);
    bench.wr(0, 0xc34, 0x14);
    let of = [
        0x0300_0000 | 0x4083,
        0x0400_0000 | BELOW | 0x408b,
        0x03,
        0x0b,
    ]
    .map(|event| count(&mut bench, 0xc20, event));
    assert_eq!(of[..2], [0, of[3]]);
    assert!(of[2] > 0 && of[3] > 0);
    bench.assert_clean();
}

/// Bits 1:0 of a box control register reset all but home agents and channels.
#[test]
fn resets() {
    let mut bench = Bench::new(USUAL);
    for (device, function, clock, acts) in [
        (14, 1, 0x00, false),
        (16, 0, 0x00, false),
        (8, 2, 0x14, true),
        (19, 1, 0x01, true),
        (19, 5, 0x01, true),
    ] {
        let at = uncore(device, function);
        bench.set(at, 0xd8, ENABLE | clock);
        bench.set_counter(at, 0xa0, 7);
        bench.set(at, 0xf4, RUN | 0b11);
        let left = [bench.cfg_counter(at, 0xa0), bench.cfg(at, 0xd8).into()];
        assert_eq!(
            left,
            if acts {
                [0, 0]
            } else {
                [7, EN | u64::from(clock)]
            },
            "{at}"
        );
        let broken = (!acts).then_some((Rule::MustBeZero, 0b11));
        assert_eq!(bench.broken(), Vec::from_iter(broken), "{at}");
    }
}

#[test]
fn counters_wrap_in_silence() {
    let mut bench = Bench::new(USUAL);
    let (link, agent) = (uncore(19, 5), uncore(14, 1));
    for (at, bits, event) in [(link, 44, 0x01), (agent, 48, 0x00)] {
        bench.set(at, 0xd8, ENABLE | event);
        bench.set_counter(at, 0xa0, (1 << bits) - 10);
    }
    bench.wr(0, 0xc08, EN);
    bench.wr(0, 0xc09, ONES - 9);
    bench.machine.burst(100);
    let counts = [
        bench.cfg_counter(link, 0xa0),
        bench.cfg_counter(agent, 0xa0),
    ];
    assert_eq!((counts, bench.rd(0, 0xc09)), ([90; 2], 90));
    assert!(bench.machine.take_interrupts().is_empty());
    bench.assert_clean();
}

pub(crate) const CASES: &[Case] = &[Case {
    reading: "J-11:b",
    options: USUAL,
    act: |bench| vec![bench.machine.config_read(IRP, 0, 4).is_some().into()],
    first: &[0],
    other: &[1],
}];

/// Readings of IVB-EP hold unless this part has others, or has not what they are about.
#[test]
fn points_of_ivbep_hold_unless_there_are_others() {
    for (difference, reading) in [
        ("HighHalfFaults", &["U-20:b"][..]),
        ("RingCounters", &["J-19:b"]),
        ("MaskIgnores", &["U-23:b"]),
        ("WakesAll", &[]),
        ("NarrowIrp", &[]),
        ("FixedSurvivesReset", &[]),
    ] {
        assert_eq!(readings_with(difference, "jkt"), reading, "{difference}");
    }
}
