// SPDX-License-Identifier: GPL-2.0

//! The low half of a 64-bit value, as 32-bit registers see it.

/// Bits 31:0.
pub(crate) fn low_half(value: u64) -> u32 {
    (value & 0xffff_ffff) as u32
}
