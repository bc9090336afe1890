// SPDX-License-Identifier: GPL-2.0

//! Readings of Nehalem-EX and Westmere-EX.

use super::events::{more, some};
use super::registers::writes;
use super::Case;
use crate::bench::Bench;

const NEHALEM: &str = "platform=nhmex,cores=8";
const WESTMERE: &str = "platform=wsmex,cores=10";
const CONTROL: u32 = 0xc00;
const STATUS: u32 = 0xc01;
const EN_ALL: u64 = 1 << 28;
const EN: u64 = 1 << 22;
const PMI_EN: u64 = 1 << 20;
const CBOX: u32 = 0xd00;
const SBOXES: [u32; 2] = [0xc40, 0xcc0];
const WBOX: u32 = 0xc80;
const MBOX: u32 = 0xca0;
/// MM_CFG, ADDR_MATCH and ADDR_MASK of M-Box 0.
const M_MATCH: u32 = 0xe54;
const FIXED_CTR: u32 = 0x394;
const FIXED_CTL: u32 = 0x395;
/// en and wrap_mode of the M-Box.
const U_EN: u64 = 1;
const M_EN: u64 = 1 | 1 << 6;
const ONES: u64 = (1 << 48) - 1;
const LONG: u64 = 3_000_000;

/// Counts an event on counter 0 of a box.
fn count(bench: &mut Bench, base: u32, value: u64) -> u64 {
    bench.wr(0, base + 0x11, 0);
    bench.wr(0, base + 0x10, value);
    bench.wr(0, base, 1);
    bench.wr(0, CONTROL, EN_ALL);
    bench.machine.burst(LONG);
    bench.wr(0, CONTROL, 0);
    match bench.rd(0, base + 0x11) {
        // The W-Box reads 0 too high.
        0x100_0000 => 0,
        sum => sum,
    }
}

/// Counts inc_sel of M-Box 0.
fn inc_sel(bench: &mut Bench, number: u64) -> u64 {
    count(bench, MBOX, M_EN | number << 9)
}

/// Counts inc_sel of M-Box 0 with a sub-register, as a share of the events without it in the
/// words of a list: 1 for each value by which it counts as the value at its side.
fn alike(bench: &mut Bench, register: u32, number: u64, pairs: &[(u64, u64)]) -> Vec<u64> {
    let mut with = |value| {
        bench.wr(0, register, value);
        inc_sel(bench, number)
    };
    let same = |(first, second): &(u64, u64)| u64::from(with(*first) == with(*second));
    pairs.iter().map(same).collect()
}

/// Counts packets of S-Box 0 by their home node, with bit 0 of MASK set.
fn of_nodes(bench: &mut Bench) -> Vec<u64> {
    let mut of = |node| {
        bench.wr(0, 0xe48, 0);
        bench.wr(0, 0xe49, node);
        bench.wr(0, 0xe4a, (1 << 39) - 1);
        bench.wr(0, 0xe48, 1 << 63);
        count(bench, SBOXES[0], EN)
    };
    // There are the nodes 0, 1, 8 and 31.
    let [zero, one, two] = [0, 1, 2].map(&mut of);
    vec![some(two), u64::from(zero == one), more(two, zero)]
}

/// GLOBAL_STATUS after a counter of each S-Box has overflowed.
fn status_of_sboxes(bench: &mut Bench) -> Vec<u64> {
    SBOXES
        .map(|base| {
            bench.wr(0, base + 0x10, EN | PMI_EN | 0x0f40);
            bench.wr(0, base + 0x11, ONES);
            bench.wr(0, base, 1);
            bench.wr(0, CONTROL, EN_ALL);
            bench.machine.burst(10_000);
            let status = bench.rd(0, STATUS);
            bench.wr(0, base + 0x10, 0);
            bench.wr(0, base + 2, 1);
            status
        })
        .to_vec()
}

