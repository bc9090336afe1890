// SPDX-License-Identifier: GPL-2.0

//! PCI functions of which only config space is used, and memory that is read.
//!
//! C header: [`include/linux/pci.h`](srctree/include/linux/pci.h)
//!
//! The kernel crate ignores the status of a config access, so the caller cannot tell a removed
//! function from one that reads as ones. Here every access returns a `Result`. [`ConfigSpace`] is
//! for functions that are read often: it reads through memory where possible.
//!
//! # Contexts
//!
//! Config accesses in any context but NMI (they take a raw lock that the interrupted code may
//! hold, and that no BPF program may interrupt). [`ConfigSpace::read`] and [`Memory::read`] in any context: in an NMI they give an error
//! unless memory answers. Other functions in process context.

mod driver;
mod ecam;
mod memory;
mod window;

pub(crate) use self::{
    driver::{
        Driver,
        Registration, //
    },
    ecam::Ecam,
    memory::Memory, //
};
use super::{
    bindings,
    context::in_nmi, //
};
use core::ptr::NonNull;
use kernel::{
    ffi::c_int,
    fmt,
    prelude::*,
    sync::Arc, //
};

/// Vendor ID of Intel, the vendor of all functions here.
const VENDOR: u32 = 0x8086;

/// Value of a read that no function answers.
const NO_ANSWER: u32 = u32::MAX;

/// The address of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Address {
    /// PCI segment.
    pub(crate) domain: u32,
    /// Bus number.
    pub(crate) bus: u8,
    /// Device on the bus, below 32.
    pub(crate) device: u8,
    /// Function of the device, below 8.
    pub(crate) function: u8,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            domain,
            bus,
            device,
            function,
        } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function}")
    }
}

/// A reference to a PCI function.
///
/// The function may be removed meanwhile; accesses then fail.
///
/// # Invariants
///
/// The pointer is to a `struct pci_dev` of which this value owns a reference.
pub(crate) struct Function(NonNull<bindings::pci_dev>);

// SAFETY: References are counted atomically.
unsafe impl Send for Function {}

// SAFETY: Accesses to config space lock for themselves; nothing else changes the function.
unsafe impl Sync for Function {}

impl Function {
    /// Takes ownership of a reference from C; returns `None` for a null pointer.
    ///
    /// # Safety
    ///
    /// A pointer that is not null must be valid, and the caller must own a reference.
    unsafe fn from_raw(raw: *mut bindings::pci_dev) -> Option<Self> {
        // INVARIANT: By the function's contract the reference is the caller's to give.
        NonNull::new(raw).map(Self)
    }

    #[inline(never)]
    pub(crate) fn address(&self) -> Address {
        // SAFETY: Valid by the type invariant.
        let domain = unsafe { bindings::helper_pci_domain_nr(self.0.as_ptr()) };
        // SAFETY: Valid by the type invariant; the field does not change.
        let bus = unsafe { (*self.0.as_ptr()).bus };
        // SAFETY: A bus lives as long as its functions, and its number does not change.
        let bus = unsafe { (*bus).number };
        // SAFETY: Valid by the type invariant; the field does not change.
        let [devfn, ..] = unsafe { (*self.0.as_ptr()).devfn }.to_le_bytes();
        Address {
            domain: domain as u32,
            bus,
            device: devfn >> 3,
            function: devfn & 7,
        }
    }

    pub(crate) fn device_id(&self) -> u16 {
        // SAFETY: Valid by the type invariant; the field does not change.
        unsafe { (*self.0.as_ptr()).device }
    }

    /// Returns the NUMA node of the function; `None` if firmware does not give it.
    pub(crate) fn node(&self) -> Option<u32> {
        // SAFETY: Valid by the type invariant.
        let node = unsafe { bindings::helper_pci_node(self.0.as_ptr()) };
        u32::try_from(node).ok()
    }

