// SPDX-License-Identifier: GPL-2.0

//! The readings, and what each changes, that no experiment of `uncore survey` tells on the host.

use super::Case;
use crate::bench::{uncore, uncore1, Bench, FULL_48, UNFRZ_ALL};

pub(crate) const ONES: u64 = FULL_48 - 1;
const ENABLE: u32 = 1 << 22;
/// Long enough for every attribute of a transaction to occur.
const LONG: u64 = 3_000_000;

/// CTO_COUNT.
const PACKETS: u32 = 1 << 21 | 0x38;

pub(crate) fn some(count: u64) -> u64 {
    u64::from(count > 0)
}

/// 1 if the first count is larger.
fn more(first: u64, second: u64) -> u64 {
    u64::from(first > second)
}

/// Counts packets of port 0 with these bits of MASK0.
fn packets(bench: &mut Bench, mask: u32) -> u64 {
    let at = uncore(8, 2);
    bench.set(uncore(8, 6), 0x238, mask);
    bench.set_counter(at, 0xa0, 0);
    bench.set(at, 0xd8, ENABLE | PACKETS);
    bench.machine.burst(LONG);
    bench.cfg_counter(at, 0xa0)
}

/// The map of nodes whose field i is i.
const EACH_NODE: u64 = 0o7654_3210;

/// CPUNODEID and GIDNIDMAP of package 1.
fn nodes(bench: &mut Bench) -> Vec<u64> {
    let at = uncore1(16, 5);
    [0x40, 0x54]
        .map(|offset| bench.cfg(at, offset).into())
        .to_vec()
}

/// The cores that the PMI of an overflow goes to, and 1 for each of: it wakes them, it goes to
/// their first threads only.
fn sent(bench: &mut Bench, control: u64) -> [u64; 3] {
    bench.wr(0, 0xc01, 1);
    bench.arm(0, 1);
    bench.wr(0, 0xc00, UNFRZ_ALL | control);
    bench.machine.burst(10);
    let [pmi] = bench.machine.take_interrupts()[..] else {
        panic!("one interrupt");
    };
    [pmi.cores.into(), pmi.wake.into(), pmi.first_thread.into()]
}

pub(super) const CASES: &[Case] = &[
    Case {
        reading: "U-23:b",
        options: "",
        act: |bench| {
            let open = packets(bench, 0);
            let class = packets(bench, 0x1e00);
            vec![more(open, class), more(class, open)]
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-23:c",
        options: "packages=2",
        act: |bench| {
            // What the other end receives by the first reading.
            let mut usual = Bench::new("packages=2");
            let at = uncore1(8, 2);
            usual.set(at, 0xd8, ENABLE | PACKETS);
            usual.machine.burst(LONG);
            let received = usual.cfg_counter(at, 0xa0);
            vec![u64::from(packets(bench, 0) == received)]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "B-21:b",
        options: "platform=bdx-de",
        act: |bench| {
            // The uncore bus of a lone package is ff.
            let at = uncore1(11, 1);
            let id = bench.cfg(at, 0);
            bench.set(at, 0xd8, 0x01);
            bench.set(at, 0xd8, ENABLE | 0x01);
            bench.machine.burst(1000);
            vec![id.into(), bench.cfg_counter(at, 0xa0)]
        },
        first: &[0x6f36_8086, 0],
        other: &[0x6f36_8086, 1000],
    },
    Case {
        reading: "B-22:b",
        options: "platform=bdx,cores=4,cluster-on-die=on",
        act: nodes,
        first: &[1, EACH_NODE],
        // Fields of packages that are not there have the nodes that are left.
        other: &[2, 0o7654_3120],
    },
    Case {
        reading: "B-22:c",
        options: "platform=bdx,cores=4,cluster-on-die=on",
        act: nodes,
        first: &[1, EACH_NODE],
        other: &[2, EACH_NODE],
    },
];

#[test]
fn a_part_without_a_spare_slot_has_none_fused_off() {
    let mut bench = Bench::new("cores=15,reading=U-18:b");
    assert_eq!(sent(&mut bench, 0b1)[0], 0b1);
}
