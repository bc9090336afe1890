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
//! neither memory nor how the kernel runs. [`Writable`] is a part of the window that was looked up
//! before.
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
use core::ops::Range;
use kernel::prelude::*;

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
    // SAFETY: The window of this model has the register.
    unsafe { write_any(register, value) }
}

/// Writes a register of this CPU.
///
/// # Safety
///
/// The window of this model must have the register.
#[inline(always)]
unsafe fn write_any(register: u32, value: u64) -> Result {
    // SAFETY: A fault is caught. By the function's contract the register has no part in how the
    // processor runs the kernel.
    match unsafe { bindings::helper_wrmsrq_safe(register, value) } {
        0 => Ok(()),
        _ => Err(EIO),
    }
}

/// Consecutive registers that may be written.
///
/// # Invariants
///
/// The window of this processor has each register of the range.
#[derive(Clone)]
pub(crate) struct Writable(Range<u32>);

impl Writable {
    /// Finds the registers around this one; none if it may not be written itself.
    pub(crate) fn around(register: u32) -> Self {
        // INVARIANT: The range is of the window of this processor. If there is none, it is empty.
        Self(match window::range_of(topology::model(), register) {
            Some(range) => *range.start()..range.end().saturating_add(1),
            None => 0..0,
        })
    }

    /// Writes a register of this CPU, as [`write()`] does. One of the range needs no look at the window.
    ///
    /// # Errors
    ///
    /// Errors of [`write()`].
    #[inline]
    pub(crate) fn write(&self, here: &impl Pinned, register: u32, value: u64) -> Result {
        if !self.0.contains(&register) {
            return write_elsewhere(here, register, value);
        }
        // SAFETY: The window of this processor has the register by the type invariant.
        unsafe { write_any(register, value) }
    }
}

/// Writes a register of this CPU, as [`write()`] does, where a [`Writable`] has not saved the look at
/// the window.
#[cold]
#[inline(never)]
fn write_elsewhere(here: &impl Pinned, register: u32, value: u64) -> Result {
    write(here, register, value)
}
