// SPDX-License-Identifier: GPL-2.0

//! iMC: two controllers of four channels, one box per channel;
//! Documentation/hardware/ivbep.rst section 7.4.
//!
//! PCI D16 (MC0) and D30 (MC1), F4, F5, F0, F1 for channels 0 to 3; four
//! counters and the fixed dclk counter, all of 48 bits. Oddities: the reset bit
//! of FIXED_CTL is 19; `BOX_STATUS` bit 0 is the fixed counter, bit k + 1 is
//! counter k (U-11); 0xE8 (a fifth control in another document) is left alone.
//!
//! BDX: D20 and D21 (MC0), D23 and D24 (MC1), F0 and F1. The umask of RD_CAS_RANKx and
//! WR_CAS_RANKx is a number.
//! MC1 is there with the second home agent.
//! SPEC: the IDs are those that real machines list, not those of the manual (B-1).

use super::prelude::*;
use super::{usual, LikeBdx};

pub(super) fn ivbep() -> BoxLayout {
    BoxLayout {
        global_bits: |instance, _| 1 << (20 + instance / 4),
        ..usual("iMC")
    }
}

pub(super) fn bdx(of: LikeBdx) -> BoxLayout {
    BoxLayout {
        global_bits: |instance, _| 1 << (23 + instance / 4),
        lists: |event, select, umask| match select.code {
            0xb0..=0xbf => event.prints(umask),
            _ => event.lists(umask),
        },
        ..of.usual("iMC")
    }
}