    /// Reads a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// [`EIO`] if the access failed, [`ENODEV`] if the function does not answer: the dword and the
    /// function's ID both read as ones.
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        match self.read_raw(offset)? {
            NO_ANSWER if self.read_raw(0)? == NO_ANSWER => Err(ENODEV),
            value => Ok(value),
        }
    }

    /// Writes a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// [`EIO`] if the access failed. A function that does not answer is no error here, as the
    /// hardware does not report that for a write.
    pub(crate) fn write(&self, offset: u16, value: u32) -> Result {
        // SAFETY: Valid by the type invariant.
        let status = unsafe {
            bindings::pci_write_config_dword(self.0.as_ptr(), c_int::from(offset), value)
        };
        check_status(status)
    }

    /// Reads a dword at a multiple of 4 in any context.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::read`]; [`EAGAIN`] in an NMI.
    #[inline(never)]
    fn read_outside_nmi(&self, offset: u16) -> Result<u32> {
        if in_nmi() {
            return Err(EAGAIN);
        }
        self.read(offset)
    }

    /// Returns whether the kernel has given the function up, as it was removed or has failed.
    #[inline]
    fn is_given_up(&self) -> bool {
        // SAFETY: Valid by the type invariant.
        let state = unsafe { &raw const (*self.0.as_ptr()).error_state };
        // SAFETY: The field is valid. C writes it at any time, as a whole.
        let state = unsafe { core::ptr::read_volatile(state) };
        state != bindings::pci_channel_io_normal
    }

    /// Reads a dword without a check whether the function answers.
    fn read_raw(&self, offset: u16) -> Result<u32> {
        let mut value = NO_ANSWER;
        // SAFETY: The function is valid by the type invariant; `value` is valid for the write.
        let status = unsafe {
            bindings::pci_read_config_dword(self.0.as_ptr(), c_int::from(offset), &raw mut value)
        };
        check_status(status).map(|()| value)
    }
}

/// The config space of a function, read through memory where possible.
///
/// # Contexts
///
/// Reads in any context, writes in any but NMI. Dropped in process context, as that unmaps the
/// memory.
pub(crate) struct ConfigSpace {
    function: Function,
    window: Option<Arc<window::Window>>,
}

impl ConfigSpace {
    /// Makes the config space of a function. Process context.
    pub(crate) fn new(function: Function, ecam: &Ecam) -> Self {
        Self {
            window: ecam.window(&function),
            function,
        }
    }

    /// Returns the address of the function.
    pub(crate) fn address(&self) -> Address {
        self.function.address()
    }

    /// Reads a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// Errors of [`Function::read`], which reads again if memory gives all ones; [`EAGAIN`] if it would
    /// in an NMI.
    #[inline]
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        let window = self.window.as_ref();
        match window.and_then(|window| window.read(&self.function, offset)) {
            None | Some(NO_ANSWER) => self.function.read_outside_nmi(offset),
            Some(value) => Ok(value),
        }
    }

    /// Reads a dword at a multiple of 4 as it is written: not through memory. In any context but NMI.
    ///
    /// # Errors
    ///
    /// Errors of [`Function::read`].
    pub(crate) fn read_through_ports(&self, offset: u16) -> Result<u32> {
        self.function.read(offset)
    }

    /// Returns two dwords that follow each other, if memory has them.
    #[inline(always)]
    pub(crate) fn two_dwords(&self, offset: u16) -> Option<window::TwoDwords<'_>> {
        self.window.as_ref()?.two_dwords(&self.function, offset)
    }

    /// Writes a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// Errors of [`Function::write`].
    pub(crate) fn write(&self, offset: u16, value: u32) -> Result {
        self.function.write(offset, value)
    }
}

/// Converts the status of a config access, which is not an errno, into a result.
fn check_status(status: c_int) -> Result {
    if status == 0 {
        Ok(())
    } else {
        Err(EIO)
    }
}

impl Clone for Function {
    fn clone(&self) -> Self {
        // SAFETY: Valid by the type invariant.
        unsafe { bindings::pci_dev_get(self.0.as_ptr()) };
        // INVARIANT: The call above took the reference.
        Self(self.0)
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // SAFETY: Valid by the type invariant; the reference is this value's.
        unsafe { bindings::pci_dev_put(self.0.as_ptr()) };
    }
}

/// Returns the functions with this device ID, bound to a driver or not.
pub(crate) fn functions(device_id: u16) -> impl Iterator<Item = Function> {
    core::iter::successors(next(device_id, None), move |last| {
        next(device_id, Some(last.clone()))
    })
}

/// Returns the function with this device ID after `last`.
fn next(device_id: u16, last: Option<Function>) -> Option<Function> {
    let last = last.map_or(core::ptr::null_mut(), |last| {
        // C takes the reference with the pointer.
        core::mem::ManuallyDrop::new(last).0.as_ptr()
    });
    // SAFETY: `last` is null, or valid with a reference that C drops.
    let found = unsafe { bindings::pci_get_device(VENDOR, u32::from(device_id), last) };
    // SAFETY: C returns null, or a valid function with a reference for the caller.
    unsafe { Function::from_raw(found) }
}
