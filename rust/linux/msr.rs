// SPDX-License-Identifier: GPL-2.0

//! Model-specific registers of this CPU.
//!
//! C header: [`arch/x86/include/asm/msr.h`](srctree/arch/x86/include/asm/msr.h)
//!
//! A register that the processor lacks, or a reserved bit that is written, raises a general
//! protection fault; both functions turn it into [`EIO`]. The check costs nothing unless it fires,
//! so there is no unchecked variant.
//!
//! Writing is limited to a window: some registers outside decide what code and memory the kernel
//! uses, and a safe function must not reach them.
//!
//! There is no remote access either: a box's registers are reached from a CPU of its package, and
//! whoever is elsewhere takes the whole job there with [`super::smp::on_cpu`], one trip for all
//! registers.
//!
//! # Contexts
//!
//! Interrupts off or NMI, which the token shows.

use super::{
    bindings,
    context::Pinned, //
};
use core::ops::RangeInclusive;
use kernel::{
    error::to_result,
    prelude::*, //
};

/// What may be written: where Intel's server parts have the uncore's counters, and nothing else.
const WINDOW: RangeInclusive<u32> = 0xc00..=0xfff;

/// Reads a register of this CPU.
///
/// # Errors
///
/// [`EIO`] if the processor refuses.
#[inline]
pub(crate) fn read(_here: &impl Pinned, register: u32) -> Result<u64> {
    let mut value = 0;
    // SAFETY: `value` is valid for the write; a fault is caught.
    match unsafe { bindings::helper_rdmsrq_safe(register, &raw mut value) } {
        0 => Ok(value),
        _ => Err(EIO),
    }
}

/// Writes a register of this CPU.
///
/// # Errors
///
/// [`EPERM`] for a register outside the window, [`EIO`] if the processor refuses.
#[inline]
pub(crate) fn write(_here: &impl Pinned, register: u32, value: u64) -> Result {
    if !WINDOW.contains(&register) {
        return Err(EPERM);
    }
    // SAFETY: A fault is caught. Registers in the window count events and have no part in how the
    // kernel works.
    to_result(unsafe { bindings::helper_wrmsrq_safe(register, value) })
}
