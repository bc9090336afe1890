// SPDX-License-Identifier: GPL-2.0

//! The readings, and what each changes, that no experiment of `uncore survey` tells on the host.

use super::Case;
use crate::bench::{uncore, uncore1, Bench};
use uncore_machine::{Gate, Rule};

const BDX: &str = "platform=bdx";

pub(crate) const ONES: u64 = (1 << 48) - 1;
const ENABLE: u32 = 1 << 22;
pub(crate) const EN: u64 = 1 << 22;
pub(crate) const OV_EN: u64 = 1 << 20;
pub(crate) const FRZ_ALL: u64 = 1 << 31;
const UNFRZ_ALL: u64 = 1 << 29;
/// Long enough for every attribute of a transaction to occur.
pub(crate) const LONG: u64 = 3_000_000;

/// CTO_COUNT.
const PACKETS: u32 = 1 << 21 | 0x38;

pub(crate) fn some(count: u64) -> u64 {
    u64::from(count > 0)
}

/// 1 if the first count is larger.
fn more(first: u64, second: u64) -> u64 {
    u64::from(first > second)
}

/// Writes an MSR of package 0 and reads it.
fn kept(bench: &mut Bench, msr: u32, value: u64) -> u64 {
    bench.wr(0, msr, value);
    bench.rd(0, msr)
}

/// The cycles that the first counter of the PCU has counted since it was read last; a clock.
fn counted(bench: &mut Bench) -> u64 {
    bench.wr(0, 0xc36, 0);
    bench.machine.burst(300);
    bench.rd(0, 0xc36)
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
    bench.wr(0, 0xc08, EN | OV_EN);
    bench.wr(0, 0xc01, 1);
    bench.wr(0, 0xc09, (1 << 48) - 1);
    bench.wr(0, 0xc00, UNFRZ_ALL | control);
    bench.machine.burst(10);
    let [pmi] = bench.machine.take_interrupts()[..] else {
        panic!("one interrupt");
    };
    [pmi.cores.into(), pmi.wake.into(), pmi.first_thread.into()]
}

pub(super) const CASES: &[Case] = &[
    Case {
        reading: "U-8:c",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc30, EN);
            bench.wr(0, 0xc00, FRZ_ALL);
            bench.wr(0, 0xc24, 0x20000);
            let without = counted(bench);
            bench.wr(0, 0xc24, 0x10000);
            let with = counted(bench);
            // Without bit 17 it sends no message.
            bench.wr(0, 0xc00, UNFRZ_ALL);
            bench.wr(0, 0xc30, EN | OV_EN);
            bench.command("preload 0 pcu 0 0xffffffffffff");
            bench.machine.burst(3);
            vec![without, with, bench.rd(0, 0xc01)]
        },
        first: &[0, 0, 4],
        other: &[100, 0, 0],
    },
    Case {
        reading: "U-71:c",
        options: "",
        act: |bench| {
            let status = bench.cfg(uncore(14, 1), 0xf8).into();
            vec![
                status,
                bench.rd(0, 0xc35),
                bench.rd(0, 0xc00),
                bench.rd(0, 0xc01),
                bench.rd(0, 0xd10),
            ]
        },
        first: &[0; 5],
        other: &[0xffff_fff0, 0xffff_fff0, 0x1fff_8000, 0xf800_0000, 0],
    },
    Case {
        reading: "U-12:b",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc08, EN | OV_EN);
            bench.command("preload 0 ubox fixed 0xffffffffffff");
            bench.machine.burst(2);
            let seen = [bench.rd(0, 0xc15), bench.rd(0, 0xc01)];
            bench.wr(0, 0xc15, 4);
            [&seen[..], &[bench.rd(0, 0xc15)]].concat()
        },
        first: &[0, 1, 0],
        other: &[4, 1, 0],
    },
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
        reading: "U-43:b",
        options: "",
        act: |bench| sent(bench, 0b11).to_vec(),
        first: &[0b11, 0, 0],
        other: &[0b11, 0, 1],
    },
    Case {
        reading: "U-45:b",
        options: "",
        act: |bench| vec![bench.machine.processors().keep_masked.into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-45:c",
        options: "",
        act: |bench| vec![bench.machine.processors().keep_asleep.into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-46:b",
        options: "",
        act: |bench| vec![(bench.machine.processors().gate == Gate::ByBit).into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-46:c",
        options: "",
        act: |bench| vec![(bench.machine.processors().gate == Gate::Missing).into()],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-50:b",
        options: "",
        act: |bench| {
            // The first counter of a memory channel, then its control.
            let at = uncore(16, 4);
            bench.set_counter(at, 0xa0, 0x1234_8765_4321);
            bench.set(at, 0xd8, 0x40_0000);
            let by_ports = bench.cfg_counter(at, 0xa0);
            let in_memory = [0xa0, 0xa4, 0xd8].map(|offset| {
                let value = bench.machine.config_read_in_memory(at, offset, 4);
                value.expect("a function of the machine").into()
            });
            [&[by_ports], &in_memory[..]].concat()
        },
        first: &[0x1234_8765_4321, 0x8765_4321, 0x1234, 0x40_0000],
        other: &[0x1234_8765_4321, 0, 0, 0x40_0000],
    },
    Case {
        reading: "U-1:b",
        options: BDX,
        act: |bench| [0xe11, 0x721].map(|msr| kept(bench, msr, OV_EN)).to_vec(),
        first: &[0, 0],
        other: &[OV_EN, OV_EN],
    },
    Case {
        reading: "B-4:b",
        options: "platform=bdx,cores=24",
        act: |bench| {
            bench.wr(0, 0x703, EN | OV_EN);
            bench.wr(0, 0x704, ONES);
            bench.wr(0, 0x700, 1 << 23 | 1 << 17);
            bench.machine.burst(10);
            let pmis = bench.machine.take_interrupts();
            vec![pmis.iter().map(|pmi| u64::from(pmi.cores)).sum()]
        },
        first: &[1 << 17],
        other: &[1 << 23 | 1 << 17],
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
        reading: "B-21:c",
        options: "platform=bdx-de,cores=8",
        act: |bench| vec![bench.cfg(uncore1(30, 3), 0x98).into()],
        first: &[0xff],
        other: &[0],
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

/// The rule that a reading takes back is reported by name without it.
#[test]
fn writes_that_a_reading_allows() {
    for (reading, rules) in [("a", 1), ("B-8:b", 0)] {
        let mut bench = Bench::new(BDX);
        bench.command(&format!("reading {reading}"));
        assert_eq!(bench.write_of_faults(0, 0x720, 0x30003), rules == 1);
        assert_eq!(bench.broken(), [(Rule::ResetAtOnce, 0)][..rules]);
    }
}
