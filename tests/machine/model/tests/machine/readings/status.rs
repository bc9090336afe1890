// SPDX-License-Identifier: GPL-2.0

//! Readings of overflows and of the status registers that show them.

use super::Case;
use crate::bench::{uncore, Bench};

const EN: u32 = 1 << 22;
const OV_EN: u32 = 1 << 20;

/// The status of a box with a PCI function, and the global one, after its counter has wrapped.
fn wrapped(
    bench: &mut Bench,
    (device, function): (u8, u8),
    pmon: &str,
    control: u32,
    counter: &str,
) -> [u64; 2] {
    let at = uncore(device, function);
    let offset = match counter {
        "fixed" => 0xf0,
        number => 0xd8 + 4 * number.parse::<u16>().expect("a number"),
    };
    bench.set(at, offset, control);
    bench.command(&format!("preload 0 {pmon} {counter} 0x{:x}", largest(pmon)));
    bench.machine.burst(20_000);
    let seen = [bench.cfg(at, 0xf8).into(), bench.rd(0, 0xc01)];
    bench.set(at, offset, 0);
    bench.set(at, 0xf8, 0x1f);
    bench.wr(0, 0xc01, 0x07ff_ffff);
    bench.wr(0, 0xc00, 1 << 29);
    seen
}

fn largest(pmon: &str) -> u64 {
    let bits = if pmon.starts_with('r') { 44 } else { 48 };
    (1 << bits) - 1
}

pub(super) const CASES: &[Case] = &[
    Case {
        reading: "U-1:b",
        options: "",
        act: |bench| {
            bench.wr(0, 0xd30, (EN | OV_EN).into());
            bench.command("preload 0 cbox_1 0 0xfffffffffff");
            bench.machine.burst(2);
            vec![bench.rd(0, 0xd30), bench.rd(0, 0xc01)]
        },
        first: &[EN as u64, 0],
        other: &[(EN | OV_EN) as u64, 1 << 4],
    },
    Case {
        reading: "U-10:b",
        options: "",
        act: |bench| {
            // Clocks of the memory controller.
            let without = wrapped(bench, (16, 4), "imc_0", EN, "2");
            let with = wrapped(bench, (16, 4), "imc_0", EN | OV_EN, "2");
            [without, with].concat()
        },
        first: &[1 << 3, 0, 1 << 3, 1 << 20],
        other: &[0, 0, 1 << 3, 1 << 20],
    },
    Case {
        reading: "U-11:b",
        options: "",
        act: |bench| {
            let counters = ["0", "1", "2", "3", "fixed"];
            counters
                .map(|counter| wrapped(bench, (16, 4), "imc_0", EN, counter)[0])
                .to_vec()
        },
        first: &[2, 4, 8, 16, 1],
        other: &[1, 2, 4, 8, 16],
    },
    Case {
        reading: "U-12:b",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc08, (EN | OV_EN).into());
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
        reading: "U-47:b",
        options: "part=ex",
        act: |bench| {
            // Clocks of QPI are event 0x14, those of R3QPI event 0x01.
            let ports = [((8, 2), "qpi_0"), ((9, 2), "qpi_1"), ((24, 2), "qpi_2")];
            let links = [
                ((19, 5), "r3qpi_0"),
                ((19, 6), "r3qpi_1"),
                ((18, 5), "r3qpi_2"),
            ];
            let ports = ports.map(|(at, name)| wrapped(bench, at, name, EN | OV_EN | 0x14, "0")[1]);
            let links = links.map(|(at, name)| wrapped(bench, at, name, EN | OV_EN | 0x01, "0")[1]);
            [ports, links].concat()
        },
        first: &[1 << 22, 1 << 22, 1 << 23, 1 << 24, 1 << 24, 1 << 25],
        other: &[1 << 22, 1 << 23, 1 << 23, 1 << 24, 1 << 25, 1 << 25],
    },
    Case {
        reading: "U-72:b",
        options: "",
        act: |bench| {
            // The fixed counter overflows; another one of uclk tells where each stops.
            bench.wr(0, 0xc08, (EN | OV_EN).into());
            bench.wr(0, 0xc10, EN.into());
            bench.wr(0, 0xd10, EN.into());
            bench.command("preload 0 ubox fixed 0xffffffffffff");
            bench.machine.burst(1000);
            [0xc09, 0xc16, 0xd16].map(|msr| bench.rd(0, msr)).to_vec()
        },
        first: &[0, 1, 17],
        other: &[8, 9, 17],
    },
];
