// SPDX-License-Identifier: GPL-2.0

//! Readings of what an event counts.

use super::Case;
use crate::bench::{uncore, uncore1, Bench};

const EN: u32 = 1 << 22;
const EXT: u32 = 1 << 21;
const EDGE: u32 = 1 << 18;
/// Long enough for every attribute of a transaction to occur.
pub(super) const LONG: u64 = 3_000_000;

/// Counts an event of an MSR box: control register, counter, control.
fn msr(bench: &mut Bench, control: u32, counter: u32, value: u32) -> u64 {
    bench.wr(0, counter, 0);
    bench.wr(0, control, u64::from(EN | value));
    bench.machine.burst(LONG);
    bench.rd(0, counter)
}

fn pcu(bench: &mut Bench, counter: u32, value: u32) -> u64 {
    msr(bench, 0xc30 + counter, 0xc36 + counter, value)
}

fn cbox(bench: &mut Bench, counter: u32, value: u32) -> u64 {
    msr(bench, 0xd10 + counter, 0xd16 + counter, value)
}

/// Counts an event of a PCI box on a counter.
fn pci(bench: &mut Bench, (device, function): (u8, u8), counter: u16, value: u32) -> u64 {
    let at = uncore(device, function);
    bench.set_counter(at, 0xa0 + 8 * counter, 0);
    bench.set(at, 0xd8 + 4 * counter, EN | value);
    bench.machine.burst(LONG);
    bench.cfg_counter(at, 0xa0 + 8 * counter)
}

const HA: (u8, u8) = (14, 1);
const QPI: (u8, u8) = (8, 2);
/// CTO_COUNT.
const PACKETS: u32 = EXT | 0x38;

/// Counts packets of port 0 with these MATCH and MASK registers.
fn packets(bench: &mut Bench, [match0, match1, mask0, mask1]: [u32; 4]) -> u64 {
    let at = uncore(8, 6);
    for (offset, value) in [
        (0x228, match0),
        (0x22c, match1),
        (0x238, mask0),
        (0x23c, mask1),
    ] {
        bench.set(at, offset, value);
    }
    pci(bench, QPI, 0, PACKETS)
}

pub(super) fn some(count: u64) -> u64 {
    u64::from(count > 0)
}

/// 1 if the first count is larger.
pub(super) fn more(first: u64, second: u64) -> u64 {
    u64::from(first > second)
}

