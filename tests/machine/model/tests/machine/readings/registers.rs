// SPDX-License-Identifier: GPL-2.0

//! Readings of which bits a register has, and how they read.

use super::Case;
use crate::bench::{uncore, Bench, IRP};

const ONES: u64 = (1 << 48) - 1;
const EN: u32 = 1 << 22;
/// Writes to BOX_CTL.
const FREEZE: u64 = 0x30100;
const RELEASE: u64 = 0x30000;
const FRZ_ALL: u64 = 1 << 31;
const UNFRZ_ALL: u64 = 1 << 29;

/// Writes an MSR of package 0 and reads it.
pub(super) fn kept(bench: &mut Bench, msr: u32, value: u64) -> u64 {
    bench.wr(0, msr, value);
    bench.rd(0, msr)
}

/// The cycles that the first counter of the PCU has counted since it was read last; a clock.
fn counted(bench: &mut Bench) -> u64 {
    bench.wr(0, 0xc36, 0);
    bench.machine.burst(300);
    bench.rd(0, 0xc36)
}

/// 1 if an access faults.
pub(super) fn faults(answer: Option<bool>) -> u64 {
    answer.expect("an MSR of the machine").into()
}

/// Returns what a counter in an MSR keeps of a write of 5, or 1 if the write `faults`.
pub(super) fn writes(bench: &mut Bench, counter: u32, faults: bool) -> u64 {
    if faults {
        return self::faults(bench.write_faults(0, counter));
    }
    kept(bench, counter, 5)
}

/// Returns what a counter in a function keeps of a write of 5.
pub(super) fn in_function(bench: &mut Bench) -> u64 {
    bench.set_counter(IRP, 0xa0, 5);
    bench.cfg_counter(IRP, 0xa0)
}

