// SPDX-License-Identifier: GPL-2.0

//! Registers of a PCI function in memory. They are only read.
//!
//! The function need not be bound: another driver may have it. Its config space has the address in
//! a base register of two dwords, with the bits of a host bridge: bit 0 tells whether the function
//! decodes the address, bits 63:12 are the address. No driver of this kernel writes such a register.
//!
//! # Contexts
//!
//! Reads in any context. Made and dropped in process context, as that maps the memory.

use super::{
    window::Window,
    Address,
    Function,
    NO_ANSWER, //
};
use crate::linux::context::in_nmi;
use kernel::{
    prelude::*,
    sync::Arc, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// The bit of a base register that is 1 while the function decodes the address.
const ENABLED: u64 = 1;

/// The bits of a base register with the address.
const ADDRESS: u64 = !0xfff;

/// Returns the address in a base register.
///
/// # Errors
///
/// [`ENXIO`] if the function decodes no address, [`EINVAL`] if that is 0.
fn parse(base: u64) -> Result<u64> {
    match (base & ENABLED, base & ADDRESS) {
        (0, _) => Err(ENXIO),
        (_, 0) => Err(EINVAL),
        (_, address) => Ok(address),
    }
}

/// The registers of a function in memory.
#[derive(Clone)]
pub(crate) struct Memory {
    function: Function,
    /// Config offset of the base register.
    base_at: u16,
    /// Value of the base register when the memory was mapped.
    base: u64,
    window: Arc<Window>,
}

impl Memory {
    /// Maps the first `size` bytes of the memory whose base register is at the config offset
    /// `base_at`.
    ///
    /// # Errors
    ///
    /// [`ENXIO`] if the function decodes no address, [`EINVAL`] if the address cannot be that of a
    /// device, [`ENOMEM`]; those of [`Function::read`].
    pub(crate) fn new(function: Function, base_at: u16, size: u16) -> Result<Self> {
        let base = read_base(&function, base_at)?;
        let window = Window::new(parse(base)?, size).ok_or(EINVAL)?;
        Ok(Self {
            function,
            base_at,
            base,
            window: Arc::new(window, GFP_KERNEL)?,
        })
    }

    /// Returns the address of the function.
    pub(crate) fn address(&self) -> Address {
        self.function.address()
    }

    /// Reads a dword at a multiple of 4.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] beyond the end. [`ENODEV`] if the memory does not answer: the dword reads as ones
    /// and the function no longer decodes the address; [`EAGAIN`] if that cannot be found out, in an
    /// NMI.
    #[inline]
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        match self.window.read(&self.function, offset).ok_or(EINVAL)? {
            NO_ANSWER => self.read_ones(),
            value => Ok(value),
        }
    }

    /// Returns the ones that were read if the function still decodes the address that is mapped.
    #[cold]
    fn read_ones(&self) -> Result<u32> {
        if in_nmi() {
            return Err(EAGAIN);
        }
        match read_base(&self.function, self.base_at) == Ok(self.base) {
            true => Ok(NO_ANSWER),
            false => Err(ENODEV),
        }
    }
}

/// Reads a base register.
fn read_base(function: &Function, at: u16) -> Result<u64> {
    let low = u64::from(function.read(at)?);
    let high = u64::from(function.read(at.saturating_add(4))?);
    Ok(high << 32 | low)
}
