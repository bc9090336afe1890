// SPDX-License-Identifier: GPL-2.0

//! Xeon E5 v3 and E7 v3 (Haswell-EP and -EX): the uncore's performance counters as data.
//!
//! It is the design of Broadwell-EP, so that Documentation/hardware/hsx.rst and these tables state
//! what differs; all else is in the tables of [`bdx`], row by row. `SPEC: H-5` is a point
//! of that page, and its sections have the numbers of bdx.rst. A box type with a file has other events
//! or fields. Here is the rest: the CPU model, the PCI functions (section 2.2), and boxes that differ
//! in nothing else.
//!
//! Oddities:
//!
//! * No manual of the vendor was at hand. What no source has for this part is taken from Broadwell.
//! * All control registers in PCI functions, and those of S-Boxes, are written twice.
//!
//! Uncertain:
//!
//! * H-28: as on Broadwell, the driver finds out which core a bit of `pmi_core_sel` interrupts.
//! * H-10: a second memory controller may answer and have no memory. Its clock tells.
//! * H-24: the reset bit of a QPI control register may not clear itself. The driver never sets it.

use super::{
    bdx,
    like::{
        changed,
        inserted,
        joined,
        row,
        with,
        without_units, //
    },
    xeon, //
};
use crate::uncore::table::prelude::*;

mod cbox;
mod ha;
mod imc;
mod pcu;
mod r3qpi;
mod sbox;
mod ubox;

/// PCI device ID of the PCU's function with `CAPID4` and `CAPID5` (section 5).
const FUSES: u16 = 0x2fc0;

/// A layout of control registers that take a value only from two writes.
///
/// SPEC: H-23, it does no harm where one write would do.
const fn twice(layout: Control) -> Control {
    Control {
        twice: true,
        ..layout
    }
}

// PCI functions, section 2.2.

#[rustfmt::skip] // In columns, to be read against section 2.2.
const HA_FUNCTIONS: &[PciFunction] = &[
    // box dev fn  ID
    pci(0, 18, 1, 0x2f30),
    pci(1, 18, 5, 0x2f38),
];

#[rustfmt::skip] // In columns, to be read against section 2.2.
const IMC_FUNCTIONS: &[PciFunction] = &[
    pci(0, 20, 0, 0x2fb0),
    pci(1, 20, 1, 0x2fb1),
    pci(2, 21, 0, 0x2fb4),
    pci(3, 21, 1, 0x2fb5),
    pci(4, 23, 0, 0x2fd0),
    pci(5, 23, 1, 0x2fd1),
    pci(6, 24, 0, 0x2fd4),
    pci(7, 24, 1, 0x2fd5),
];

const IRP_FUNCTIONS: &[PciFunction] = &[pci(0, 5, 6, 0x2f39)];

#[rustfmt::skip] // In columns, to be read against section 2.2.
const QPI_FUNCTIONS: &[PciFunction] = &[
    // port dev fn ID               dev fn  ID
    pci(0,  8, 2, 0x2f32).filters(  8, 6, 0x2f86),
    pci(1,  9, 2, 0x2f33).filters(  9, 6, 0x2f96),
    // SPEC: H-11, without the second function the port has no filter.
    pci(2, 10, 2, 0x2f3a).filters( 10, 6, 0x2f46),
];

const R2PCIE_FUNCTIONS: &[PciFunction] = &[pci(0, 16, 1, 0x2f34)];

#[rustfmt::skip] // In columns, to be read against section 2.2.
const R3QPI_FUNCTIONS: &[PciFunction] = &[
    pci(0, 11, 1, 0x2f36),
    pci(1, 11, 2, 0x2f37),
    pci(2, 11, 5, 0x2f3e),
];

// Box types that differ in nothing else.

/// The IRP, section 12.
///
/// SPEC: H-8, the counters are where they are in-tree, or where other programs have them.
/// SPEC: H-9, its filter register has no known address. It is left as it is.
const IRP: BoxType = BoxType {
    counters: bdx::irp::COUNTERS,
    alternative: Some(&OTHER_IRP),
    ..OTHER_IRP
};

const OTHER_IRP: BoxType = BoxType {
    access: Access::Pci(IRP_FUNCTIONS),
    control: twice(bdx::irp::CONTROL),
    ..bdx::irp::BY_MANUAL
};

/// A port's link layer, section 14.
///
/// SPEC: H-12, as on Broadwell no sent packet agrees while the filter of received ones is in use.
const QPI: BoxType = BoxType {
    access: Access::Pci(QPI_FUNCTIONS),
    control: twice(bdx::qpi::CONTROL),
    ..bdx::qpi::QPI
};

/// R2PCIe, section 15.
const R2PCIE: BoxType = BoxType {
    access: Access::Pci(R2PCIE_FUNCTIONS),
    ..bdx::r2pcie::R2PCIE
};

/// The platform.
pub(crate) static HSX: Platform = Platform {
    name: "hsx",
    cpus: &[(6, 63)],
    discovery: Some(Discovery {
        device_id: 0x2f1e,
        ..bdx::DISCOVERY
    }),
    global: Some(bdx::GLOBAL),
    box_types: &[
        &ubox::UBOX,
        &cbox::CBOX,
        &sbox::SBOX,
        &ha::HA,
        &imc::IMC,
        &IRP,
        &pcu::PCU,
        &QPI,
        &R2PCIE,
        &r3qpi::R3QPI,
    ],
};

const _: () = check_window(&HSX);
