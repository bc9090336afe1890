// SPDX-License-Identifier: GPL-2.0

//! The table of the readings: the only source of their names and of what they do.
//!
//! A point is a heading of Documentation/hardware/uncertain.rst (`U-n`) or of the section
//! of uncertain places of bdx.rst (`B-n`), snb.rst (`S-n`) and nhmex.rst (`X-n`). The first
//! reading of a point, letter a, is what the machine does without a row.

use crate::Platform;

/// What differs from the first reading of a point. [`TABLE`] says what each does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    NarrowUclk,
    NarrowIrp,
    IrpOfKernel,
    SentPackets,
    StatusClears,
    StatusStays,
    MemoryCountersStay,
    ShortCodes,
    WholeFields,
    MaskCompares,
}

/// One reading of a point.
#[derive(Debug)]
pub struct Row {
    /// The point.
    pub point: &'static str,
    /// The reading of it; a is what the machine does without any.
    pub letter: char,
    /// What the machine does, in one clause.
    pub says: &'static str,
    /// It holds from the start of the machine to its end.
    pub at_start: bool,
    pub(super) platforms: &'static [Platform],
    pub(super) takes: &'static [Reading],
}

const IVBEP: &[Platform] = &[Platform::Ivbep];
const BDX: &[Platform] = &[Platform::Bdx, Platform::BdxDe];
const BDX_WITH_LINKS: &[Platform] = &[Platform::Bdx];
const SNB: &[Platform] = &[Platform::Snb];
const NHMEX: &[Platform] = &[Platform::Nhmex, Platform::Wsmex];

const fn row(
    point: &'static str,
    letter: char,
    platforms: &'static [Platform],
    takes: &'static [Reading],
    says: &'static str,
) -> Row {
    Row {
        point,
        letter,
        says,
        at_start: false,
        platforms,
        takes,
    }
}

/// All readings but the first of each point.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row("U-3", 'b', IVBEP, &[Reading::NarrowUclk],
        "the fixed counter of the UBox has 44 bits"),
    row("U-33", 'b', IVBEP, &[Reading::NarrowIrp],
        "the counters of the IRP have 44 bits"),
    row("B-2", 'b', BDX, &[Reading::IrpOfKernel],
        "the counters of the IRP are where the kernel's own driver has them"),
    row("B-6", 'b', BDX_WITH_LINKS, &[Reading::SentPackets],
        "CTO_COUNT counts sent packets, too"),
    row("S-1", 'b', SNB, &[Reading::StatusClears],
        "the status of the package (0x392) clears its own bits, and 0x393 does nothing"),
    row("S-1", 'c', SNB, &[Reading::StatusStays],
        "nothing clears the status of the package"),
    row("S-15", 'b', SNB, &[Reading::MemoryCountersStay],
        "the counters of the memory controller keep their values in S3"),
    row("X-1", 'b', NHMEX, &[Reading::WholeFields],
        "a field of MATCH of the S-Box is compared as a whole, so that 0 is a value"),
    row("X-3", 'b', NHMEX, &[Reading::MaskCompares],
        "a mask bit of B-Box and M-Box compares if it is 1"),
    row("X-4", 'b', NHMEX, &[Reading::ShortCodes],
        "the event select of the U-Box has eight bits"),
];
