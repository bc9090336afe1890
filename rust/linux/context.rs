// SPDX-License-Identifier: GPL-2.0

//! Proof of the context that code runs in, as a value.
//!
//! C headers: [`include/linux/irqflags.h`](srctree/include/linux/irqflags.h),
//! [`include/linux/preempt.h`](srctree/include/linux/preempt.h)
//!
//! Code that holds an [`IrqsOff`] stays on its CPU, and only an NMI can interrupt it. "This CPU's
//! MSR" and "this CPU's package" mean one thing throughout. Perf's callbacks, timers, cross calls
//! and raw locks each give one to the code they call.
//!
//! Code that holds an [`Nmi`] stays on its CPU as well, but may have interrupted the holder of any
//! lock, so it takes no lock. Code that holds a [`NoInterrupts`] may be in either of the two. A
//! function that all may call takes a [`Pinned`].

use super::{
    bindings,
    topology::Cpu, //
};
use kernel::types::NotThreadSafe;

/// Proof that local interrupts are off, outside NMI.
///
/// # Invariants
///
/// While a value of this type exists, interrupts are disabled on the CPU that runs the code, and
/// the code does not run in NMI context.
pub(crate) struct IrqsOff(NotThreadSafe);

impl IrqsOff {
    /// Asserts that local interrupts are off.
    ///
    /// # Safety
    ///
    /// For as long as the returned value lives, local interrupts must be disabled, and the code
    /// must not run in NMI context.
    pub(super) unsafe fn assume() -> Self {
        // INVARIANT: By the function's contract, which is the invariant.
        Self(NotThreadSafe)
    }

    /// Returns the CPU that runs the code.
    pub(crate) fn cpu(&self) -> Cpu {
        // SAFETY: Has no requirements; by the type invariant the answer stays true.
        let id = unsafe { bindings::helper_smp_processor_id() };
        Cpu::running(id)
    }
}

/// Proof that the code runs in an NMI.
///
/// # Invariants
///
/// While a value of this type exists, the code runs in NMI context.
pub(crate) struct Nmi(NotThreadSafe);

impl Nmi {
    /// Asserts that the code runs in an NMI.
    ///
    /// # Safety
    ///
    /// For as long as the returned value lives, the code must run in NMI context.
    pub(super) unsafe fn assume() -> Self {
        // INVARIANT: By the function's contract, which is the invariant.
        Self(NotThreadSafe)
    }

    /// Returns the CPU that runs the code.
    pub(crate) fn cpu(&self) -> Cpu {
        // SAFETY: Has no requirements; by the type invariant the answer stays true.
        let id = unsafe { bindings::helper_smp_processor_id() };
        Cpu::running(id)
    }
}

/// Proof that local interrupts are off or the code runs in an NMI.
///
/// # Invariants
///
/// While a value of this type exists, interrupts are disabled on the CPU that runs the code, or the
/// code runs in NMI context.
pub(crate) struct NoInterrupts(NotThreadSafe);

impl NoInterrupts {
    /// Asserts that no interrupt but an NMI comes.
    ///
    /// # Safety
    ///
    /// For as long as the returned value lives, local interrupts must be disabled, or the code must
    /// run in NMI context.
    pub(super) unsafe fn assume() -> Self {
        // INVARIANT: By the function's contract, which is the invariant.
        Self(NotThreadSafe)
    }
}

/// Proof that code stays on its CPU, and that no interrupt but an NMI comes.
pub(crate) trait Pinned: sealed::Sealed {}

impl Pinned for IrqsOff {}
impl Pinned for Nmi {}
impl Pinned for NoInterrupts {}
impl<T: Pinned> Pinned for &T {}

mod sealed {
    /// Keeps other types from implementing [`Pinned`](super::Pinned).
    pub(crate) trait Sealed {}

    impl Sealed for super::IrqsOff {}
    impl Sealed for super::Nmi {}
    impl Sealed for super::NoInterrupts {}
    impl<T: Sealed> Sealed for &T {}
}

/// Returns whether the code runs in NMI context.
pub(super) fn in_nmi() -> bool {
    // SAFETY: Reads this CPU's preemption count; has no requirements.
    unsafe { bindings::helper_in_nmi() }
}
