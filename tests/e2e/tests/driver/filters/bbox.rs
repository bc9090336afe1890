// SPDX-License-Identifier: GPL-2.0

//! The pair of match and mask that events of a B-Box share (Documentation/hardware/nhmex.rst,
//! section 15).

use uncore_e2e::prelude::*;

/// The lowest bit of the class of incoming packets.
const CLASS: u32 = 44;

/// An event that compares a class and a line.
fn packets(name: &str, class: u64, line: u64) -> Probe {
    Probe::new(BoxKind::Bbox, 0, name).home(class << CLASS | line >> 6, 0)
}

/// Events that do not look at the pair are free.
pub(super) fn compatible() -> Vec<[Probe; 2]> {
    let other = Probe::new(BoxKind::Bbox, 0, "imt_full");
    vec![[packets("msg_in_match", 0xe, 0), other]]
}

/// Different values of a class, and of an address.
pub(super) fn conflicting() -> Vec<(Probe, Probe)> {
    let both = packets("msg_addr_in_match", 0xe, LINES[7]);
    vec![
        (both.clone(), packets("msg_in_match", 0xc, 0)),
        (both, packets("addr_in_match", 0, LINES[6])),
    ]
}