pub(super) const CASES: &[Case] = &[
    Case {
        reading: "U-6:b",
        options: "",
        act: |bench| {
            let mut lookups = |states| {
                bench.wr(0, 0xd14, states);
                cbox(bench, 0, 0x1134)
            };
            let (alone, both, other) = (lookups(1 << 22), lookups(5 << 20), lookups(1 << 20));
            vec![some(alone), more(both, other)]
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "U-14:b",
        options: "",
        act: |bench| {
            [0x0, 0x100]
                .map(|umask| some(pci(bench, (16, 4), 0, 0x43 | umask)))
                .to_vec()
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-15:b",
        options: "",
        act: |bench| {
            let all = cbox(bench, 0, 0x0111);
            let shown = cbox(bench, 1, 0x001f);
            let cycles = cbox(bench, 1, 0x0100_001f);
            vec![u64::from(shown == all), u64::from(shown == cycles)]
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-17:b",
        options: "",
        act: |bench| vec![msr(bench, 0xc10, 0xc16, 0)],
        first: &[LONG],
        other: &[0],
    },
    Case {
        reading: "U-19:b",
        options: "",
        act: |bench| {
            let plain = cbox(bench, 0, 0x0113);
            let edges = cbox(bench, 0, 0x0113 | EDGE);
            vec![u64::from(plain == edges)]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-21:b",
        options: "",
        act: |bench| {
            bench.wr(0, 0xd14, 0x7e_0000);
            bench.wr(0, 0xd1a, 0xffff);
            // Lookups by state, requests by node; then both of them by node.
            let by_state = cbox(bench, 0, 0x1134);
            let by_node = cbox(bench, 1, 0x4435);
            bench.wr(0, 0xd10, (EN | 0x4135).into());
            vec![some(by_state), some(by_node)]
        },
        first: &[1, 1],
        other: &[1, 0],
    },
    Case {
        reading: "U-22:b",
        options: "",
        act: |bench| vec![some(packets(bench, [1 << 31, 0, 1 << 31, 0]))],
        first: &[1],
        other: &[0],
    },
    Case {
        reading: "U-23:b",
        options: "",
        act: |bench| {
            let open = packets(bench, [0; 4]);
            let class = packets(bench, [0, 0, 0x1e00, 0]);
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
            usual.set(at, 0xd8, EN | PACKETS);
            usual.machine.burst(LONG);
            let received = usual.cfg_counter(at, 0xa0);
            vec![u64::from(packets(bench, [0; 4]) == received)]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-24:b",
        options: "",
        act: |bench| {
            // Data in state M, of any class.
            let data = packets(bench, [0x1c00, 8 << 16, 0x1e00, 0xf << 16]);
            let all = packets(bench, [0, 8 << 16, 0, 0xf << 16]);
            vec![more(all, 2 * data)]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-25:b",
        options: "",
        act: |bench| {
            bench.set(uncore(14, 1), 0x48, 0x2);
            let ring = pci(bench, HA, 0, 0x0420);
            let with_opc = pci(bench, HA, 0, 0x0620);
            vec![more(ring, with_opc)]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-25:c",
        options: "",
        act: |bench| {
            bench.set(uncore(14, 1), 0x48, 0x2);
            [0x0620, 0x0a20, 0x1220]
                .map(|event| some(pci(bench, HA, 0, event)))
                .to_vec()
        },
        first: &[1, 1, 1],
        other: &[1, 0, 0],
    },
    Case {
        reading: "U-26:b",
        options: "",
        act: |bench| {
            // No line has this address, some are of its page.
            bench.set(uncore(14, 1), 0x40, 0x80);
            vec![some(pci(bench, HA, 0, 0x0520))]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-27:b",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc34, 0);
            vec![some(pcu(bench, 0, 0x1e))]
        },
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-28:b",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc34, 0xff);
            let none = pcu(bench, 0, 0x0b);
            bench.wr(0, 0xc34, 0x01);
            let first = pcu(bench, 0, 0x0b);
            vec![some(none), some(first), some(pcu(bench, 0, 0x0b))]
        },
        first: &[0, 1, 1],
        other: &[1, 0, 1],
    },
    Case {
        reading: "U-29:b",
        options: "",
        act: |bench| {
            let zero = pcu(bench, 0, 0x80);
            vec![some(zero), u64::from(zero == pcu(bench, 0, 0x4080))]
        },
        first: &[0, 0],
        other: &[1, 1],
    },
    Case {
        reading: "U-29:c",
        options: "",
        act: |bench| edges_of_occupancies(bench),
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "U-29:d",
        options: "",
        act: |bench| edges_of_occupancies(bench),
        first: &[1, 1],
        other: &[1, 0],
    },
    Case {
        reading: "U-31:b",
        options: "cores=4",
        act: |bench| {
            bench.machine.burst(1 << 20);
            // Of the first core.
            vec![bench.rd(0, 0x3fc), bench.rd(0, 0x3fd)]
        },
        first: &[1 << 10, 2 << 10],
        other: &[4 << 10, 8 << 10],
    },
    Case {
        reading: "U-32:b",
        options: "",
        act: |bench| {
            let r2pcie = [0, 1, 2, 3].map(|counter| some(pci(bench, (19, 1), counter, 0x0107)));
            let r3qpi = [0, 1, 2].map(|counter| some(pci(bench, (19, 5), counter, 0x0109)));
            [&r2pcie[..], &r3qpi].concat()
        },
        first: &[1; 7],
        other: &[0, 0, 1, 1, 0, 0, 1],
    },
    Case {
        reading: "U-34:b",
        options: "",
        act: |bench| {
            [8, 9, 15, 16]
                .map(|thresh| some(pcu(bench, 0, thresh << 24 | 0x4080)))
                .to_vec()
        },
        first: &[1, 0, 0, 0],
        other: &[1, 1, 1, 0],
    },
    Case {
        reading: "U-35:b",
        options: "",
        act: |bench| vec![some(pcu(bench, 0, EXT | 0x02)), some(pcu(bench, 0, 0x62))],
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-36:b",
        options: "",
        act: |bench| vec![some(pcu(bench, 0, EXT | 0x2b)), some(pcu(bench, 0, 0x2b))],
        first: &[1, 1],
        other: &[1, 0],
    },
    Case {
        reading: "U-36:c",
        options: "",
        act: |bench| vec![some(pcu(bench, 0, EXT | 0x2d)), some(pcu(bench, 0, 0x2d))],
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "U-38:b",
        options: "part=ex",
        act: |bench| vec![bench.cfg(uncore(24, 6), 0).into()],
        first: &[0x0e46_8086],
        other: &[0x0e47_8086],
    },
    Case {
        reading: "U-40:b",
        options: "",
        act: |bench| {
            let ids = [(28, 1), (30, 1)].map(|(device, function)| {
                bench.machine.config_read(uncore(device, function), 0, 4)
            });
            ids.map(|id| id.unwrap_or(u32::MAX).into()).to_vec()
        },
        first: &[0x0e38_8086, 0x0ef1_8086],
        other: &[u32::MAX as u64, 0x0e38_8086],
    },
    Case {
        reading: "U-41:b",
        options: "",
        act: |bench| {
            // TxR_AD_OCCUPANCY is of the lists, BT_OCCUPANCY of the manual.
            vec![
                some(pci(bench, HA, 0, 0x0128)),
                some(pci(bench, HA, 0, 0x0143)),
            ]
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "U-42:b",
        options: "",
        act: |bench| {
            let two = 2 << 24;
            vec![
                some(pci(bench, QPI, 0, two | 0x07)),
                some(pci(bench, (16, 4), 0, two | 0x0183)),
            ]
        },
        first: &[0, 1],
        other: &[1, 0],
    },
    Case {
        reading: "U-48:b",
        options: "",
        act: |bench| {
            let alone = some(pcu(bench, 1, 0x03));
            pcu(bench, 0, 0x4080);
            let beside = some(pcu(bench, 1, 0x03));
            pcu(bench, 0, 5 << 24 | 0x4080);
            vec![alone, beside, some(pcu(bench, 1, 0x03))]
        },
        first: &[1, 1, 1],
        other: &[1, 1, 0],
    },
    Case {
        reading: "U-52:b",
        options: "",
        act: |bench| {
            let snoops = |opcode: u32| [3 << 9 | opcode << 5, 0, 0x1fe0, 0];
            [0xa, 0xe]
                .map(|opcode| some(packets(bench, snoops(opcode))))
                .to_vec()
        },
        first: &[1, 0],
        other: &[0, 1],
    },
    Case {
        reading: "U-66:b",
        options: "",
        act: |bench| {
            [1, 2, 31]
                .map(|thresh| some(msr(bench, 0xc10, 0xc16, thresh << 24 | 0x0142)))
                .to_vec()
        },
        first: &[1, 0, 0],
        other: &[1, 1, 1],
    },
    Case {
        reading: "U-74:b",
        options: "",
        act: |bench| {
            let without = some(pci(bench, HA, 0, 0x0143));
            let with = some(pci(bench, HA, 0, 1 << 16 | 0x0143));
            // The same event again, and on another counter.
            let again = some(pci(bench, HA, 0, 0x0143));
            vec![without, with, again, some(pci(bench, HA, 1, 0x0143))]
        },
        first: &[1; 4],
        other: &[0, 1, 1, 0],
    },
    Case {
        reading: "U-75:b",
        options: "",
        act: |bench| vec![cbox(bench, 0, 1 << 19), cbox(bench, 0, 0)],
        first: &[LONG, LONG],
        other: &[0, LONG],
    },
    Case {
        reading: "U-76:b",
        options: "",
        act: |bench| {
            let open = packets(bench, [0; 4]);
            bench.set(uncore(8, 6), 0x238, 0x1e00);
            bench.set_counter(uncore(8, 2), 0xa0, 0);
            bench.machine.burst(LONG);
            let class = bench.cfg_counter(uncore(8, 2), 0xa0);
            vec![more(open, class), more(open, pci(bench, QPI, 0, PACKETS))]
        },
        first: &[1, 1],
        other: &[0, 1],
    },
    Case {
        reading: "U-77:b",
        options: "",
        act: |bench| {
            let reads = |bench: &mut Bench| {
                bench.wr(0, 0xd1a, 0x182 << 20);
                cbox(bench, 0, 0x0135)
            };
            let usual = reads(&mut Bench::new(""));
            vec![more(usual, 2 * reads(bench))]
        },
        first: &[0],
        other: &[1],
    },
];

/// Returns whether bit 18 and bit 31 make an occupancy with a threshold count less.
fn edges_of_occupancies(bench: &mut Bench) -> Vec<u64> {
    let plain = pcu(bench, 0, 1 << 24 | 0x4080);
    [EDGE, 1 << 31]
        .map(|bit| more(plain, pcu(bench, 0, bit | 1 << 24 | 0x4080)))
        .to_vec()
}
