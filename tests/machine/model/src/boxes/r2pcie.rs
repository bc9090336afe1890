// SPDX-License-Identifier: GPL-2.0

//! R2PCIe (ring to PCI Express): one per package, four counters of 44 bits;
//! Documentation/hardware/ivbep.rst section 7.8.
//!
//! PCI D19:F1. `BOX_CTL` ignores bits 17:16.
//!
//! BDX: D16:F1, counters of 48 bits. Control registers are written twice; TxR_CYCLES_NE
//! counts one queue at a time.

use super::prelude::*;
use super::{status, BOX_CTL_RING, RING_QUIRKS, USUAL, USUAL_BDX};

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

pub(super) const BDX: BoxLayout = BoxLayout {
    name: "r2pcie",
    numbered: false,
    kind: BoxType::R2pcie,
    access: Access::Pci(&[Place::uncore(16, 1, 0x6f34)]),
    box_control: Some(BOX_CTL_RING),
    status: IVBEP.status,
    global_bits: |_, _| 1 << 29,
    lists: |event, select, umask| match select.code {
        TXR_CYCLES_NE => event.prints(umask),
        _ => event.lists(umask),
    },
    quirks: RING_QUIRKS,
    ..USUAL_BDX
};

const TXR_CYCLES_NE: u8 = 0x23;
