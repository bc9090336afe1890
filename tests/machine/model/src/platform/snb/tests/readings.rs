// SPDX-License-Identifier: GPL-2.0

//! Readings of this platform that no experiment of `uncore survey` tells on the host.

use crate::bench::Bench;
use crate::readings::cases::{some, EN, FRZ_ALL, LONG, ONES, OV_EN};
use crate::readings::Case;
use uncore_machine::Function;

const LARGEST: &str = "platform=snb,cores=4";

/// GLOBAL_CTL, GLOBAL_STATUS, and the fixed counter.
const PERF_CTRL: u32 = 0x391;
const PERF_STATUS: u32 = 0x392;
const CLOCK_CTRL: u32 = 0x394;
const CLOCK_CTR: u32 = 0x395;
const GLOBAL_EN: u64 = 1 << 29;
/// Lookups of any kind in any state.
const LOOKUP: u64 = 0x8f34;
/// The bridge of a client.
const BRIDGE: Function = Function {
    bus: 0,
    device: 0,
    function: 0,
};

/// Counts an event of a client: control register, counter, control.
fn count(bench: &mut Bench, control: u32, counter: u32, value: u64) -> u64 {
    bench.wr(0, counter, 0);
    bench.wr(0, control, EN | value);
    bench.wr(0, PERF_CTRL, GLOBAL_EN | 0xf);
    bench.machine.burst(LONG);
    bench.rd(0, counter)
}

/// Values of a control register and its counter after a sleep of the package.
fn slept(bench: &mut Bench) -> Vec<u64> {
    let before = count(bench, 0x700, 0x706, LOOKUP);
    bench.command("lose-enable 0");
    vec![
        bench.rd(0, PERF_CTRL),
        bench.rd(0, 0x700),
        u64::from(bench.rd(0, 0x706) == before),
    ]
}

pub(crate) const CASES: &[Case] = &[
    Case {
        reading: "S-3:b",
        options: LARGEST,
        act: |bench| {
            for n in 0..4 {
                bench.wr(0, 0x700 + 0x10 * n, EN | LOOKUP);
            }
            bench.wr(0, PERF_CTRL, GLOBAL_EN | 0b1_0110);
            bench.machine.burst(LONG);
            let counted = [0, 1, 2, 3].map(|n| some(bench.rd(0, 0x706 + 0x10 * n)));
            // The ARB and the fixed counter count all the same, and interrupt.
            bench.wr(0, CLOCK_CTRL, EN | OV_EN);
            bench.wr(0, CLOCK_CTR, ONES);
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
            bench.wr(0, PERF_CTRL, GLOBAL_EN | 0xf);
            vec![bench.rd(0, PERF_CTRL)]
        },
        first: &[GLOBAL_EN | 0xf],
        other: &[GLOBAL_EN | 0x3],
    },
    Case {
        reading: "S-4:b",
        options: LARGEST,
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
        reading: "S-5:b",
        options: LARGEST,
        act: |bench| {
            bench.wr(0, CLOCK_CTRL, EN | OV_EN);
            let mut seen = Vec::new();
            for _ in 0..2 {
                bench.wr(0, CLOCK_CTR, ONES);
                bench.wr(0, PERF_CTRL, FRZ_ALL | GLOBAL_EN | 1);
                bench.machine.burst(1000);
                seen.extend([
                    bench.machine.take_interrupts().len() as u64,
                    bench.rd(0, CLOCK_CTR),
                    bench.rd(0, PERF_STATUS),
                ]);
            }
            seen
        },
        first: &[1, 0, 1, 0, 999, 1],
        other: &[1, 0, 1, 1, 0, 1],
    },
    Case {
        reading: "S-7:b",
        options: LARGEST,
        act: slept,
        first: &[0xf, EN | LOOKUP, 1],
        other: &[0xf, 0, 1],
    },
    Case {
        reading: "S-7:c",
        options: LARGEST,
        act: slept,
        first: &[0xf, EN | LOOKUP, 1],
        other: &[0xf, 0, 0],
    },
    Case {
        reading: "S-13:b",
        options: LARGEST,
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
];
