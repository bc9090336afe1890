// SPDX-License-Identifier: GPL-2.0

//! A CPU that code in any context may read and change, such as the one on which a timer is armed.

use crate::linux::{
    atomic::{
        AtomicU32,
        Ordering, //
    },
    topology::Cpu, //
};

/// An optional CPU that any CPU may read and change.
pub(crate) struct CpuCell(AtomicU32);

impl CpuCell {
    const NONE: u32 = u32::MAX;

    /// Makes a cell without a CPU.
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(Self::NONE))
    }

    /// Returns the CPU.
    pub(crate) fn get(&self) -> Option<Cpu> {
        match self.0.load(Ordering::Relaxed) {
            Self::NONE => None,
            number => Cpu::new(number),
        }
    }

    /// Returns whether it is this CPU.
    pub(crate) fn is(&self, cpu: Cpu) -> bool {
        self.0.load(Ordering::Relaxed) == cpu.number()
    }

    /// Changes the CPU.
    pub(crate) fn set(&self, cpu: Option<Cpu>) {
        let number = cpu.map_or(Self::NONE, Cpu::number);
        self.0.store(number, Ordering::Relaxed);
    }
}
