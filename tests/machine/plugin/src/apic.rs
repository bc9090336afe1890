// SPDX-License-Identifier: GPL-2.0

//! Local APICs: their identifiers as packages, cores and threads, the registers
//! the adapter looks at, and the address of a message to one of them.

use uncore_machine::Cpu;

/// MSR: mode and address of the local APIC.
pub(crate) const APIC_BASE: u32 = 0x1b;
/// Bits of [`APIC_BASE`]: enabled, and in x2APIC mode.
pub(crate) const X2APIC_ENABLED: u64 = 0b11 << 10;
/// MSR: LVTPC in x2APIC mode.
pub(crate) const X2APIC_LVTPC: u32 = 0x834;
/// MSR: the timer's entry in x2APIC mode.
pub(crate) const X2APIC_LVT_TIMER: u32 = 0x832;
/// MSR: reserved, so that any access raises #GP, in both modes.
pub(crate) const X2APIC_RESERVED: u64 = 0x8ff;
/// Physical address of LVTPC in xAPIC mode.
pub(crate) const LVTPC: u64 = 0xfee0_0340;
/// Physical address of the timer's entry in xAPIC mode.
pub(crate) const LVT_TIMER: u64 = 0xfee0_0320;
/// Physical address of the identifier in xAPIC mode, in bits 31:24.
pub(crate) const ID: u64 = 0xfee0_0020;

/// CPUID leaf: how many identifiers share a cache.
pub(crate) const CACHES: u32 = 4;
/// Its sub-leaf for the third level.
pub(crate) const LAST_LEVEL: u32 = 3;

/// Returns the address to write for a message-signalled interrupt to this APIC.
pub(crate) fn message_address(id: u8) -> u32 {
    0xfee0_0000 | (u32::from(id) << 12)
}

/// The division of the bits of an APIC identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    thread_bits: u32,
    core_bits: u32,
}

impl Layout {
    /// Fields as narrow as they can be, as firmware of such machines has it.
    pub(crate) fn new(cores: u8, threads: u8) -> Self {
        let bits = |count: u8| u32::from(count.max(1)).next_power_of_two().ilog2();
        Self {
            thread_bits: bits(threads),
            core_bits: bits(cores),
        }
    }

    /// Returns EAX of [`CACHES`] for the [`LAST_LEVEL`] of each half of a package.
    pub(crate) fn cache_of_half(self) -> u32 {
        /// Unified, level 3, self-initializing.
        const KIND: u32 = 3 | 3 << 5 | 1 << 8;
        let sharing = (1 << (self.thread_bits + self.core_bits)) / 2;
        let cores = 1 << self.core_bits;
        KIND | (sharing - 1) << 14 | (cores - 1) << 26
    }

    /// The processor with this identifier.
    pub(crate) fn cpu(self, id: u8) -> Cpu {
        let field = |shift: u32, bits: u32| (u32::from(id) >> shift) & ((1 << bits) - 1);
        let byte = |value: u32| value.to_le_bytes()[0];
        Cpu {
            package: byte(u32::from(id) >> (self.thread_bits + self.core_bits)),
            core: byte(field(self.thread_bits, self.core_bits)),
            thread: byte(field(0, self.thread_bits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_as_narrow_as_they_can_be_and_threads_are_lowest() {
        for (cores, threads, id, expected) in [
            (4, 1, 3, (0, 3, 0)),
            (4, 1, 4, (1, 0, 0)),
            (3, 1, 2, (0, 2, 0)),
            (3, 1, 6, (1, 2, 0)),
            (2, 2, 1, (0, 0, 1)),
            (2, 2, 6, (1, 1, 0)),
            (1, 1, 1, (1, 0, 0)),
            (15, 2, 0x7d, (3, 14, 1)),
        ] {
            let cpu = Layout::new(cores, threads).cpu(id);
            assert_eq!((cpu.package, cpu.core, cpu.thread), expected, "{id:#x}");
        }
    }
}
