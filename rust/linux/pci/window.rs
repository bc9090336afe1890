// SPDX-License-Identifier: GPL-2.0

//! Reads mapped memory of a PCI function.
//!
//! C headers: [`arch/x86/include/asm/io.h`](srctree/arch/x86/include/asm/io.h),
//! [`include/linux/pci.h`](srctree/include/linux/pci.h)
//!
//! # Contexts
//!
//! Reads in any context; mapping and dropping a window in process context.

use super::{
    Function,
    NO_ANSWER, //
};
use crate::linux::bindings;
use core::{
    arch::asm,
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::ffi::c_void;

/// Mapped memory of a function, which can only be read.
///
/// # Invariants
///
/// The pointer is to memory that `ioremap` has mapped, which nothing else unmaps. The number is its
/// size in bytes.
pub(super) struct Window(NonNull<c_void>, u16);

// SAFETY: The mapping is the kernel's, not a thread's or a CPU's.
unsafe impl Send for Window {}

// SAFETY: Reads of the memory need no lock.
unsafe impl Sync for Window {}

impl Window {
    /// Maps `size` bytes; returns `None` if the address cannot be that of a device.
    pub(super) fn new(physical: u64, size: u16) -> Option<Self> {
        let length = usize::from(size);
        // SAFETY: Has no requirements but a size, which is not 0.
        if size == 0 || !unsafe { bindings::helper_is_device_memory(physical, length) } {
            return None;
        }
        // SAFETY: The memory is no RAM, and the CPU can address it. Reading it changes no memory of
        // the kernel.
        let mapped = unsafe { bindings::ioremap(physical, length) };
        // INVARIANT: Just mapped.
        NonNull::new(mapped).map(|at| Self(at, size))
    }

    /// Reads a dword of the window's function; returns `None` for an offset that is not a multiple of
    /// 4 in the window.
    ///
    /// The value is all ones if the function does not answer or the kernel has given it up.
    #[inline]
    pub(super) fn read(&self, function: &Function, offset: u16) -> Option<u32> {
        let at = self.at(offset, 4)?;
        if function.is_given_up() {
            return Some(NO_ANSWER);
        }
        // SAFETY: The dword is aligned, and mapped as long as the window.
        Some(unsafe { read_mapped(at) })
    }

    /// Returns two dwords of the window's function; `None` for an offset that is not a multiple of
    /// 4, if the second one is not in the window, or if the kernel has given the function up.
    #[inline(always)]
    pub(super) fn two_dwords(&self, function: &Function, offset: u16) -> Option<TwoDwords<'_>> {
        if function.is_given_up() {
            return None;
        }
        // INVARIANT: Both dwords are aligned, and mapped as long as the window, which is borrowed.
        Some(TwoDwords {
            at: self.at(offset, 8)?,
            window: PhantomData,
        })
    }

    /// Returns the address of some bytes at a multiple of 4; `None` if they are not all in the
    /// window.
    #[inline(always)]
    fn at(&self, offset: u16, length: u32) -> Option<*const u32> {
        let end = u32::from(offset).saturating_add(length);
        if offset % 4 != 0 || end > u32::from(self.1) {
            return None;
        }
        // SAFETY: The bytes are inside the mapping.
        let at = unsafe { self.0.as_ptr().byte_add(usize::from(offset)) };
        Some(at.cast_const().cast())
    }
}

/// Two dwords of a window, which follow each other.
///
/// # Invariants
///
/// The pointer is to two aligned dwords of memory that stays mapped for `'a`.
pub(crate) struct TwoDwords<'a> {
    at: *const u32,
    window: PhantomData<&'a Window>,
}

impl TwoDwords<'_> {
    /// Reads the first dword; returns `None` if it is all ones, as if the function may not answer.
    #[inline(always)]
    pub(crate) fn low(&self) -> Option<u32> {
        // SAFETY: The dword is aligned and mapped by the type invariant.
        answered(unsafe { read_mapped(self.at) })
    }

    /// Reads the second dword, like the first one.
    #[inline(always)]
    pub(crate) fn high(&self) -> Option<u32> {
        // SAFETY: The second dword is in the mapping, too, by the type invariant.
        let at = unsafe { self.at.add(1) };
        // SAFETY: The dword is aligned and mapped by the type invariant.
        answered(unsafe { read_mapped(at) })
    }
}

/// Returns a value that the function has given for sure.
#[inline(always)]
fn answered(value: u32) -> Option<u32> {
    (value != NO_ANSWER).then_some(value)
}

/// Reads a dword.
///
/// # Safety
///
/// The dword must be aligned, and mapped by `ioremap`.
#[inline(always)]
unsafe fn read_mapped(at: *const u32) -> u32 {
    let value: u32;
    // This is `readl()`, which C has inlined only.
    //
    // SAFETY: By the function's contract the dword is mapped. The instruction reads it, and changes
    // one register.
    unsafe {
        asm!(
            "movl ({at}), {value:e}",
            at = in(reg) at,
            value = lateout(reg) value,
            options(att_syntax, nostack, preserves_flags),
        );
    }
    value
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: The memory is mapped by the type invariant; no reference is left to read it.
        unsafe { bindings::iounmap(self.0.as_ptr()) };
    }
}
