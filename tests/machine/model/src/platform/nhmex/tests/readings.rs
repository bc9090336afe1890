// SPDX-License-Identifier: GPL-2.0

//! Readings of this platform that no experiment of `uncore survey` tells on the host.

use crate::bench::Bench;
use crate::readings::cases::{some, EN, ONES, OV_EN};
use crate::readings::Case;

const NEHALEM: &str = "platform=nhmex,cores=8";

/// GLOBAL_CTL, GLOBAL_STATUS, and the fixed counter.
const U_CONTROL: u32 = 0xc00;
const U_STATUS: u32 = 0xc01;
const W_CTR: u32 = 0x394;
const W_CTL: u32 = 0x395;
const EN_ALL: u64 = 1 << 28;
const SBOXES: [u32; 2] = [0xc40, 0xcc0];
const WBOX: u32 = 0xc80;

/// GLOBAL_STATUS after a counter of each S-Box has overflowed.
fn status_of_sboxes(bench: &mut Bench) -> Vec<u64> {
    SBOXES
        .map(|base| {
            bench.wr(0, base + 0x10, EN | OV_EN | 0x0f40);
            bench.wr(0, base + 0x11, ONES);
            bench.wr(0, base, 1);
            bench.wr(0, U_CONTROL, EN_ALL);
            bench.machine.burst(10_000);
            let status = bench.rd(0, U_STATUS);
            bench.wr(0, base + 0x10, 0);
            bench.wr(0, base + 2, 1);
            status
        })
        .to_vec()
}

pub(crate) const CASES: &[Case] = &[
    Case {
        reading: "X-6:b",
        options: NEHALEM,
        act: |bench| {
            bench.wr(0, W_CTL, 1 | OV_EN);
            bench.wr(0, W_CTR, ONES - 9);
            bench.wr(0, WBOX, 1 << 31);
            bench.wr(0, U_CONTROL, EN_ALL);
            bench.machine.burst(100);
            [W_CTL, U_STATUS, U_CONTROL]
                .map(|msr| bench.rd(0, msr))
                .to_vec()
        },
        first: &[1, 0, EN_ALL],
        other: &[1 | OV_EN, 1 << 1, 0],
    },
    Case {
        reading: "X-9:b",
        options: NEHALEM,
        act: status_of_sboxes,
        first: &[1 << 3, 1 << 2],
        other: &[1 << 2, 1 << 3],
    },
    Case {
        reading: "X-22:b",
        options: NEHALEM,
        act: |bench| {
            bench.wr(0, 0xc10, EN | 0xf9);
            bench.wr(0, U_CONTROL, EN_ALL | 1);
            bench.machine.burst(10_000);
            vec![bench.rd(0, U_CONTROL), some(bench.rd(0, 0xc11))]
        },
        first: &[EN_ALL | 1, 1],
        other: &[EN_ALL, 1],
    },
];
