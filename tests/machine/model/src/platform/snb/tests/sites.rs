// SPDX-License-Identifier: GPL-2.0

//! The addresses of the boxes and the programming of a [`Setting`].

use uncore_definition::Setting;

use super::{CONTROL, EN, GLOBAL_EN};
use crate::bench::Bench;

/// First event select and first counter of a setting's box.
fn msrs(s: &Setting) -> (u32, u32) {
    if s.kind == "ARB" {
        return (0x3b2, 0x3b0);
    }
    let base = 0x700 + 0x10 * s.instance as u32;
    (base, base + 6)
}

/// Programs a setting and lets the package count.
pub(super) fn program(bench: &mut Bench, s: &Setting) {
    let bit = |set: bool, at: u32| u64::from(set) << at;
    let flags = bit(s.edge, 18) | bit(s.invert, 23);
    let value = s.thresh << 24 | flags | u64::from(s.umask) << 8 | u64::from(s.code);
    bench.wr(0, msrs(s).0 + s.counter as u32, value | EN);
    bench.wr(0, CONTROL, GLOBAL_EN | 0xf);
}

/// Reads the counter of a setting.
pub(super) fn read(bench: &mut Bench, s: &Setting) -> u64 {
    bench.rd(0, msrs(s).1 + s.counter as u32)
}
