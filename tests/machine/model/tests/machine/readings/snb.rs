// SPDX-License-Identifier: GPL-2.0

//! Readings of Sandy Bridge client.

use super::events::{some, LONG};
use super::registers::{faults, kept, writes};
use super::Case;
use crate::bench::Bench;
use uncore_machine::Function;

const SNB: &str = "platform=snb,cores=4";
const CONTROL: u32 = 0x391;
const STATUS: u32 = 0x392;
const CONFIG: u32 = 0x396;
const FIXED_CTRL: u32 = 0x394;
const FIXED_CTR: u32 = 0x395;
const GLOBAL_EN: u64 = 1 << 29;
const FREEZE: u64 = 1 << 31;
const EN: u64 = 1 << 22;
const OVF_EN: u64 = 1 << 20;
const EDGE: u64 = 1 << 18;
const INV: u64 = 1 << 23;
/// Lookups of any kind in any state.
const LOOKUP: u64 = 0x8f34;
/// TRK_OCCUPANCY.
const OCCUPANCY: u64 = 0x0180;

/// Counts an event: control register, counter, control.
fn count(bench: &mut Bench, control: u32, counter: u32, value: u64) -> u64 {
    bench.wr(0, counter, 0);
    bench.wr(0, control, EN | value);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
    bench.machine.burst(LONG);
    bench.rd(0, counter)
}

/// Counts an event of C-Box 0 on counter 0.
fn cbox(bench: &mut Bench, value: u64) -> u64 {
    count(bench, 0x700, 0x706, value)
}

/// Counts an event of the ARB.
fn arb(bench: &mut Bench, counter: u32, value: u64) -> u64 {
    count(bench, 0x3b2 + counter, 0x3b0 + counter, value)
}

/// Values of a control register and its counter after a sleep of the package.
fn slept(bench: &mut Bench) -> Vec<u64> {
    let before = cbox(bench, LOOKUP);
    bench.command("lose-enable 0");
    vec![
        bench.rd(0, CONTROL),
        bench.rd(0, 0x700),
        u64::from(bench.rd(0, 0x706) == before),
    ]
}

const BRIDGE: Function = Function {
    bus: 0,
    device: 0,
    function: 0,
};

