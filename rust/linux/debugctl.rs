// SPDX-License-Identifier: GPL-2.0

//! Enables interrupts of the uncore's counters on this CPU.
//!
//! C header: [`arch/x86/include/asm/msr-index.h`](srctree/arch/x86/include/asm/msr-index.h)
//!
//! IA32_DEBUGCTL has an enable bit on processors whose uncore can interrupt. The kernel uses the
//! other bits. It changes one bit at a time and keeps the rest, as the functions here do.
//!
//! # Contexts
//!
//! Interrupts off. An NMI that changes the register (that of the core PMU may) restores it before it
//! ends, so reading and writing need not be atomic here.

use super::{
    bindings,
    context::IrqsOff,
    msr, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// Register number.
const IA32_DEBUGCTL: u32 = 0x1d9;

/// Enable bit.
const ENABLE_UNCORE_PMI: u64 = 1 << 13;

/// Enables the uncore's interrupts on this CPU and returns whether they were enabled before.
///
/// # Errors
///
/// [`EIO`] if the processor has no such bit.
pub(crate) fn enable_uncore_pmi(here: &IrqsOff) -> Result<bool> {
    set(here, true)
}

/// Restores the bit that [`enable_uncore_pmi`] returned.
///
/// # Errors
///
/// [`EIO`] if the processor has no such bit.
pub(crate) fn restore_uncore_pmi(here: &IrqsOff, enabled: bool) -> Result {
    set(here, enabled).map(|_| ())
}

/// Changes the bit, unless it is right already, and returns its previous value.
fn set(here: &IrqsOff, enable: bool) -> Result<bool> {
    let value = msr::read(here, IA32_DEBUGCTL)?;
    let enabled = value & ENABLE_UNCORE_PMI != 0;
    if enabled != enable {
        let changed = value ^ ENABLE_UNCORE_PMI;
        // SAFETY: A fault is caught. The bit affects interrupts only, the other bits stay.
        to_result(unsafe { bindings::helper_wrmsrq_safe(IA32_DEBUGCTL, changed) })?;
    }
    Ok(enabled)
}
