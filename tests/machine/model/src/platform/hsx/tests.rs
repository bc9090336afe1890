// SPDX-License-Identifier: GPL-2.0

//! The model of HSX against Documentation/hardware/hsx.rst: functions, parts, and the readings of its
//! own points.

use uncore_catalogue::readings_with;

use crate::bench::{uncore, Bench};
use crate::readings::cases::{some, EN, ONES, OV_EN};
use crate::readings::Case;
use crate::registers::{
    check_fixed, check_functions, check_global, check_missing, check_others, At,
};

/// Two packages of four cores.
const USUAL: &str = "platform=hsx,cores=4";

/// `en` of control registers in PCI functions.
const ENABLE: u32 = 1 << 22;

/// Enables freeze and overflow of a box.
const ENABLES: u32 = 3 << 16;

/// Long enough for every attribute of a transaction to occur.
const LONG: u64 = 3_000_000;

#[test]
fn functions() {
    check_functions(USUAL, "hsx", &["ex"]);
    check_functions("platform=hsx,part=ex", "hsx", &[]);
    check_functions("platform=hsx,home-agents=1", "hsx", &["ex", "ha1"]);
    let mut bench = Bench::new("platform=hsx,cores=18");
    for (device, function, id) in [
        (8, 0, 0x2f80),
        (9, 0, 0x2f90),
        (16, 5, 0x2f1e),
        (30, 3, 0x2fc0),
        (12, 0, 0x2fe0),
        (14, 1, 0x2ff1),
    ] {
        let at = uncore(device, function);
        assert_eq!(bench.cfg(at, 0), id << 16 | 0x8086, "{at}");
    }
}

#[test]
fn registers_beside_the_boxes() {
    check_global(USUAL, 0x700, [0x4003_ffff, 0x1800_0000, 0x07fc_0000], 0);
    check_global(USUAL, 0x702, [0x1f, 0, !0x1f], 18);
    check_fixed(USUAL, At::Config(uncore(9, 0), 0xd4), 0b101, 0x7);
    check_others(USUAL, &[0x6ff, 0x70b, 0x71b, 0x748, 0xf20], &[]);
    for (options, capid4) in [("", 1 << 6), (",part=ex", 2 << 6), (",sboxes=2", 0)] {
        let options = format!("{USUAL}{options}");
        check_fixed(&options, At::Config(uncore(30, 3), 0x94), capid4, u32::MAX);
    }
    check_missing("platform=hsx,sboxes=4:2", (0x726, 0xa), 4, 0b11);
    check_missing(
        "platform=hsx,cores=4,cbox-mask=f:20009",
        (0xe08, 0x10),
        18,
        0x2_0009,
    );
}

/// Counts an event of an MSR box on a counter, with a value in a register before.
fn count(bench: &mut Bench, [control, counter]: [u32; 2], event: u64, filter: (u32, u64)) -> u64 {
    bench.wr(0, filter.0, filter.1);
    bench.wr(0, control, event);
    bench.wr(0, counter, 0);
    bench.wr(0, control, event | EN);
    bench.machine.burst(LONG);
    bench.rd(0, counter)
}

/// Counts an event of a PCI box on a counter.
fn count_of(bench: &mut Bench, (device, function): (u8, u8), counter: u16, event: u32) -> u64 {
    let at = uncore(device, function);
    bench.set(at, 0xd8 + 4 * counter, event);
    bench.set(at, 0xd8 + 4 * counter, ENABLE | event);
    bench.machine.burst(LONG);
    bench.cfg_counter(at, 0xa0 + 8 * counter)
}

/// What counters of UBox, S-Box and R3QPI keep.
fn widths(bench: &mut Bench) -> Vec<u64> {
    bench.wr(0, 0x709, ONES);
    bench.wr(0, 0x726, ONES);
    bench.set_counter(uncore(11, 1), 0xa0, ONES);
    let link = bench.cfg_counter(uncore(11, 1), 0xa0);
    vec![bench.rd(0, 0x709), bench.rd(0, 0x726), link]
}

/// Lets a counter of a box with MSRs wrap, and returns a register.
fn wrapped(bench: &mut Bench, base: u32, counter: u32, register: u32) -> u64 {
    bench.wr(0, base, ENABLES.into());
    bench.wr(0, base + 1, 0);
    bench.wr(0, base + 1, EN);
    bench.wr(0, counter, ONES - 9);
    bench.machine.burst(100);
    bench.rd(0, register)
}

const NARROW: u64 = (1 << 44) - 1;

const fn widths_by(reading: &'static str, other: &'static [u64]) -> Case {
    Case {
        reading,
        options: USUAL,
        act: widths,
        first: &[ONES; 3],
        other,
    }
}

/// EVENT_MSG.DOORBELL_RCVD, without and with a thread.
fn messages(bench: &mut Bench) -> Vec<u64> {
    let of = [0, 5].map(|thread| count(bench, [0x705, 0x709], 0x0842, (0x707, thread)));
    vec![u64::from(of[0] > of[1]), some(of[1])]
}