pub(super) const CASES: &[Case] = &[
    Case {
        reading: "X-2:b",
        options: NEHALEM,
        act: of_nodes,
        first: &[1, 1, 0],
        other: &[0, 1, 0],
    },
    Case {
        reading: "X-2:c",
        options: NEHALEM,
        act: of_nodes,
        first: &[1, 1, 0],
        other: &[0, 0, 0],
    },
    Case {
        reading: "X-6:b",
        options: NEHALEM,
        act: |bench| {
            bench.wr(0, FIXED_CTL, 1 | PMI_EN);
            bench.wr(0, FIXED_CTR, ONES - 9);
            bench.wr(0, WBOX, 1 << 31);
            bench.wr(0, CONTROL, EN_ALL);
            bench.machine.burst(100);
            [FIXED_CTL, STATUS, CONTROL]
                .map(|msr| bench.rd(0, msr))
                .to_vec()
        },
        first: &[1, 0, EN_ALL],
        other: &[1 | PMI_EN, 1 << 1, 0],
    },
    Case {
        reading: "X-7:b",
        options: WESTMERE,
        act: |bench| {
            let mut of = |umask: u64| count(bench, WBOX, EN | umask << 8 | 0x04);
            let each = [0x01, 0x20, 0x21].map(&mut of);
            let upper = of(0xe0);
            // Bit 4 is cores 4 and 9.
            let (five, eight) = (of(0x1f), of(0xff));
            vec![
                some(each[1]),
                u64::from(each[0] == each[2]),
                some(upper),
                u64::from(five == eight),
                more(five, eight),
            ]
        },
        first: &[1, 0, 1, 0, 0],
        other: &[0, 1, 0, 1, 0],
    },
    Case {
        reading: "X-8:b",
        options: NEHALEM,
        act: |bench| {
            // All bits of the address are compared; there are lines at 0x40 and 0x8000_0000.
            let mut of = |value| {
                bench.wr(0, M_MATCH, 0);
                bench.wr(0, M_MATCH + 1, value);
                bench.wr(0, M_MATCH + 2, 0);
                bench.wr(0, M_MATCH, 1 << 63);
                some(inc_sel(bench, 0x0b))
            };
            vec![of(0x40), of(0x0200_0000)]
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "X-9:b",
        options: NEHALEM,
        act: status_of_sboxes,
        first: &[1 << 3, 1 << 2],
        other: &[1 << 2, 1 << 3],
    },
    Case {
        reading: "X-10:b",
        options: WESTMERE,
        act: |bench| {
            let mut of = |value| {
                bench.wr(0, MBOX + 7, value);
                count(bench, MBOX, M_EN | 6 << 19 | 1 << 7)
            };
            // Command 4 by one of them is all commands by the other one.
            let (four, two) = (of(4 << 6), of(2 << 6));
            vec![some(two), more(four, 2 * two)]
        },
        first: &[1, 0],
        other: &[1, 1],
    },
    Case {
        reading: "X-11:b",
        options: NEHALEM,
        act: |bench| {
            // THERM_TRP_UP of DIMM 0 and of all.
            bench.wr(0, MBOX + 8, 0);
            let zero = inc_sel(bench, 0x04);
            bench.wr(0, MBOX + 8, 1 << 3);
            vec![some(zero), some(inc_sel(bench, 0x04))]
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "X-12:b",
        options: NEHALEM,
        act: |bench| {
            [0, 2 << 8]
                .map(|pld| {
                    bench.wr(0, MBOX + 10, pld);
                    some(inc_sel(bench, 0x0a))
                })
                .to_vec()
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "X-13:b",
        options: WESTMERE,
        act: |bench| {
            let iss = alike(bench, MBOX + 6, 0x08, &[(0, 1 << 10)]);
            let pgt = alike(bench, MBOX + 9, 0x15, &[(0, 1 << 11)]);
            [
                iss,
                pgt,
                vec![some(inc_sel(bench, 0x08)), some(inc_sel(bench, 0x15))],
            ]
            .concat()
        },
        first: &[0, 0, 1, 1],
        other: &[1, 1, 1, 1],
    },
    Case {
        reading: "X-14:b",
        options: NEHALEM,
        act: |bench| {
            [0x0909, 0x0f0a]
                .map(|event| some(count(bench, CBOX, EN | event)))
                .to_vec()
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "X-15:b",
        options: WESTMERE,
        act: |bench| {
            let of = |bench: &mut Bench, code: u64| count(bench, SBOXES[0], EN | code);
            let mut usual = Bench::new(WESTMERE);
            // Codes in the order in which Nehalem-EX has the events of the other model.
            [
                (0x2a, 0x2a),
                (0x2c, 0x2b),
                (0x2e, 0x2c),
                (0x2b, 0x2d),
                (0x2d, 0x2e),
                (0x2f, 0x2f),
            ]
            .map(|(here, there)| u64::from(of(bench, here) == of(&mut usual, there)))
            .to_vec()
        },
        first: &[1, 0, 0, 0, 0, 1],
        other: &[1; 6],
    },
    Case {
        reading: "X-16:b",
        options: NEHALEM,
        act: |bench| {
            // Command 2, RAS, at both places.
            let mut usual = Bench::new(NEHALEM);
            usual.wr(0, MBOX + 10, 2 << 8);
            let wanted = inc_sel(&mut usual, 0x0a);
            [2 << 8, 2 << 7]
                .map(|pld| {
                    bench.wr(0, MBOX + 10, pld);
                    u64::from(inc_sel(bench, 0x0a) == wanted)
                })
                .to_vec()
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "X-19:b",
        options: NEHALEM,
        act: |bench| {
            // LLC_MISSES of the C-Box, whose increment is not known, and the W-Box.
            let mut of =
                |base, event, thresh: u64| some(count(bench, base, EN | thresh << 24 | event));
            vec![
                of(CBOX, 0x0714, 1),
                of(CBOX, 0x0714, 255),
                of(WBOX, 0xff04, 2),
            ]
        },
        first: &[1, 0, 0],
        other: &[1, 1, 0],
    },
    Case {
        reading: "X-20:b",
        options: NEHALEM,
        act: |bench| {
            bench.wr(0, M_MATCH, 1 << 63);
            let faults = [1, 2].map(|at| bench.write_of_faults(0, M_MATCH + at, 5).into());
            let held = bench.rd(0, M_MATCH + 1);
            bench.wr(0, M_MATCH, 0);
            let free = bench.write_of_faults(0, M_MATCH + 1, 7).into();
            [&faults[..], &[held, free, bench.rd(0, M_MATCH + 1)]].concat()
        },
        first: &[0, 0, 5, 0, 7],
        other: &[1, 1, 0, 0, 7],
    },
    Case {
        reading: "X-21:b",
        options: NEHALEM,
        act: |bench| vec![writes(bench, CBOX + 0x11, false)],
        first: &[5],
        other: &[0],
    },
    Case {
        reading: "X-21:c",
        options: NEHALEM,
        act: |bench| vec![writes(bench, CBOX + 0x11, true)],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "X-22:b",
        options: NEHALEM,
        act: |bench| {
            bench.wr(0, 0xc10, EN | 0xf9);
            bench.wr(0, CONTROL, EN_ALL | U_EN);
            bench.machine.burst(10_000);
            vec![bench.rd(0, CONTROL), some(bench.rd(0, 0xc11))]
        },
        first: &[EN_ALL | U_EN, 1],
        other: &[EN_ALL, 1],
    },
];
