// SPDX-License-Identifier: GPL-2.0

//! Registers, fields and events that several Xeon platforms have in common.

use crate::uncore::table::prelude::*;

pub(super) mod cbox;
pub(super) mod ha;
pub(super) mod imc;
pub(super) mod pcu;
pub(super) mod qpi;
pub(super) mod r3qpi;
pub(super) mod registers;
pub(super) mod ring;

/// Event select of PCU and QPI.
///
/// SPEC: U-51 and U-56, the extra bit is 21.
pub(super) const EXTENDED_SELECT: &[Bits] = &[Bits { low: 0, high: 7 }, Bits { low: 21, high: 21 }];

/// The extra bit of [`EXTENDED_SELECT`].
pub(super) const EXT: u32 = 1 << 21;

/// Refuses a C-Box's opcode filter, nine bits of `config1` from `LOW` on, that no request has: "7-bit
/// opcode with the top 2 bits = 3".
pub(super) fn can_match_opcode<const LOW: u8>(config1: u64) -> Result<(), &'static str> {
    if (config1 >> LOW) & 0x1ff >= 0x180 {
        Ok(())
    } else {
        Err("filter_opc must be 0x180 to 0x1ff, as no request has another opcode")
    }
}

/// Unit of events that count cache lines.
pub(super) const LINES: Unit = Unit::Line;

#[rustfmt::skip] // In columns.
/// Sub-events of the messages from the UBox to the cores.
pub(super) const U2C_EVENTS: &[SubEvent] = &[
    sub("monitor_t0",  0x01),
    sub("monitor_t1",  0x02),
    sub("livelock",    0x04),
    sub("lterror",     0x08),
    sub("cmc",         0x10),
    sub("umc",         0x20),
    sub("trap",        0x40),
    sub("other",       0x80),
];
