// SPDX-License-Identifier: GPL-2.0

//! Xeon E5 v2 and E7 v2 (Ivy Bridge-EP and -EX): the uncore's performance counters as data.
//!
//! One file per box type, each written from one section of the register reference, so that it
//! can be checked with that section open. Here is what they share: the CPU models, the discovery
//! registers (reference section 2), the global registers (section 3) and the list of box types in
//! the manual's order.
//!
//! Uncertain:
//!
//! * `num_c` has the constant reset value 8 and is writable; nothing says who corrects it on a
//!   part with another number of C-Boxes (section 3.3). It is only what is left where firmware
//!   hides the functions that stand for C-Boxes.
//! * The highest uncore clock is stated nowhere.
//! * Whether the bits of `pmi_core_sel` number core slots or enabled cores (section 3.1). The
//!   driver finds out which core a bit interrupts.
//! * Whether `wk_on_pmi` has all cores interrupted or only those selected (section 3.1).

use crate::uncore::box_type::Bits;
use crate::uncore::box_type::Discovery;
use crate::uncore::box_type::GlobalMsrs;
use crate::uncore::box_type::Platform;
use crate::uncore::box_type::Unit;
use crate::uncore::table::check::check_platform;

mod cbox;
mod ha;
mod imc;
mod irp;
mod pcu;
mod qpi;
mod r2pcie;
mod r3qpi;
mod registers;
mod ring;
mod ubox;

/// Highest UCLK in MHz, the clock of UBox, C-Box, home agent, R2PCIe and R3QPI.
///
/// SPEC: stated nowhere. The ring is clocked like the fastest core and no part of the family is
/// sold above 4 GHz, so this leaves room for overclocking. Too much only means reading the
/// counters more often than needed.
const MAX_UCLK_MHZ: u32 = 5000;

/// Event select of PCU and QPI.
///
/// SPEC: D-10 and D-18, the extra bit is 21.
const EXTENDED_SELECT: &[Bits] = &[Bits { low: 0, high: 7 }, Bits { low: 21, high: 21 }];

/// The extra bit of [`EXTENDED_SELECT`].
const EXT: u32 = 1 << 21;

/// Unit of what counts cache lines of 64 bytes: 64 / 2^20.
const LINES: Unit = Unit {
    name: "MiB",
    scale: "6.103515625e-5",
};

/// The platform.
pub(crate) static IVBEP: Platform = Platform {
    name: "ivbep",
    cpus: &[(6, 62)],
    pci_driver: c"ivbep_uncore_pmu",
    in_tree_driver: c"ivbep_uncore",
    discovery: Discovery {
        device_id: 0x0e1e,
        node_id: 0x40,
        node_mask: 0x7,
        group_map: 0x54,
    },
    global: Some(GlobalMsrs {
        control: 0xc00,
        freeze: 1 << 31,
        unfreeze: 1 << 29,
        // SPEC: section 3.1, those of the mask are woken; its other reading, that all cores are
        // interrupted then, does no harm.
        wake: 1 << 30,
        core_select: Bits { low: 0, high: 14 },
        status: 0xc01,
        config: 0xc06,
        box_count: Bits { low: 0, high: 3 },
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

const _: () = check_platform(&IVBEP);
