// SPDX-License-Identifier: GPL-2.0

//! ARB of Sandy Bridge client: two counters of 44 bits, and the fixed counter of the uncore
//! clock, which belongs to no box; Documentation/hardware/snb.rst section 2.
//!
//! MSRs 0x3B0 to 0x3B3, 0x394 and 0x395. No `BOX_CTL`, no status: the global registers have
//! a bit for both general counters and one for the fixed counter.
//! Oddity: the fixed counter is behind its control; on Nehalem it is before it.

use super::prelude::*;
use super::{described, USUAL};

/// The fields of `CTLn` of C-Box and ARB.
pub(super) const FIELDS: Fields = Fields {
    thresh: 0x1f,
    has_invert: true,
    need_thresh: false,
    ..COMMON_FIELDS
};

pub(super) fn snb() -> BoxLayout {
    let usual = BoxLayout {
        catalogue: Catalogue::snb,
        fields: FIELDS,
        global_bits: |_, counter| if counter == FIXED { 1 } else { 2 },
        ..USUAL
    };
    described("snb", "ARB", "ARB", &usual)
}