pub(super) const CASES: &[Case] = &[
    Case {
        reading: "U-2:b",
        options: "",
        act: |bench| {
            let read = faults(bench.read_faults(0, 0xd15));
            bench.wr(0, 0xd10, EN.into());
            bench.wr(0, 0xd16, (1 << 44) - 1);
            bench.machine.burst(1);
            let seen = bench.rd(0, 0xd15);
            vec![read, seen, kept(bench, 0xd15, 0xf)]
        },
        first: &[0, 0, 0],
        other: &[0, 1, 0],
    },
    Case {
        reading: "U-2:c",
        options: "",
        act: |bench| vec![faults(bench.read_faults(0, 0xd35))],
        first: &[0],
        other: &[1],
    },
    Case {
        reading: "U-3:b",
        options: "",
        act: |bench| vec![kept(bench, 0xc09, ONES)],
        first: &[ONES],
        other: &[ONES >> 4],
    },
    Case {
        reading: "U-33:b",
        options: "",
        act: |bench| {
            bench.set_counter(IRP, 0xa0, ONES);
            vec![bench.cfg_counter(IRP, 0xa0)]
        },
        first: &[ONES],
        other: &[ONES >> 4],
    },
    Case {
        reading: "U-4:b",
        options: "",
        act: |bench| vec![kept(bench, 0xd14, 0x1e0), kept(bench, 0xd1a, 1 << 29)],
        first: &[0, 0],
        other: &[0x1e0, 1 << 29],
    },
    Case {
        reading: "U-5:b",
        options: "",
        act: |bench| vec![kept(bench, 0xd1a, 0xc000)],
        first: &[0xc000],
        other: &[0x4000],
    },
    Case {
        reading: "U-7:b",
        options: "",
        act: |bench| {
            // LLC_LOOKUP of one thread.
            let shown = kept(bench, 0xd14, 0x7e_0003);
            bench.wr(0, 0xd10, u64::from(EN) | 1 << 19 | 0x1134);
            bench.machine.burst(3_000_000);
            vec![shown, (bench.rd(0, 0xd16) < 20_000).into()]
        },
        first: &[0x7e_0003, 1],
        other: &[0x7e_0000, 1],
    },
    Case {
        reading: "U-8:b",
        options: "",
        act: |bench| vec![kept(bench, 0xc24, RELEASE)],
        first: &[RELEASE],
        other: &[0],
    },
    Case {
        reading: "U-8:c",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc30, EN.into());
            bench.wr(0, 0xc00, FRZ_ALL);
            bench.wr(0, 0xc24, 0x20000);
            let without = counted(bench);
            bench.wr(0, 0xc24, 0x10000);
            let with = counted(bench);
            // Without bit 17 it sends no message.
            bench.wr(0, 0xc00, UNFRZ_ALL);
            bench.wr(0, 0xc30, (EN | 1 << 20).into());
            bench.command("preload 0 pcu 0 0xffffffffffff");
            bench.machine.burst(3);
            vec![without, with, bench.rd(0, 0xc01)]
        },
        first: &[0, 0, 4],
        other: &[100, 0, 0],
    },
    Case {
        reading: "U-8:d",
        options: "",
        act: |bench| {
            let at = uncore(19, 1);
            bench.set(at, 0xf4, 0x30000);
            vec![bench.cfg(at, 0xf4).into()]
        },
        first: &[0],
        other: &[RELEASE],
    },
    Case {
        reading: "U-9:b",
        options: "",
        act: |bench| {
            let own = kept(bench, 0xc24, FREEZE);
            bench.wr(0, 0xc00, FRZ_ALL);
            vec![own, kept(bench, 0xc24, RELEASE)]
        },
        first: &[RELEASE, RELEASE],
        other: &[FREEZE, RELEASE],
    },
    Case {
        reading: "U-9:c",
        options: "",
        act: |bench| {
            let own = kept(bench, 0xc24, FREEZE);
            bench.wr(0, 0xc00, FRZ_ALL);
            let of_package = kept(bench, 0xc24, RELEASE);
            bench.wr(0, 0xc00, UNFRZ_ALL);
            vec![own, of_package, bench.rd(0, 0xc24)]
        },
        first: &[RELEASE; 3],
        other: &[FREEZE, FREEZE, RELEASE],
    },
    Case {
        reading: "U-9:d",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc30, EN.into());
            bench.wr(0, 0xc00, FRZ_ALL);
            let frozen = counted(bench);
            bench.wr(0, 0xc24, RELEASE);
            let released = counted(bench);
            bench.wr(0, 0xc00, UNFRZ_ALL);
            bench.wr(0, 0xc00, FRZ_ALL);
            vec![frozen, released, counted(bench)]
        },
        first: &[0, 0, 0],
        other: &[0, 100, 0],
    },
    Case {
        reading: "U-9:e",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc30, EN.into());
            bench.wr(0, 0xc24, FREEZE);
            let frozen = counted(bench);
            bench.wr(0, 0xc00, UNFRZ_ALL);
            vec![frozen, counted(bench)]
        },
        first: &[0, 0],
        other: &[0, 100],
    },
    Case {
        reading: "U-13:b",
        options: "cboxes=5",
        act: |bench| vec![bench.rd(0, 0xc06)],
        first: &[8],
        other: &[5],
    },
    Case {
        reading: "U-13:c",
        options: "",
        act: |bench| vec![bench.rd(0, 0xc06)],
        first: &[8],
        other: &[0],
    },
    Case {
        reading: "U-20:b",
        options: "",
        act: |bench| {
            let high = 1 << 32;
            [0xc00, 0xc01, 0xc30, 0xd14, 0xc09]
                .map(|msr| bench.write_of_faults(0, msr, high).into())
                .to_vec()
        },
        first: &[0; 5],
        other: &[1, 1, 1, 1, 0],
    },
    Case {
        reading: "U-65:b",
        options: "",
        act: |bench| vec![kept(bench, 0xc30, 0x000d_0000)],
        first: &[0x0004_0000],
        other: &[0x000d_0000],
    },
    Case {
        reading: "U-65:c",
        options: "",
        act: |bench| {
            let shown = kept(bench, 0xc30, 1 << 18);
            bench.wr(0, 0xc30, (EN | 1 << 24 | 1 << 18).into());
            vec![shown, counted(bench)]
        },
        first: &[1 << 18, 1],
        other: &[0, 100],
    },
    Case {
        reading: "U-70:b",
        options: "",
        act: |bench| {
            let at = uncore(16, 4);
            bench.set(at, 0xf0, EN);
            bench.set_counter(at, 0xd0, 77);
            bench.set_counter(at, 0xa0, 78);
            bench.set(at, 0xf4, 0x30003);
            vec![
                bench.cfg_counter(at, 0xd0),
                bench.cfg_counter(at, 0xa0),
                bench.cfg(at, 0xf0).into(),
            ]
        },
        first: &[0, 0, 0],
        other: &[77, 0, EN as u64],
    },
    Case {
        reading: "U-70:c",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc34, 0x14);
            bench.wr(0, 0xc24, 0x30001);
            vec![bench.rd(0, 0xc34)]
        },
        first: &[0x14],
        other: &[0],
    },
    Case {
        reading: "U-70:d",
        options: "",
        act: |bench| {
            bench.wr(0, 0xc30, EN.into());
            bench.wr(0, 0xc00, FRZ_ALL | UNFRZ_ALL);
            let both = counted(bench);
            bench.wr(0, 0xc00, FRZ_ALL);
            vec![both, counted(bench)]
        },
        first: &[0, 0],
        other: &[100, 0],
    },
    Case {
        reading: "U-71:b",
        options: "",
        act: |bench| {
            let at = uncore(14, 1);
            bench.set(at, 0xd8, 0x0010_0142);
            let pci = [0xd8, 0xf4, 0x44, 0xf8].map(|offset| bench.cfg(at, offset).into());
            let msrs = [0xd10, 0xd14, 0xc08, 0xc35].map(|msr| bench.rd(0, msr));
            [pci, msrs].concat()
        },
        first: &[0x0010_0142, 0, 0, 0, 0, 0, 0, 0],
        other: &[
            0x00b8_0142,
            0xfffc_fefc,
            0xffff_c000,
            0,
            0x00b1_0000,
            0xff81_ffe0,
            0xffaf_ffff,
            0,
        ],
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
        reading: "U-71:d",
        options: "",
        act: |bench| {
            bench.set_counter(uncore(14, 1), 0xa0, 5);
            vec![
                kept(bench, 0xd16, 5),
                kept(bench, 0xc09, 5),
                bench.cfg_counter(uncore(14, 1), 0xa0),
            ]
        },
        first: &[5; 3],
        other: &[
            0xffff_f000_0000_0005,
            0xffff_0000_0000_0005,
            0xffff_0000_0000_0005,
        ],
    },
    Case {
        reading: "U-71:e",
        options: "",
        act: |bench| vec![(bench.cfg(uncore(8, 0), 0xd4) & 7).into()],
        first: &[0b101],
        other: &[0b011],
    },
    Case {
        reading: "U-73:b",
        options: "",
        act: |bench| {
            let shown = kept(bench, 0xc30, EN.into());
            vec![shown, kept(bench, 0xc08, EN.into()), counted(bench)]
        },
        first: &[EN as u64, EN as u64, 100],
        other: &[0, 0, 100],
    },
    Case {
        reading: "U-73:c",
        options: "",
        act: |bench| {
            let both = EN | 1 << 20;
            let shown = kept(bench, 0xc30, both.into());
            bench.command("preload 0 pcu 0 0xffffffffffff");
            bench.machine.burst(3);
            vec![shown, bench.rd(0, 0xc01)]
        },
        first: &[(EN | 1 << 20) as u64, 4],
        other: &[EN as u64, 4],
    },
    Case {
        reading: "U-78:b",
        options: "",
        act: |bench| vec![writes(bench, 0xd16, false), in_function(bench)],
        first: &[5, 5],
        other: &[0, 0],
    },
    Case {
        reading: "U-78:c",
        options: "",
        act: |bench| vec![writes(bench, 0xd16, true), in_function(bench)],
        first: &[0, 5],
        other: &[1, 0],
    },
];
