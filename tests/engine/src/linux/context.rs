// SPDX-License-Identifier: GPL-2.0

//! Proof of the context that code runs in. [`host`](crate::host) gives it.

use super::topology::Cpu;
use std::marker::PhantomData;

/// Proof that local interrupts are off, outside NMI.
pub(crate) struct IrqsOff(Cpu, PhantomData<*const ()>);

impl IrqsOff {
    /// Makes the proof, in a section of this CPU.
    pub(crate) fn at(cpu: u32) -> Self {
        Self(Cpu::running(cpu), PhantomData)
    }

    /// Returns the CPU that runs the code.
    pub(crate) fn cpu(&self) -> Cpu {
        self.0
    }
}

/// Proof that the code runs in an NMI.
pub(crate) struct Nmi(Cpu, PhantomData<*const ()>);

impl Nmi {
    /// Makes the proof, in an NMI of this CPU.
    pub(crate) fn at(cpu: u32) -> Self {
        Self(Cpu::running(cpu), PhantomData)
    }

    /// Returns the CPU that runs the code.
    pub(crate) fn cpu(&self) -> Cpu {
        self.0
    }
}

/// Proof that local interrupts are off or the code runs in an NMI.
pub(crate) struct NoInterrupts(Cpu, PhantomData<*const ()>);

impl NoInterrupts {
    /// Makes the proof, in a section or an NMI of this CPU.
    pub(crate) fn at(cpu: u32) -> Self {
        Self(Cpu::running(cpu), PhantomData)
    }
}

/// Proof that code stays on its CPU.
pub(crate) trait Pinned {
    /// The number of that CPU.
    fn number(&self) -> u32;
}

impl Pinned for IrqsOff {
    fn number(&self) -> u32 {
        self.0.number()
    }
}

impl Pinned for Nmi {
    fn number(&self) -> u32 {
        self.0.number()
    }
}

impl Pinned for NoInterrupts {
    fn number(&self) -> u32 {
        self.0.number()
    }
}

impl<T: Pinned> Pinned for &T {
    fn number(&self) -> u32 {
        T::number(self)
    }
}
