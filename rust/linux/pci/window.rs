// SPDX-License-Identifier: GPL-2.0

//! Reads mapped memory of a PCI function.
//!
//! C headers: [`arch/x86/include/asm/io.h`](srctree/arch/x86/include/asm/io.h),
//! [`include/linux/pci.h`](srctree/include/linux/pci.h)
//!
//! # Contexts
//!
//! Reads in any context; mapping and dropping a window in process context.

use super::Function;
use crate::linux::bindings;
use core::{
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
        if offset % 4 != 0 || offset.checked_add(4)? > self.1 {
            return None;
        }
        // SAFETY: The dword is inside the mapping.
        let at = unsafe { self.0.as_ptr().byte_add(usize::from(offset)) };
        // SAFETY: The function is valid by its type invariant, `at` is mapped and aligned.
        Some(unsafe { bindings::helper_pci_read_mapped(function.0.as_ptr(), at) })
    }

    /// Returns two dwords of the window; `None` for an offset that is not a multiple of 4, or if the
    /// second one is not in the window.
    #[inline(always)]
    pub(super) fn two_dwords(&self, offset: u16) -> Option<TwoDwords<'_>> {
        if offset % 4 != 0 || u32::from(offset).saturating_add(8) > u32::from(self.1) {
            return None;
        }
        // SAFETY: The dword is inside the mapping.
        let at = unsafe { self.0.as_ptr().byte_add(usize::from(offset)) };
        // INVARIANT: Both dwords are inside the mapping, which lasts as long as the window.
        Some(TwoDwords(at, PhantomData))
    }
}

/// Two dwords of a window.
///
/// # Invariants
///
/// The pointer is to two aligned dwords of memory that stays mapped for `'a`.
pub(super) struct TwoDwords<'a>(*mut c_void, PhantomData<&'a Window>);

impl TwoDwords<'_> {
    /// Reads the first dword, of the window's function; all ones as for [`Window::read`].
    #[inline(always)]
    pub(super) fn low(&self, function: &Function) -> u32 {
        // SAFETY: The function is valid by its type invariant, the dword by that of this type.
        unsafe { bindings::helper_pci_read_mapped(function.0.as_ptr(), self.0) }
    }

    /// Reads the second dword, like the first one.
    #[inline(always)]
    pub(super) fn high(&self, function: &Function) -> u32 {
        // SAFETY: The second dword is valid by the type invariant.
        let at = unsafe { self.0.byte_add(4) };
        // SAFETY: The function is valid by its type invariant, the dword by that of this type.
        unsafe { bindings::helper_pci_read_mapped(function.0.as_ptr(), at) }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: The memory is mapped by the type invariant; no reference is left to read it.
        unsafe { bindings::iounmap(self.0.as_ptr()) };
    }
}
