// SPDX-License-Identifier: GPL-2.0

//! PCI functions that have only config space.
//!
//! C header: [`include/linux/pci.h`](srctree/include/linux/pci.h)
//!
//! The kernel crate's config space throws the status of an access away, so that a function that is
//! gone reads as ones and nobody knows. Here every access is a `Result`. What is read often is a
//! [`ConfigSpace`], which takes the faster of two ways to it.
//!
//! # Contexts
//!
//! Config accesses in any context but NMI (they take a raw lock that the interrupted code may
//! hold). All else in process context.

mod driver;
mod ecam;

pub(crate) use self::{
    driver::{
        Driver,
        Registration, //
    },
    ecam::Ecam, //
};
use super::bindings;
use core::ptr::NonNull;
use kernel::{
    ffi::{
        c_int,
        CStr, //
    },
    fmt,
    prelude::*,
    sync::Arc, //
};

/// Intel's vendor ID; all functions here are theirs.
const VENDOR: u32 = 0x8086;

/// What a read gives when nobody answers.
const NO_ANSWER: u32 = u32::MAX;

/// Where a function is.
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
/// The function may be unplugged meanwhile; accesses then fail.
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
    /// Takes over a reference from C; `None` for a null pointer.
    ///
    /// # Safety
    ///
    /// A pointer that is not null must be valid, and the caller must own a reference.
    unsafe fn from_raw(raw: *mut bindings::pci_dev) -> Option<Self> {
        // INVARIANT: By the function's contract.
        NonNull::new(raw).map(Self)
    }

    /// Its address.
    pub(crate) fn address(&self) -> Address {
        // SAFETY: Valid by the type invariant.
        let domain = unsafe { bindings::helper_pci_domain_nr(self.0.as_ptr()) };
        // SAFETY: As above; the field does not change.
        let bus = unsafe { (*self.0.as_ptr()).bus };
        // SAFETY: A bus lives as long as its functions, and its number does not change.
        let bus = unsafe { (*bus).number };
        // SAFETY: As above; the field does not change.
        let [devfn, ..] = unsafe { (*self.0.as_ptr()).devfn }.to_le_bytes();
        Address {
            domain: domain as u32,
            bus,
            device: devfn >> 3,
            function: devfn & 7,
        }
    }

    /// Its device ID.
    pub(crate) fn device_id(&self) -> u16 {
        // SAFETY: Valid by the type invariant; the field does not change.
        unsafe { (*self.0.as_ptr()).device }
    }

    /// The NUMA node it is on; `None` where the firmware did not say.
    pub(crate) fn node(&self) -> Option<u32> {
        // SAFETY: Valid by the type invariant.
        let node = unsafe { bindings::helper_pci_node(self.0.as_ptr()) };
        u32::try_from(node).ok()
    }

    /// Reads a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// [`EIO`] if the access failed, [`ENODEV`] if the function does not answer (a value of all
    /// ones is taken for that if the function's ID reads the same).
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
    /// [`EIO`] if the access failed. Whether the function took it, a write cannot tell.
    pub(crate) fn write(&self, offset: u16, value: u32) -> Result {
        // SAFETY: Valid by the type invariant.
        let status = unsafe {
            bindings::pci_write_config_dword(self.0.as_ptr(), c_int::from(offset), value)
        };
        accessed(status)
    }

    /// Reads a dword, whatever it says.
    fn read_raw(&self, offset: u16) -> Result<u32> {
        let mut value = NO_ANSWER;
        // SAFETY: Valid by the type invariant, and so is `value`.
        let status = unsafe {
            bindings::pci_read_config_dword(self.0.as_ptr(), c_int::from(offset), &raw mut value)
        };
        accessed(status).map(|()| value)
    }
}

/// The config space of a function, read from memory where that can be done.
///
/// # Contexts
///
/// Accesses in any but NMI. To be dropped in process context, as what is mapped is unmapped then.
#[derive(Clone)]
pub(crate) struct ConfigSpace {
    function: Function,
    window: Option<Arc<ecam::Window>>,
}

impl ConfigSpace {
    /// That of a function. Process context.
    pub(crate) fn new(function: Function, ecam: &Ecam) -> Self {
        Self {
            window: ecam.window(&function),
            function,
        }
    }

    /// The function's address.
    pub(crate) fn address(&self) -> Address {
        self.function.address()
    }

    /// Reads a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// Those of [`Function::read`], which is asked about all ones from memory.
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        let window = self.window.as_ref();
        match window.and_then(|window| window.read(&self.function, offset)) {
            None | Some(NO_ANSWER) => self.function.read(offset),
            Some(value) => Ok(value),
        }
    }

    /// Writes a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// Those of [`Function::write`].
    pub(crate) fn write(&self, offset: u16, value: u32) -> Result {
        self.function.write(offset, value)
    }
}

/// Turns the status of a config access, which is not an errno, into one.
fn accessed(status: c_int) -> Result {
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
        // INVARIANT: The reference was just taken.
        Self(self.0)
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        // SAFETY: Valid by the type invariant; the reference is this value's.
        unsafe { bindings::pci_dev_put(self.0.as_ptr()) };
    }
}

/// The functions with this device ID, whether a driver is bound to them or not.
pub(crate) fn functions(device_id: u16) -> impl Iterator<Item = Function> {
    core::iter::successors(next(device_id, None), move |last| {
        next(device_id, Some(last.clone()))
    })
}

/// The function with this device ID after `last`.
fn next(device_id: u16, last: Option<Function>) -> Option<Function> {
    let last = last.map_or(core::ptr::null_mut(), |last| {
        // The reference goes to C with the pointer.
        core::mem::ManuallyDrop::new(last).0.as_ptr()
    });
    // SAFETY: `last` is null or valid with a reference, which this gives back.
    let found = unsafe { bindings::pci_get_device(VENDOR, u32::from(device_id), last) };
    // SAFETY: As C gives it, with a reference.
    unsafe { Function::from_raw(found) }
}

/// Whether a PCI driver of this name is registered.
pub(crate) fn driver_is_live(name: &CStr) -> bool {
    // SAFETY: `name` is a string.
    unsafe { bindings::helper_pci_driver_is_live(name.as_char_ptr()) }
}