pub(crate) const CASES: &[Case] = &[
    widths_by("H-1:b", &[NARROW, ONES, ONES]),
    widths_by("H-1:c", &[ONES, NARROW, ONES]),
    widths_by("H-1:d", &[ONES, ONES, NARROW]),
    widths_by("H-1:e", &[NARROW; 3]),
    Case {
        reading: "H-3:b",
        options: USUAL,
        act: |bench| vec![wrapped(bench, 0xe20, 0xe28, 0x701)],
        first: &[0],
        other: &[1 << 5],
    },
    Case {
        reading: "H-3:c",
        options: USUAL,
        act: |bench| {
            let at = uncore(9, 2);
            bench.set(at, 0xf4, ENABLES);
            bench.set(at, 0xd8, ENABLE | OV_EN as u32 | 0x14);
            bench.set_counter(at, 0xa0, ONES - 9);
            bench.machine.burst(1000);
            vec![bench.rd(0, 0x701)]
        },
        first: &[1 << 25],
        other: &[1 << 26],
    },
    Case {
        reading: "H-4:b",
        options: "platform=hsx,sboxes=2",
        act: |bench| vec![bench.read_faults(0, 0x720).unwrap_or_default().into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "H-4:c",
        options: USUAL,
        act: |bench| vec![wrapped(bench, 0x720, 0x726, 0x725)],
        first: &[1],
        other: &[0],
    },
    Case {
        reading: "H-6:b",
        options: USUAL,
        act: |bench| vec![bench.cfg(uncore(30, 3), 0x98).into()],
        first: &[0xf],
        other: &[0],
    },
    Case {
        reading: "H-6:c",
        options: USUAL,
        act: |bench| vec![bench.cfg(uncore(30, 3), 0x98).into()],
        first: &[0xf],
        other: &[0xffff_ffff],
    },
    Case {
        reading: "H-7:b",
        options: USUAL,
        act: |bench| vec![bench.write_faults(0, 0x707).unwrap_or_default().into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "H-7:c",
        options: USUAL,
        act: messages,
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "H-11:b",
        options: "platform=hsx,part=ex",
        act: |bench| {
            let id = bench.machine.config_read(uncore(10, 6), 0, 4);
            vec![id.unwrap_or(u32::MAX).into()]
        },
        first: &[0x2f46_8086],
        other: &[0xffff_ffff],
    },
    Case {
        reading: "H-13:b",
        options: USUAL,
        act: |bench| {
            let filters = [(0xe05, 0x3c0), (0xe06, 1 << 29)];
            filters
                .map(|(msr, bits)| {
                    bench.wr(0, msr, bits);
                    bench.rd(0, msr)
                })
                .into()
        },
        first: &[0x3c0, 1 << 29],
        other: &[0, 0],
    },
    Case {
        reading: "H-13:c",
        options: USUAL,
        act: |bench| {
            bench.wr(0, 0xe06, 0x182 << 20);
            vec![some(count(bench, [0xe01, 0xe08], 0x0135, (0xe05, 0x40)))]
        },
        first: &[1],
        other: &[0],
    },
    Case {
        reading: "H-16:b",
        options: USUAL,
        act: |bench| vec![some(count(bench, [0xe02, 0xe09], 0x09, (0xe05, 0)))],
        first: &[1],
        other: &[0],
    },
    Case {
        reading: "H-17:b",
        options: USUAL,
        act: |bench| vec![count_of(bench, (11, 1), 2, 0x01)],
        first: &[LONG],
        other: &[0],
    },
    Case {
        reading: "H-18:b",
        options: USUAL,
        act: |bench| vec![some(count_of(bench, (11, 1), 1, 0x012a))],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "H-19:b",
        options: USUAL,
        act: |bench| vec![some(count_of(bench, (18, 1), 3, 0x0161))],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "H-23:c",
        options: USUAL,
        act: |bench| {
            bench.set(uncore(18, 1), 0xd8, ENABLE | 0x0301);
            vec![bench.cfg(uncore(18, 1), 0xd8).into()]
        },
        first: &[0x40_0301],
        other: &[0x40_0300],
    },
    Case {
        reading: "H-24:c",
        options: USUAL,
        act: |bench| {
            bench.set(uncore(8, 2), 0xd8, ENABLE | 1 << 17 | 0x14);
            bench.machine.burst(6000);
            vec![
                bench.cfg_counter(uncore(8, 2), 0xa0),
                bench.cfg(uncore(8, 2), 0xd8).into(),
            ]
        },
        first: &[0, 0x42_0014],
        other: &[5000, 0x40_0014],
    },
    Case {
        reading: "H-26:b",
        options: USUAL,
        act: |bench| vec![count(bench, [0xe01, 0xe08], 1 << 24 | 1 << 23, (0xe05, 0))],
        first: &[0],
        other: &[LONG],
    },
];

/// Points of its own are in place of some of Broadwell's, and others are not in question.
#[test]
fn points_of_broadwell_hold_unless_there_are_others() {
    for (difference, reading) in [
        ("OneWrite", &["H-23:b"][..]),
        ("CountersIgnore", &["B-24:b", "B-24:c"]),
        ("HighHalfFaults", &["U-20:b"]),
        ("WideCoreSelect", &[]),
        ("SwappedChannels", &[]),
    ] {
        assert_eq!(readings_with(difference, "hsx"), reading, "{difference}");
    }
}
