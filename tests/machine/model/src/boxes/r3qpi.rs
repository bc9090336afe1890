// SPDX-License-Identifier: GPL-2.0

//! R3QPI (ring to QPI): two links (EX: three), three counters of 44 bits;
//! Documentation/hardware/ivbep.rst section 7.9.
//!
//! PCI D19:F5, D19:F6 and D18:F5. `BOX_CTL` ignores bits 17:16.
//!
//! BDX: D11:F1, F2 and F5, counters of 48 bits. Control registers are written twice.
//! SPEC: an overflow sets the bit of its R3QPI and ov_rq (B-3).
//! SPEC: Broadwell-DE has the functions of two links, and no registers in them (B-21).

use super::prelude::*;
use super::{usual, LikeBdx, PlainFunction, RING_QUIRKS};

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        global_bits: |link, _| 1 << (24 + link / 2),
        ..usual("R3QPI")
    }
}

/// `ov_rq`: an R3QPI, whichever.
const OV_RQ: u64 = 1 << 35;

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        global_bits: |link, _| 1 << (27 + link / 2) | OV_RQ,
        quirks: RING_QUIRKS,
        ..of.usual("R3QPI")
    }
}

/// The functions of the links, of which Broadwell-DE has none.
pub(super) const BDX_DE_FUNCTIONS: [PlainFunction; 2] = [
    (Place::uncore(11, 1, 0x6f36), &[]),
    (Place::uncore(11, 2, 0x6f37), &[]),
];
