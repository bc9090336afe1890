// SPDX-License-Identifier: GPL-2.0

//! Whether this CPU takes interrupts of the uncore's counters.
//!
//! C header: [`arch/x86/include/asm/msr-index.h`](srctree/arch/x86/include/asm/msr-index.h)
//!
//! IA32_DEBUGCTL has a bit for it on processors whose uncore can interrupt. Its other bits are the
//! kernel's, which changes one at a time and keeps the rest, as we do.
//!
//! # Contexts
//!
//! Interrupts off. An NMI that changes the register (the core PMU's may) puts it back before it
//! ends, so that reading and writing here can be apart.

use super::{
    bindings,
    context::IrqsOff, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// The register.
const IA32_DEBUGCTL: u32 = 0x1d9;

/// The bit.
const ENABLE_UNCORE_PMI: u64 = 1 << 13;

/// What the bit was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Was {
    /// Interrupts were taken.
    On,
    /// They were not.
    Off,
}

/// Has this CPU take the uncore's interrupts.
///
/// # Errors
///
/// [`EIO`] if the processor has no such bit.
pub(crate) fn take_uncore_pmi(here: &IrqsOff) -> Result<Was> {
    set(here, Was::On)
}

/// Has this CPU do as it `was` told.
///
/// # Errors
///
/// [`EIO`] if the processor has no such bit.
pub(crate) fn restore_uncore_pmi(here: &IrqsOff, was: Was) -> Result {
    set(here, was).map(|_| ())
}

/// Changes the bit and gives what it was.
fn set(_here: &IrqsOff, to: Was) -> Result<Was> {
    let mut value = 0;
    // SAFETY: `value` is valid for the write; a fault is caught.
    to_result(unsafe { bindings::helper_rdmsrq_safe(IA32_DEBUGCTL, &raw mut value) })?;
    let was = match value & ENABLE_UNCORE_PMI {
        0 => Was::Off,
        _ => Was::On,
    };
    if was != to {
        let changed = value ^ ENABLE_UNCORE_PMI;
        // SAFETY: A fault is caught. The bit decides on interrupts only, the others stay.
        to_result(unsafe { bindings::helper_wrmsrq_safe(IA32_DEBUGCTL, changed) })?;
    }
    Ok(was)
}
