// SPDX-License-Identifier: GPL-2.0

//! Xeon E5 v2 and E7 v2 (Ivy Bridge-EP and -EX): the uncore's performance counters as data.
//!
//! One file per box type, each written from one section of Documentation/hardware/ivbep.rst, so
//! that it can be checked with that section open. Here is what they share: the CPU models, the
//! discovery registers (section 2), the global registers (section 3) and the list of box types in
//! the manual's order. What Broadwell has as well is in [`xeon`], with the same names.
//!
//! Uncertain:
//!
//! * `num_c` has the constant reset value 8 and is writable; nothing says who corrects it on a part
//!   with another number of C-Boxes (U-13). It is used only if firmware hides the functions that
//!   stand for C-Boxes.
//! * The highest uncore clock is stated nowhere (U-67).
//! * Whether the bits of `pmi_core_sel` number core slots or enabled cores (U-18). The driver finds
//!   out which core a bit interrupts.
//! * Whether `wk_on_pmi` has all cores interrupted or only those selected (U-18).

use super::{
    like::joined,
    xeon::{
        self,
        can_match_opcode,
        registers::{
            box_control,
            box_status,
            control,
            COMMON_FIELDS,
            FOUR_COUNTERS, //
        },
        ring::{
            RINGS,
            RING_USED, //
        },
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
mod irp;
pub(super) mod pcu;
pub(super) mod qpi;
pub(super) mod r2pcie;
pub(super) mod r3qpi;
pub(super) mod ubox;

/// Highest UCLK in MHz, the clock of UBox, C-Box, home agent, R2PCIe and R3QPI.
///
/// SPEC: U-67, stated nowhere. The ring is clocked like the fastest core and no part of the family
/// is sold above 4 GHz, so this leaves room for overclocking. Too much only means reading the
/// counters more often than needed.
const MAX_UCLK_MHZ: u32 = 5000;

/// The function that maps buses, section 2.
pub(super) const DISCOVERY: Discovery = Discovery {
    device_id: 0x0e1e,
    node_id: 0x40,
    node_mask: 0x7,
    group_map: 0x54,
};

/// The platform.
pub(crate) static IVBEP: Platform = Platform {
    name: "ivbep",
    cpus: &[(6, 62)],
    discovery: Some(DISCOVERY),
    global: Some(GlobalMsrs {
        control: 0xc00,
        run: Run::Command(1 << 29),
        interrupt: Some(Interrupt {
            // SPEC: U-18, those of the mask are woken; its other reading, that all cores are
            // interrupted then, does no harm.
            wake: 1 << 30,
            core_select: Bits { low: 0, high: 14 },
            status: 0xc01,
        }),
    }),
    box_types: &[
        &ubox::UBOX,
        &cbox::CBOX,
        &ha::HA,
        &imc::IMC,
        &irp::IRP,
        &pcu::PCU,
        &qpi::QPI,
        &r2pcie::R2PCIE,
        &r3qpi::R3QPI,
    ],
};

const _: () = check_window(&IVBEP);
