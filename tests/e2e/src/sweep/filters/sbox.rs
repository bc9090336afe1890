// SPDX-License-Identifier: GPL-2.0

//! Packets of an S-Box: each choice of each field.

use crate::prelude::*;

/// The mask that takes all of address and home node out of the comparison.
const ANYWHERE: u64 = 0x7f_ffff_ffff;

pub(super) fn settings() -> Vec<Probe> {
    let packets = |value, mask| Probe::sbox(0, "to_r_prog_ev").system(value, mask);
    let choices = (43..64).map(|bit| packets(1 << bit, ANYWHERE));
    let several = packets(0b11 << 43 | 0b101 << 48 | 1 << 63, ANYWHERE);
    // Bits 43:6 of the address are bits 42:5 of the match.
    let lines = LINES.map(|line| packets((line >> 6 & ((1 << 38) - 1)) << 5, 1));
    let pages = packets((LINES[3] >> 6) << 5, 0x3f << 1 | 1);
    let nodes = [0, 1, 8, 31, 2].map(|node| packets(node, ANYWHERE & !1));
    let all = choices.chain([several, pages]).chain(lines).chain(nodes);
    all.collect()
}
