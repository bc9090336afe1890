// SPDX-License-Identifier: GPL-2.0

//! Model-specific registers of this CPU.
//!
//! C header: [`arch/x86/include/asm/msr.h`](srctree/arch/x86/include/asm/msr.h)
//!
//! An access to a register that the processor lacks raises a general protection fault, and so does
//! writing a reserved bit. Both functions turn the fault into [`EIO`]. Catching it costs nothing
//! unless it happens, so there is no unchecked variant.
//!
//! Writes are limited to a window, see [`window`]. Other registers control which code and memory the
//! kernel uses, and a safe function must not reach them. Any register may be read: that changes
//! neither memory nor how the kernel runs.
//!
//! There is no remote access. Code on another CPU runs its whole task on a CPU of the package with
//! [`super::smp::on_cpu`], in one call for all registers.
//!
//! # Contexts
//!
//! Interrupts off or NMI, which the token shows.

use super::{
    bindings,
    context::Pinned,
    topology, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

pub(crate) mod window;

/// Reads a register of this CPU.
///
/// # Errors
///
/// [`EIO`] if the processor refuses.
#[inline]
pub(crate) fn read(_here: &impl Pinned, register: u32) -> Result<u64> {
    // SAFETY: A fault is caught. Reading changes nothing.
    let read = unsafe { bindings::helper_rdmsrq_safe(register) };
    match read.error {
        0 => Ok(read.value),
        _ => Err(EIO),
    }
}

/// Writes a register of this CPU.
///
/// # Errors
///
/// [`EPERM`] for a register outside the window of this processor, [`EIO`] if the processor refuses.
#[inline]
pub(crate) fn write(_here: &impl Pinned, register: u32, value: u64) -> Result {
    if !window::contains(topology::model(), register) {
        return Err(EPERM);
    }
    // SAFETY: A fault is caught. The window of this model has the register, so it has no part in
    // how the processor runs the kernel.
    to_result(unsafe { bindings::helper_wrmsrq_safe(register, value) })
}
