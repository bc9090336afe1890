// SPDX-License-Identifier: GPL-2.0

//! UBox: two counters of 44 bits and the fixed uclk counter;
//! Documentation/hardware/ivbep.rst section 7.1.
//!
//! MSRs 0xC08 to 0xC17 (the global registers below are in `global.rs`), and the
//! PCI function 8086:0e1e that names the package (section 2). No `BOX_CTL`: only
//! the global freeze stops it. thresh has 5 bits.
//! SPEC: the fixed counter is 48 bits wide (U-3, probable).
//!
//! BDX: MSRs 0x703 to 0x70A, counters of 48 bits, `invert`; the function that names the
//! package is 8086:6f1e at D16:F5. 0x707 is no register.

use super::prelude::*;
use super::{read_only, usual, LikeBdx, PlainFunction, BDX_FIELDS, CPUNODEID, GIDNIDMAP, USUAL};

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        fields: Fields {
            thresh: 0x1f,
            ..COMMON_FIELDS
        },
        global_bits,
        ..usual("UBOX")
    }
}

/// It has no `BOX_CTL`, and so no bits there that let a freeze and overflows have an effect.
pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        fields: Fields {
            thresh: 0x1f,
            ..BDX_FIELDS
        },
        global_bits,
        quirks: USUAL.quirks,
        ..of.usual("UBOX")
    }
}

fn global_bits(_: u8, counter: usize) -> u64 {
    if counter == FIXED {
        1
    } else {
        2
    }
}

/// The registers of the discovery function; firmware sets both.
const DISCOVERY: &[(u16, Word)] = &[
    (CPUNODEID, read_only("CPUNODEID")),
    (GIDNIDMAP, read_only("GIDNIDMAP")),
];

pub(super) const IVBEP_FUNCTIONS: [PlainFunction; 1] = [(Place::uncore(11, 0, 0x0e1e), DISCOVERY)];

pub(super) const BDX_FUNCTIONS: [PlainFunction; 1] = [(Place::uncore(16, 5, 0x6f1e), DISCOVERY)];
