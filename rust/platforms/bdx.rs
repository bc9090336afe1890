// SPDX-License-Identifier: GPL-2.0

//! Xeon E5 v4 and E7 v4 (Broadwell-EP and -EX) and Xeon D-1500 (Broadwell-DE): the uncore's
//! performance counters as data.
//!
//! One file per box type, each written from one section of Documentation/hardware/bdx.rst, so that
//! it can be checked with that section open. Here is what they share: the CPU models, the discovery
//! registers (section 5), the global registers (section 4), sub-events of several box types, and the
//! list of box types in the manual's order. What Ivy Bridge has as well is in
//! [`xeon`], with the same names. `SPEC: bdx` and a number is a section of that page;
//! 21 are disagreements of the sources, so that 21.6 is the sixth of them.
//!
//! Oddities:
//!
//! * Every control register with a threshold has an invert bit.
//! * Overflows of C-Boxes and S-Boxes set no bit of the global status and do not interrupt.
//! * Broadwell-DE is one package without QPI links and S-Boxes. Boxes of other types that it lacks
//!   are not found: they have no PCI function or no fuse. Its PMUs are named like those of the
//!   other parts, as they count by these tables.
//!
//! Uncertain:
//!
//! * Whether Broadwell-DE has the fuses for C-Boxes (the manual is that of the other parts).
//! * The highest uncore clock is stated nowhere.
//! * `pmi_core_sel` has 18 bits, and there are up to 24 cores: how the others are selected is not
//!   stated (section 4.1). The driver finds out which core a bit interrupts.
//! * Whether `wk_on_pmi` has all cores interrupted or only those selected (section 4.1).

use super::{
    like::{
        inserted,
        joined, //
    },
    xeon::{
        self,
        can_match_opcode,
        registers::{
            box_control,
            box_status,
            control,
            FOUR_COUNTERS, //
        },
        ring::RINGS,
        EXT,
        EXTENDED_SELECT,
        LINES,
        U2C_EVENTS, //
    }, //
};
use crate::uncore::table::prelude::*;

pub(super) mod cbox;
pub(super) mod ha;
pub(super) mod imc;
pub(super) mod irp;
pub(super) mod pcu;
pub(super) mod qpi;
pub(super) mod r2pcie;
pub(super) mod r3qpi;
pub(super) mod sbox;
pub(super) mod ubox;

/// Highest UCLK in MHz, the clock of UBox, C-Box, S-Box, home agent, R2PCIe and R3QPI.
///
/// Stated nowhere. No part of the family is sold above 4 GHz, so this leaves room for overclocking.
/// Too much only means reading the counters more often than needed.
const MAX_UCLK_MHZ: u32 = 5000;

/// PCI device ID of the PCU's function with `CAPID4` and `CAPID5`, which tell the boxes that a part
/// has (section 5).
const FUSES: u16 = 0x6fc0;

#[rustfmt::skip] // In columns, to be read against section 3.1.
/// The fields of an event control register without special fields, whose counters interrupt.
const COMMON_FIELDS: &[Field] = &[
    field("event",  Word::Config, bits::<0, 7>(),   Role::Select),
    field("umask",  Word::Config, bits::<8, 15>(),  Role::Umask),
    field("edge",   Word::Config, bits::<18, 18>(), Role::Edge),
    INVERT,
    field("thresh", Word::Config, bits::<24, 31>(), Role::Threshold),
    INTERVAL,
];

#[rustfmt::skip] // In columns.
/// Directions and polarities of the rings at home agent, R2PCIe and R3QPI.
const RING_DIRECTIONS: &[SubEvent] = &[
    sub("cw_even",   0x01),
    sub("cw_odd",    0x02),
    sub("cw",        0x03),
    sub("ccw_even",  0x04),
    sub("ccw_odd",   0x08),
    sub("ccw",       0x0c),
];

/// Sub-events of nearly all events of these rings. SPEC: bdx 21.25, all is in the lists only.
const RING_USED: &[SubEvent] = &joined::<_, 7>(RING_DIRECTIONS, &[sub("all", 0x0f).lists()]);

#[rustfmt::skip] // In columns.
const TXR_NACK: &[SubEvent] = &[
    sub("dn_ad",     0x01),
    sub("dn_bl",     0x02),
    sub("dn_ak",     0x04),
    sub("up_ad",     0x08),
    sub("up_bl",     0x10),
    sub("up_ak",     0x20),
];

#[rustfmt::skip] // In columns.
/// Sub-events of the credits of an S-Box.
const SBO_CREDITS: &[SubEvent] = &[
    sub("ad",        0x01),
    sub("bl",        0x02),
];

#[rustfmt::skip] // In columns.
const STALL_NO_SBO_CREDIT: &[SubEvent] = &[
    sub("sbo0_ad",   0x01),
    sub("sbo1_ad",   0x02),
    sub("sbo0_bl",   0x04),
    sub("sbo1_bl",   0x08),
];

/// The function that maps buses, section 5.1.
pub(super) const DISCOVERY: Discovery = Discovery {
    device_id: 0x6f1e,
    node_id: 0x40,
    node_mask: 0x7,
    group_map: 0x54,
};

/// The global registers, section 4.
pub(super) const GLOBAL: GlobalMsrs = GlobalMsrs {
    control: 0x700,
    run: Run::Command(1 << 29),
    interrupt: Some(Interrupt {
        // SPEC: bdx 4.1, those of the mask are woken; its other reading, that all cores are
        // interrupted then, does no harm.
        wake: 1 << 30,
        core_select: Bits { low: 0, high: 17 },
        status: 0x701,
    }),
};

/// The platform.
pub(crate) static BDX: Platform = Platform {
    name: "bdx",
    cpus: &[(6, 79)],
    discovery: Some(DISCOVERY),
    global: Some(GLOBAL),
    box_types: &[
        &ubox::UBOX,
        &cbox::CBOX,
        &sbox::SBOX,
        &ha::HA,
        &imc::IMC,
        &irp::IRP,
        &pcu::PCU,
        &qpi::QPI,
        &r2pcie::R2PCIE,
        &r3qpi::R3QPI,
    ],
};

/// The platform with the boxes of Broadwell-DE.
pub(crate) static BDX_DE: Platform = Platform {
    name: "bdx",
    cpus: &[(6, 86)],
    discovery: Some(DISCOVERY),
    global: Some(GLOBAL),
    box_types: &[
        &ubox::UBOX,
        &cbox::CBOX,
        &ha::HA,
        &imc::IMC,
        &irp::IRP,
        &pcu::PCU,
        &r2pcie::R2PCIE,
    ],
};

const _: () = check_window(&BDX);
const _: () = check_window(&BDX_DE);
