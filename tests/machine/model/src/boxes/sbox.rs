// SPDX-License-Identifier: GPL-2.0

//! S-Box, which BDX has: none or four per package, four counters of 48 bits;
//! Documentation/hardware/bdx.rst section 9.
//!
//! MSRs 0x720 + 0xA * n. No `ov_en` and no bit in GLOBAL_STATUS, as the C-Box. `tid_en` is
//! stored; there is no filter that it could bring in force. Control registers are written
//! twice, and `BOX_CTL` is reset in steps.

use super::prelude::*;
use super::{LikeBdx, BDX_FIELDS, USUAL_BDX};

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        fields: Fields {
            overflow_enable: 0,
            ..BDX_FIELDS
        },
        quirks: Quirks {
            control_twice: true,
            reset_in_steps: true,
            ..USUAL_BDX.quirks
        },
        ..of.usual("SBO")
    }
}
