// SPDX-License-Identifier: GPL-2.0

//! Model-specific registers of a CPU.
//!
//! Nothing compares a number with the driver's window when it is written: whoever writes has found the
//! register by its name in the tables ([`names`](crate::names)), which the compiler compares with it.

use super::context::IrqsOff;
use crate::host::host;
use kernel::prelude::*;

#[path = "../../../../rust/linux/msr/window.rs"]
pub(crate) mod window;

/// Reads a register.
pub(crate) fn read(here: &IrqsOff, register: u32) -> Result<u64> {
    host().read_msr(here.cpu().number(), register)
}

/// Registers that may be written.
#[derive(Clone)]
pub(crate) struct Writable;

impl Writable {
    /// Returns registers of any number.
    pub(crate) fn around(_register: u32) -> Self {
        Self
    }

    /// Writes a register.
    pub(crate) fn write(&self, here: &IrqsOff, register: u32, value: u64) -> Result {
        write(here, register, value)
    }
}

/// Writes a register.
pub(crate) fn write(here: &IrqsOff, register: u32, value: u64) -> Result {
    host().write_msr(here.cpu().number(), register, value)
}
