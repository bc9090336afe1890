// SPDX-License-Identifier: GPL-2.0

//! Parts of numbers: the low half as 32-bit registers see it, the bits that are set.

/// Bits 31:0.
pub(crate) fn low_half(value: u64) -> u32 {
    (value & 0xffff_ffff) as u32
}

/// The numbers of the bits that are set, lowest first.
pub(crate) fn ones(mask: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |bit| mask >> bit & 1 == 1)
}
