// SPDX-License-Identifier: GPL-2.0

//! R2PCIe (ring to PCI Express): one per package, four counters of 44 bits;
//! Documentation/hardware/ivbep.rst section 7.8.
//!
//! PCI D19:F1. `BOX_CTL` ignores bits 17:16.

use super::{BOX_CTL_RING, COMMON_CONTROL, FOUR_COUNTERS, PCI_BLOCK};
use crate::catalogue::BoxType;
use crate::clock::Clock;
use crate::layout::{list_by_bits, select_by_umask, Access, BoxLayout, Place, COMMON_FIELDS};
use crate::register::Word;

const BOX_STATUS: Word = Word {
    w1c: 0xf,
    ..Word::named("BOX_STATUS")
};

pub(super) const LAYOUT: BoxLayout = BoxLayout {
    name: "r2pcie",
    numbered: false,
    kind: BoxType::R2pcie,
    clock: Clock::Uclk,
    access: Access::Pci(&[Place::uncore(19, 1, 0x0e34)]),
    counters: 4,
    counters_per_set: 4,
    width: 44,
    control: COMMON_CONTROL,
    fields: COMMON_FIELDS,
    fixed: None,
    box_control: Some(BOX_CTL_RING),
    status: Some(BOX_STATUS),
    status_first: 1,
    global_bit: |_, _| Some(26),
    filters: &[],
    registers: &FOUR_COUNTERS,
    companion: None,
    blocks: &[PCI_BLOCK],
    silent: &[],
    select: select_by_umask,
    lists: list_by_bits,
};
