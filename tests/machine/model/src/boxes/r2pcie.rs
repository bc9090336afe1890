// SPDX-License-Identifier: GPL-2.0

//! R2PCIe (ring to PCI Express): one per package, four counters of 44 bits;
//! Documentation/hardware/ivbep.rst section 7.8.
//!
//! PCI D19:F1. `BOX_CTL` ignores bits 17:16.

use super::prelude::*;
use super::{status, BOX_CTL_RING, USUAL};

pub(super) const IVBEP: BoxLayout = BoxLayout {
    name: "r2pcie",
    numbered: false,
    kind: BoxType::R2pcie,
    access: Access::Pci(&[Place::uncore(19, 1, 0x0e34)]),
    width: 44,
    box_control: Some(BOX_CTL_RING),
    status: Some(status(0xf, 0)),
    global_bits: |_, _| 1 << 26,
    ..USUAL
};
