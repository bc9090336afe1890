// SPDX-License-Identifier: GPL-2.0

//! Proof of the context that code runs in. [`host`](crate::host) gives it.

use super::topology::Cpu;
use std::marker::PhantomData;

/// Proof that code stays on this CPU, in a context.
pub(crate) struct Proof<Context>(Cpu, PhantomData<*const Context>);

/// A section of a CPU.
pub(crate) enum Section {}

/// An NMI.
pub(crate) enum InNmi {}

/// A section or an NMI.
pub(crate) enum SectionOrNmi {}

/// Proof that local interrupts are off, outside NMI.
pub(crate) type IrqsOff = Proof<Section>;

/// Proof that the code runs in an NMI.
pub(crate) type Nmi = Proof<InNmi>;

/// Proof that local interrupts are off or the code runs in an NMI.
pub(crate) type NoInterrupts = Proof<SectionOrNmi>;

impl<Context> Proof<Context> {
    /// Makes the proof, in the context and on this CPU.
    pub(crate) fn at(cpu: u32) -> Self {
        Self(Cpu::running(cpu), PhantomData)
    }

    /// Returns the CPU that runs the code.
    pub(crate) fn cpu(&self) -> Cpu {
        self.0
    }
}

/// Proof that code stays on its CPU.
pub(crate) trait Pinned {
    /// The number of that CPU.
    fn number(&self) -> u32;
}

impl<Context> Pinned for Proof<Context> {
    fn number(&self) -> u32 {
        self.0.number()
    }
}

impl<T: Pinned> Pinned for &T {
    fn number(&self) -> u32 {
        T::number(self)
    }
}
