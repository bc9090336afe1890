// SPDX-License-Identifier: GPL-2.0

//! Boxes and global registers of each platform, as far as experiments must know them.

use crate::lab::{EN, FREEZE_ALL, FROZEN, RELEASED, RELEASE_ALL};

/// Facts of a platform's boxes and global registers that experiments need.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout {
    /// Kinds of boxes.
    pub kinds: &'static [Kind],
    /// Bits of the global status that are cleared by writing 1; 0 without such a register.
    pub status: u64,
    /// Global control that lets the counters of a package run.
    pub run: u64,
    /// Global control that stops them.
    pub hold: u64,
}

/// A kind of box, as far as experiments know it.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Unit, as in `cbox`.
    pub unit: &'static str,
    /// Event control register that counts the clock, without the enable bit.
    pub clock: u64,
    /// Width of the counters in bits, the smaller one if it is uncertain.
    pub width: u32,
    /// Bits of the event control register that enable the counter.
    pub enable: u64,
    /// Box controls that let the counters run, and stop them; `None` if the global control does.
    pub control: Option<[u64; 2]>,
}

/// A kind of box of a Xeon E5.
const fn kind(unit: &'static str, clock: u64, width: u32) -> Kind {
    Kind {
        unit,
        clock,
        width,
        enable: EN,
        control: Some([RELEASED, FROZEN]),
    }
}

/// A kind of box that a level of the global control lets run, or that has a bit in its control for
/// each of these counters.
const fn level(unit: &'static str, enable: u64, width: u32, counters: u64) -> Kind {
    Kind {
        unit,
        clock: 0,
        width,
        enable,
        control: match counters {
            0 => None,
            counters => Some([counters, 0]),
        },
    }
}

/// Returns what experiments know of a platform: `wsmex` is Westmere-EX.
pub fn layout(platform: &str) -> Layout {
    match platform {
        "ivbep" => Layout {
            kinds: IVBEP,
            status: 0x7ff_ffff,
            ..XEON
        },
        "bdx" => Layout {
            kinds: BDX,
            status: 0xc_3fe0_0007,
            ..XEON
        },
        "snb" => Layout {
            kinds: SNB,
            status: 0,
            run: 1 << 29 | 0xf,
            hold: 0,
        },
        "nhmex" | "wsmex" => Layout {
            kinds: NHMEX,
            status: 0,
            run: 1 << 28 | 1,
            hold: 1 << 28,
        },
        _ => Layout::default(),
    }
}

/// Facts that the Xeons E5 have alike.
const XEON: Layout = Layout {
    kinds: &[],
    status: 0,
    run: RELEASE_ALL,
    hold: FREEZE_ALL,
};

/// Those of Ivy Bridge-EP.
const IVBEP: &[Kind] = &[
    kind("cbox", 0x00, 44),
    kind("ha", 0x00, 48),
    kind("imc", 0x00, 48),
    kind("irp", 0x00, 44),
    kind("pcu", 0x00, 48),
    kind("qpi", 0x14, 48),
    kind("r2pcie", 0x01, 44),
    kind("r3qpi", 0x01, 44),
];

/// Those of Broadwell.
const BDX: &[Kind] = &[
    kind("cbox", 0x00, 48),
    kind("sbox", 0x00, 48),
    kind("ha", 0x00, 48),
    kind("imc", 0x00, 48),
    kind("irp", 0x00, 48),
    kind("pcu", 0x00, 48),
    kind("qpi", 0x14, 48),
    kind("r2pcie", 0x01, 48),
    kind("r3qpi", 0x01, 48),
];

/// Those of Sandy Bridge.
const SNB: &[Kind] = &[level("cbox", EN, 44, 0), level("arb", EN, 44, 0)];

/// Those of Nehalem-EX and Westmere-EX. The M-Box' counters wrap with bit 6.
const NHMEX: &[Kind] = &[
    level("ubox", EN, 48, 0),
    level("cbox", EN, 48, 0x3f),
    level("bbox", 1, 48, 0xf),
    level("sbox", EN, 48, 0xf),
    level("rbox", 1, 48, 0xff),
    level("mbox", 1 << 6 | 1, 48, 0x3f),
    level("wbox", EN, 48, 0x8000_000f),
];
