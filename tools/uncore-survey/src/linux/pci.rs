// SPDX-License-Identifier: GPL-2.0

//! PCI functions and their configuration space.

use crate::host::host;
use kernel::prelude::*;

pub(crate) use crate::host::Address;

/// Value of a read that no function answers.
const NO_ANSWER: u32 = u32::MAX;

/// A PCI function.
pub(crate) struct Function(crate::host::Function);

impl Function {
    /// Returns the address.
    pub(crate) fn address(&self) -> Address {
        self.0.address
    }

    /// Returns the device ID.
    pub(crate) fn device_id(&self) -> u16 {
        self.0.device_id
    }

    /// Returns the NUMA node that firmware gives for the function.
    pub(crate) fn node(&self) -> Option<u32> {
        self.0.node
    }

    /// Reads a dword at a multiple of 4.
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        ConfigSpace(self.address()).read(offset)
    }
}

/// Returns the functions with this device ID.
pub(crate) fn functions(device_id: u16) -> impl Iterator<Item = Function> {
    all().filter(move |function| function.device_id() == device_id)
}

/// Returns all functions.
pub(crate) fn all() -> impl Iterator<Item = Function> {
    host().functions().into_iter().map(Function)
}

/// The configuration space of a function.
#[derive(Clone)]
pub(crate) struct ConfigSpace(Address);

impl ConfigSpace {
    /// Returns that of a function.
    pub(crate) fn new(function: &Function) -> Self {
        Self(function.address())
    }

    /// Returns the address of the function.
    pub(crate) fn address(&self) -> Address {
        self.0
    }

    /// Reads a dword at a multiple of 4.
    pub(crate) fn read(&self, offset: u16) -> Result<u32> {
        match host().read_config(self.0, offset)? {
            NO_ANSWER if host().read_config(self.0, 0)? == NO_ANSWER => Err(ENODEV),
            value => Ok(value),
        }
    }

    /// Reads as [`read`](Self::read) does.
    pub(crate) fn read_through_ports(&self, offset: u16) -> Result<u32> {
        self.read(offset)
    }

    /// Returns nothing: two dwords are read one after the other.
    pub(crate) fn two_dwords(&self, _offset: u16) -> Option<TwoDwords> {
        None
    }

    /// Writes a dword at a multiple of 4.
    pub(crate) fn write(&self, offset: u16, value: u32) -> Result {
        host().write_config(self.0, offset, value)
    }
}

/// Two dwords that can be read at once: there are none.
pub(crate) enum TwoDwords {}

impl TwoDwords {
    pub(crate) fn low(&self) -> Option<u32> {
        match *self {}
    }

    pub(crate) fn high(&self) -> Option<u32> {
        match *self {}
    }
}

/// Memory of a function, which no experiment needs.
pub(crate) enum Memory {}

impl Memory {
    pub(crate) fn address(&self) -> Address {
        match *self {}
    }

    pub(crate) fn read(&self, _offset: u16) -> Result<u32> {
        match *self {}
    }
}
