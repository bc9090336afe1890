// SPDX-License-Identifier: GPL-2.0

//! Readings of the way of a PMI to the processors, and of counters in memory.

use uncore_machine::Gate;

use super::Case;
use crate::bench::{uncore, Bench};

const EN: u64 = 1 << 22;
const OV_EN: u64 = 1 << 20;
const UNFRZ_ALL: u64 = 1 << 29;
const WK_ON_PMI: u64 = 1 << 30;

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
        reading: "U-18:b",
        options: "cores=14",
        act: |bench| {
            let selects = [0b1, 0b1010, 1 << 14];
            selects.map(|cores| sent(bench, cores)[0]).to_vec()
        },
        first: &[0b1, 0b1010, 1 << 14],
        other: &[0, 0b101, 1 << 13],
    },
    Case {
        reading: "U-18:c",
        options: "cores=4",
        act: |bench| {
            let selects = [0b10, WK_ON_PMI | 0b10];
            selects.map(|cores| sent(bench, cores)[0]).to_vec()
        },
        first: &[0b10, 0b10],
        other: &[0b10, 0b1111],
    },
    Case {
        reading: "U-43:b",
        options: "",
        act: |bench| sent(bench, 0b11).to_vec(),
        first: &[0b11, 0, 0],
        other: &[0b11, 0, 1],
    },
    Case {
        reading: "U-44:b",
        options: "",
        act: |bench| sent(bench, 0b10).to_vec(),
        first: &[0b10, 0, 0],
        other: &[0b10, 1, 0],
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
];

#[test]
fn a_part_without_a_spare_slot_has_none_fused_off() {
    let mut bench = Bench::new("cores=15,reading=U-18:b");
    assert_eq!(sent(&mut bench, 0b1)[0], 0b1);
}