pub(super) const CASES: &[Case] = &[
    Case {
        reading: "S-2:b",
        options: SNB,
        act: |bench| vec![bench.rd(0, CONFIG)],
        first: &[5],
        other: &[4],
    },
    Case {
        reading: "S-2:c",
        options: "platform=snb,cores=2",
        act: |bench| {
            let graphics = bench.read_faults(0, 0x740).unwrap_or(true);
            if !graphics {
                bench.wr(0, 0x740, EN | LOOKUP);
                bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
                bench.machine.burst(LONG);
            }
            let counted = if graphics { 0 } else { bench.rd(0, 0x746) };
            vec![graphics.into(), some(counted), bench.rd(0, CONFIG)]
        },
        first: &[1, 0, 3],
        other: &[0, 1, 3],
    },
    Case {
        reading: "S-3:b",
        options: SNB,
        act: |bench| {
            for n in 0..4 {
                bench.wr(0, 0x700 + 0x10 * n, EN | LOOKUP);
            }
            bench.wr(0, CONTROL, GLOBAL_EN | 0b1_0110);
            bench.machine.burst(LONG);
            let counted = [0, 1, 2, 3].map(|n| some(bench.rd(0, 0x706 + 0x10 * n)));
            // The ARB and the fixed counter count all the same, and interrupt.
            bench.wr(0, FIXED_CTRL, EN | OVF_EN);
            bench.wr(0, FIXED_CTR, (1 << 48) - 1);
            bench.machine.burst(10);
            let pmis = bench.machine.take_interrupts();
            let cores = pmis.iter().map(|pmi| u64::from(pmi.cores)).sum();
            [&counted[..], &[cores]].concat()
        },
        first: &[1, 1, 1, 1, 0b0110],
        other: &[0, 1, 1, 0, 0b1111],
    },
    Case {
        reading: "S-3:c",
        options: "platform=snb,cores=2",
        act: |bench| {
            bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
            vec![bench.rd(0, CONTROL)]
        },
        first: &[GLOBAL_EN | 0xf],
        other: &[GLOBAL_EN | 0x3],
    },
    Case {
        reading: "S-4:b",
        options: SNB,
        act: |bench| {
            let counted = some(count(bench, 0x712, 0x718, LOOKUP));
            bench.wr(0, 0x718, (1 << 44) - 1);
            bench.machine.burst(1000);
            vec![counted, bench.rd(0, 0x715)]
        },
        first: &[0, 0],
        other: &[1, 1 << 2],
    },
    Case {
        reading: "S-4:c",
        options: SNB,
        act: |bench| {
            [0x702, 0x715, 0x729]
                .map(|msr| faults(bench.read_faults(0, msr)))
                .to_vec()
        },
        first: &[0; 3],
        other: &[1; 3],
    },
    Case {
        reading: "S-5:b",
        options: SNB,
        act: |bench| {
            bench.wr(0, FIXED_CTRL, EN | OVF_EN);
            let mut seen = Vec::new();
            for _ in 0..2 {
                bench.wr(0, FIXED_CTR, (1 << 48) - 1);
                bench.wr(0, CONTROL, FREEZE | GLOBAL_EN | 1);
                bench.machine.burst(1000);
                seen.extend([
                    bench.machine.take_interrupts().len() as u64,
                    bench.rd(0, FIXED_CTR),
                    bench.rd(0, STATUS),
                ]);
            }
            seen
        },
        first: &[1, 0, 1, 0, 999, 1],
        other: &[1, 0, 1, 1, 0, 1],
    },
    Case {
        reading: "S-6:b",
        options: SNB,
        act: |bench| {
            let seen = |bench: &mut Bench, cmask: u64| some(arb(bench, 0, cmask << 24 | OCCUPANCY));
            let all = [20, 21, 31].map(|cmask| seen(bench, cmask));
            let other = some(arb(bench, 0, 31 << 24 | 0x0183));
            [&all[..], &[other, some(arb(bench, 0, 2 << 24 | 0x0181))]].concat()
        },
        first: &[1, 0, 0, 0, 0],
        other: &[1, 1, 1, 1, 0],
    },
    Case {
        reading: "S-7:b",
        options: SNB,
        act: slept,
        first: &[0xf, EN | LOOKUP, 1],
        other: &[0xf, 0, 1],
    },
    Case {
        reading: "S-7:c",
        options: SNB,
        act: slept,
        first: &[0xf, EN | LOOKUP, 1],
        other: &[0xf, 0, 0],
    },
    Case {
        reading: "S-8:b",
        options: SNB,
        act: |bench| {
            [0x706, 0x3b1]
                .map(|msr| kept(bench, msr, (1 << 48) - 1))
                .to_vec()
        },
        first: &[(1 << 44) - 1, (1 << 44) - 1],
        other: &[(1 << 48) - 1, (1 << 48) - 1],
    },
    Case {
        reading: "S-9:b",
        options: SNB,
        act: |bench| vec![some(arb(bench, 1, 1 << 24 | OCCUPANCY))],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "S-11:b",
        options: SNB,
        act: |bench| {
            let plain = cbox(bench, LOOKUP);
            vec![u64::from(plain == cbox(bench, EDGE | LOOKUP))]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "S-11:c",
        options: SNB,
        act: |bench| {
            let with = some(cbox(bench, INV | 1 << 24 | LOOKUP));
            vec![with, some(cbox(bench, INV | LOOKUP))]
        },
        first: &[1, 1],
        other: &[1, 0],
    },
    Case {
        reading: "S-13:b",
        options: SNB,
        act: |bench| {
            let shown = bench.cfg(BRIDGE, 0x48);
            let window = bench.machine.memory_window().expect("the bridge");
            bench.machine.burst(LONG);
            let read = bench.machine.memory_read(window.start + 0x5050, 4);
            vec![shown.into(), some(read.unwrap_or(0))]
        },
        first: &[0xfed1_0001, 1],
        other: &[0xfed1_0000, 1],
    },
    Case {
        reading: "S-16:b",
        options: SNB,
        act: |bench| vec![writes(bench, 0x706, false)],
        first: &[5],
        other: &[0],
    },
    Case {
        reading: "S-16:c",
        options: SNB,
        act: |bench| vec![writes(bench, 0x706, true)],
        first: &[0],
        other: &[1],
    },
];
