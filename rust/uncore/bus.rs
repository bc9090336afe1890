// SPDX-License-Identifier: GPL-2.0

//! How the registers of a box are reached: MSRs of this CPU, or PCI configuration space.
//!
//! [`Bus`] is what the box logic sees, so that it runs on the fake of the tests too. An access
//! that fails is an error, never a number: a removed function and a refused MSR both end up in
//! the `Err` of a [`Result`].
//!
//! | registers | contexts |
//! |---|---|
//! | MSR | on a CPU of the box's package, interrupts off (the token shows the latter) |
//! | PCI | any but NMI |

use super::{
    count,
    field::{
        high_half,
        low_half, //
    },
};
use crate::linux::{
    context::IrqsOff,
    msr,
    pci, //
};
use kernel::{
    fmt,
    prelude::*, //
};

#[cfg(KUNIT_SUITES)]
pub(super) mod fake;

/// Access to the registers of one box, by their offsets in the table.
pub(super) trait Bus {
    /// Reads a control register of 32 bits.
    fn read(&self, register: u16) -> Result<u32>;

    /// Writes a control register of 32 bits.
    fn write(&self, register: u16, value: u32) -> Result;

    /// Reads a counter, which may be running.
    fn read_counter(&self, register: u16) -> Result<u64>;

    /// Writes a counter, which must not be running.
    fn write_counter(&self, register: u16, value: u64) -> Result;
}

/// Where the registers of a box are.
#[derive(Clone)]
pub(super) enum Registers {
    /// MSRs from this one on.
    Msr(u32),
    /// The configuration space of a function.
    Pci(pci::Function),
}

impl Registers {
    /// Makes them accessible from this CPU.
    pub(super) fn on<'a>(&'a self, here: &'a IrqsOff) -> Access<'a> {
        match self {
            Registers::Msr(base) => Access::Msr(*base, here),
            Registers::Pci(function) => Access::Pci(function),
        }
    }
}

/// As `topology` and `caps/location` have it: `msr:0xd00` or `0000:7f:10.4`.
impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Registers::Msr(base) => write!(f, "msr:{base:#x}"),
            Registers::Pci(function) => fmt::Display::fmt(&function.address(), f),
        }
    }
}

/// Registers that are accessible now.
pub(super) enum Access<'a> {
    /// As MSRs of this CPU.
    Msr(u32, &'a IrqsOff),
    /// As configuration space.
    Pci(&'a pci::Function),
    /// Not at all: the box is absent.
    Absent,
}

impl Bus for Access<'_> {
    fn read(&self, register: u16) -> Result<u32> {
        match self {
            Access::Msr(base, here) => {
                let value = msr::read(here, msr_at(*base, register))?;
                u32::try_from(value).map_err(|_| EIO)
            }
            Access::Pci(function) => function.read(register),
            Access::Absent => Err(ENODEV),
        }
    }

    fn write(&self, register: u16, value: u32) -> Result {
        match self {
            Access::Msr(base, here) => msr::write(here, msr_at(*base, register), u64::from(value)),
            Access::Pci(function) => function.write(register, value),
            Access::Absent => Err(ENODEV),
        }
    }

    fn read_counter(&self, register: u16) -> Result<u64> {
        match self {
            Access::Msr(base, here) => msr::read(here, msr_at(*base, register)),
            Access::Pci(function) => count::read_halves(
                || function.read(register),
                || function.read(upper(register)),
            ),
            Access::Absent => Err(ENODEV),
        }
    }

    fn write_counter(&self, register: u16, value: u64) -> Result {
        match self {
            Access::Msr(base, here) => msr::write(here, msr_at(*base, register), value),
            Access::Pci(function) => {
                function.write(register, low_half(value))?;
                function.write(upper(register), high_half(value))
            }
            Access::Absent => Err(ENODEV),
        }
    }
}

/// The number of an MSR.
fn msr_at(base: u32, register: u16) -> u32 {
    base.saturating_add(u32::from(register))
}

/// The offset of a counter's high half.
fn upper(register: u16) -> u16 {
    register.saturating_add(4)
}
