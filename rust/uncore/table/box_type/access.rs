// SPDX-License-Identifier: GPL-2.0

//! Location of a box type's registers, and what tells which boxes a package has.

use super::control::Bits;

/// Location of the registers of a box type.
pub(crate) enum Access {
    /// MSRs of the package: register offsets are relative to the first MSR of the box.
    Msr {
        /// First MSR of each box that a package can have, by the box's index; 0 where the offsets
        /// of a single box are MSR numbers.
        bases: &'static [u32],
        /// Sources that tell which boxes a package has. The first that is there decides. Each of
        /// these boxes must also answer the write/read-back probe.
        present: &'static [Presence],
    },
    /// PCI functions, one per box: register offsets are config offsets.
    Pci(&'static [PciFunction]),
    /// Memory of a PCI function, for the one box of the first package. Its counters run always and
    /// are only read: register offsets are relative to the start of the memory.
    Memory(Memory),
}

/// Memory of a PCI function that another driver may have. The function is on bus 0.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    /// PCI device IDs that the function can have, vendor 8086.
    pub(crate) device_ids: &'static [u16],
    /// Device number.
    pub(crate) device: u8,
    /// Function number.
    pub(crate) function: u8,
    /// Config offset of the register with the address: two dwords, with an enable bit.
    pub(crate) base: u16,
    /// Number of bytes that hold the counters, from the start on.
    pub(crate) size: u16,
}

/// A source that tells which boxes of an MSR type a package has.
pub(crate) enum Presence {
    /// The table: every part has all of them.
    All,
    /// PCI functions with consecutive device IDs on the package's buses: box n is there if the
    /// function `first_id` + n is. Firmware can hide them all; then they tell nothing.
    Functions {
        /// PCI device ID of the function that stands for box 0.
        first_id: u16,
    },
    /// PCI functions with one device ID on the package's buses: as many boxes as there are, from box 0
    /// on. Firmware can hide them all; then they tell nothing.
    EqualFunctions {
        /// PCI device ID of each.
        device_id: u16,
    },
    /// A register in the configuration space of one of the package's PCI functions.
    Fuses {
        /// PCI device ID of the function.
        device_id: u16,
        /// Config offset of the register.
        offset: u16,
        /// Bits of the register with the fuses.
        bits: Bits,
        /// Bit masks of boxes, one for each value of `bits`. Without them, `bits` is a bit mask of
        /// boxes itself.
        choices: Option<&'static [u32]>,
    },
    /// Such a register with a bit mask of boxes, of which no source is certain. It tells if each core
    /// has a box, and no other bit is 1.
    Mask {
        /// PCI device ID of the function.
        device_id: u16,
        /// Config offset of the register.
        offset: u16,
    },
    /// An MSR with their number.
    Register {
        /// Number of the MSR.
        msr: u32,
        /// Bits of the number.
        bits: Bits,
    },
    /// The cores: each has one.
    Cores,
    /// The cores, but no more than the number in an MSR, unless that is 0.
    CoresUpTo {
        /// Number of the MSR.
        msr: u32,
        /// Bits of the number.
        bits: Bits,
    },
}

/// A PCI function that is a box.
pub(crate) struct PciFunction {
    /// PCI device ID, vendor 8086.
    pub(crate) device_id: u16,
    /// Device number in the manual.
    pub(crate) device: u8,
    /// Function number in the manual.
    pub(crate) function: u8,
    /// Index of the box within its type.
    pub(crate) index: u8,
    /// The function that holds the box's filter registers, if not its own function. It is on the
    /// same bus. Without it, events that need a filter are refused.
    pub(crate) filters: Option<FilterFunction>,
}

/// A PCI function that holds filter registers of a box and no counters.
#[derive(Clone, Copy)]
pub(crate) struct FilterFunction {
    /// PCI device ID, vendor 8086.
    pub(crate) device_id: u16,
    /// Device number in the manual.
    pub(crate) device: u8,
    /// Function number in the manual.
    pub(crate) function: u8,
}
