// SPDX-License-Identifier: GPL-2.0

//! R2PCIe (ring to PCI Express): one per package, four counters of 44 bits;
//! Documentation/hardware/ivbep.rst section 7.8.
//!
//! PCI D19:F1. `BOX_CTL` ignores bits 17:16.
//!
//! BDX: D16:F1, counters of 48 bits. Control registers are written twice; TxR_CYCLES_NE
//! counts one queue at a time.

use super::prelude::*;
use super::{usual, LikeBdx, RING_QUIRKS};

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        global_bits: |_, _| 1 << 26,
        ..usual("R2PCIe")
    }
}

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        global_bits: |_, _| 1 << 29,
        lists: |event, select, umask| match select.code {
            TXR_CYCLES_NE => event.prints(umask),
            _ => event.lists(umask),
        },
        quirks: RING_QUIRKS,
        ..of.usual("R2PCIe")
    }
}

const TXR_CYCLES_NE: u8 = 0x23;
