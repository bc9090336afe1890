// SPDX-License-Identifier: GPL-2.0

//! The CPU whose registers code accesses.

use super::topology::Cpu;

/// Stands for a section of the kernel with interrupts off. Here it only names a CPU.
pub(crate) struct IrqsOff(Cpu);

impl IrqsOff {
    /// Names the CPU.
    pub(crate) fn on(cpu: Cpu) -> Self {
        Self(cpu)
    }

    /// Returns the CPU.
    pub(crate) fn cpu(&self) -> Cpu {
        self.0
    }
}
