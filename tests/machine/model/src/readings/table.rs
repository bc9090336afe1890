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
    CboxOverflowEnable,
    CboxStatus,
    NoCboxStatus,
    NarrowUclk,
    LinkAndC6,
    FifteenNodes,
    TidUnread,
    BoxEnablesUnread,
    BoxEnablesAct,
    BoxEnablesOfRings,
    FreezeRead,
    FreezeReadOfPackage,
    OneFreeze,
    ReleaseOfBoxes,
    StatusByEnable,
    ImcStatusInOrder,
    StatusOfUclk,
    NumberOfCboxes,
    NoNumber,
    HighHalfFaults,
    NarrowIrp,
    BitsOfPorts,
    SpareBitsOfPcu,
    NoEdgeOfPcu,
    FixedSurvivesReset,
    FiltersReset,
    UnfreezeWins,
    ReservedOnes,
    ReservedOnesOfStatus,
    OnesAboveCounters,
    SlowLink,
    Skid,
    EnableUnread,
    OverflowEnableUnread,
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
    row("U-1", 'b', IVBEP, &[Reading::CboxOverflowEnable],
        "bit 20 of a C-Box' control register is an overflow enable as elsewhere"),
    row("U-2", 'b', IVBEP, &[Reading::CboxStatus],
        "0xD15 + 0x20 n is the box status of C-Box n"),
    row("U-2", 'c', IVBEP, &[Reading::NoCboxStatus],
        "0xD15 + 0x20 n faults"),
    row("U-3", 'b', IVBEP, &[Reading::NarrowUclk],
        "the fixed counter of the UBox has 44 bits"),
    row("U-4", 'b', IVBEP, &[Reading::LinkAndC6],
        "FILTER0 8:5 and FILTER1 29 keep what is written"),
    row("U-5", 'b', IVBEP, &[Reading::FifteenNodes],
        "bit 15 of FILTER1 is reserved and reads 0, so that no node 15 can be chosen"),
    row("U-7", 'b', IVBEP, &[Reading::TidUnread],
        "tid acts, and reads 0"),
    row("U-8", 'b', IVBEP, &[Reading::BoxEnablesUnread],
        "bits 17:16 of the box control register read 0"),
    row("U-8", 'c', IVBEP, &[Reading::BoxEnablesAct, Reading::BoxEnablesOfRings],
        "without bit 16 a box obeys no freeze, without bit 17 it sends no message"),
    row("U-8", 'd', IVBEP, &[Reading::BoxEnablesOfRings],
        "R2PCIe and R3QPI keep bits 17:16 as well"),
    row("U-9", 'b', IVBEP, &[Reading::FreezeRead],
        "frz reads 1 while the box is frozen by it"),
    row("U-9", 'c', IVBEP, &[Reading::FreezeRead, Reading::FreezeReadOfPackage],
        "frz reads 1 while the box is frozen by it or with the package"),
    row("U-9", 'd', IVBEP, &[Reading::OneFreeze],
        "a box that is released counts although the package is frozen, until the next freeze"),
    row("U-9", 'e', IVBEP, &[Reading::ReleaseOfBoxes],
        "unfrz_all releases the boxes that frz has frozen, too"),
    row("U-10", 'b', IVBEP, &[Reading::StatusByEnable],
        "an overflow sets its bit of the box status only if its overflow enable is 1"),
    row("U-11", 'b', IVBEP, &[Reading::ImcStatusInOrder],
        "bit k of the iMC's box status is counter k, bit 4 the fixed one"),
    row("U-12", 'b', IVBEP, &[Reading::StatusOfUclk],
        "the fixed counter of the UBox has bit 2 of the box status"),
    row("U-13", 'b', IVBEP, &[Reading::NumberOfCboxes],
        "num_c is the number of C-Boxes"),
    row("U-13", 'c', IVBEP, &[Reading::NoNumber],
        "num_c is 0"),
    row("U-20", 'b', IVBEP, &[Reading::HighHalfFaults],
        "a 32-bit MSR that is written with bits 63:32 faults"),
    row("U-33", 'b', IVBEP, &[Reading::NarrowIrp],
        "the counters of the IRP have 44 bits"),
    row("U-47", 'b', IVBEP, &[Reading::BitsOfPorts],
        "port 1 of QPI has bit 23 of GLOBAL_STATUS and link 1 of R3QPI bit 25"),
    row("U-65", 'b', IVBEP, &[Reading::SpareBitsOfPcu],
        "bits 19 and 16 of the PCU's control registers keep what is written"),
    row("U-65", 'c', IVBEP, &[Reading::NoEdgeOfPcu],
        "bit 18 of the PCU's control registers is reserved and reads 0"),
    row("U-70", 'b', IVBEP, &[Reading::FixedSurvivesReset],
        "rst_ctrs and rst_ctrl leave the fixed counter and its control"),
    row("U-70", 'c', IVBEP, &[Reading::FiltersReset],
        "rst_ctrl clears the filters, too"),
    row("U-70", 'd', IVBEP, &[Reading::UnfreezeWins],
        "a write with frz_all and unfrz_all unfreezes"),
    row("U-71", 'b', IVBEP, &[Reading::ReservedOnes],
        "reserved and ignored bits of controls and filters read 1"),
    row("U-71", 'c', IVBEP, &[Reading::ReservedOnesOfStatus],
        "reserved and ignored bits of GLOBAL_CTL and of status registers read 1"),
    row("U-71", 'd', IVBEP, &[Reading::OnesAboveCounters],
        "the bits above a counter read 1"),
    row("U-71", 'e', IVBEP, &[Reading::SlowLink],
        "QPI_RATE_STATUS shows 6.4 GT/s"),
    row("U-72", 'b', IVBEP, &[Reading::Skid],
        "the box that overflows counts on for half the time until the freeze of the others"),
    row("U-73", 'b', IVBEP, &[Reading::EnableUnread],
        "en of a control register reads 0"),
    row("U-73", 'c', IVBEP, &[Reading::OverflowEnableUnread],
        "ov_en of a control register reads 0"),
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
