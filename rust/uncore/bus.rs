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
    absence::Absence,
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

    /// Reads a filter register of 32 bits.
    fn read_filter(&self, register: u16) -> Result<u32>;

    /// Writes a filter register of 32 bits.
    fn write_filter(&self, register: u16, value: u32) -> Result;
}

/// Where the registers of a box are.
#[derive(Clone)]
pub(super) enum Registers {
    /// MSRs.
    Msr {
        /// What offsets are relative to.
        base: u32,
        /// The one that the box is known by.
        name: u32,
    },
    /// The configuration space of a function.
    Pci(pci::ConfigSpace),
}

/// As `topology` and `caps/location` have it: `msr:0xd00` or `0000:7f:10.4`.
impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Registers::Msr { name, .. } => write!(f, "msr:{name:#x}"),
            Registers::Pci(function) => fmt::Display::fmt(&function.address(), f),
        }
    }
}

/// One of them, by its offset in the table: `MSR 0xd10` or `offset 0xd8 of 0000:7f:10.4`.
pub(super) struct At<'a>(pub(super) &'a Registers, pub(super) u16);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Registers::Msr { base, .. }, register) => {
                write!(f, "MSR {:#x}", msr_at(*base, register))
            }
            (Registers::Pci(function), offset) => {
                f.write_fmt(fmt!("offset {offset:#x} of {}", function.address()))
            }
        }
    }
}

/// Where the filter registers of a box are.
#[derive(Clone)]
pub(super) enum FilterRegisters {
    /// Among the others, if the box has any.
    Own,
    /// In the configuration space of a function of their own.
    Pci(pci::ConfigSpace),
    /// In a function of their own, which is missing.
    Missing(Absence),
}

/// Registers of a box that are accessible now.
pub(super) struct Access<'a> {
    registers: Option<&'a Registers>,
    filters: &'a FilterRegisters,
    here: &'a IrqsOff,
}

impl<'a> Access<'a> {
    /// Makes them accessible from this CPU.
    pub(super) fn new(
        registers: Option<&'a Registers>,
        filters: &'a FilterRegisters,
        here: &'a IrqsOff,
    ) -> Self {
        Self {
            registers,
            filters,
            here,
        }
    }

    /// Where those of the box are accessible.
    fn own(&self) -> Space<'a> {
        match self.registers {
            Some(Registers::Msr { base, .. }) => Space::Msr(*base, self.here),
            Some(Registers::Pci(function)) => Space::Pci(function),
            None => Space::Absent,
        }
    }

    /// Where its filter registers are accessible.
    fn filters(&self) -> Space<'a> {
        match self.filters {
            FilterRegisters::Own => self.own(),
            FilterRegisters::Pci(function) => Space::Pci(function),
            FilterRegisters::Missing(_) => Space::Absent,
        }
    }
}

impl Bus for Access<'_> {
    fn read(&self, register: u16) -> Result<u32> {
        self.own().read(register)
    }

    fn write(&self, register: u16, value: u32) -> Result {
        self.own().write(register, value)
    }

    #[inline]
    fn read_counter(&self, register: u16) -> Result<u64> {
        match self.own() {
            Space::Msr(base, here) => msr::read(here, msr_at(base, register)),
            Space::Pci(function) => read_halves(function, register),
            Space::Absent => Err(ENODEV),
        }
    }

    fn write_counter(&self, register: u16, value: u64) -> Result {
        match self.own() {
            Space::Msr(base, here) => msr::write(here, msr_at(base, register), value),
            Space::Pci(function) => {
                function.write(register, low_half(value))?;
                function.write(upper(register), high_half(value))
            }
            Space::Absent => Err(ENODEV),
        }
    }

    fn read_filter(&self, register: u16) -> Result<u32> {
        self.filters().read(register)
    }

    fn write_filter(&self, register: u16, value: u32) -> Result {
        self.filters().write(register, value)
    }
}

/// Where registers are accessible now.
#[derive(Clone, Copy)]
enum Space<'a> {
    /// As MSRs of this CPU.
    Msr(u32, &'a IrqsOff),
    /// As configuration space.
    Pci(&'a pci::ConfigSpace),
    /// Nowhere.
    Absent,
}

impl Space<'_> {
    fn read(&self, register: u16) -> Result<u32> {
        match self {
            Space::Msr(base, here) => {
                let value = msr::read(here, msr_at(*base, register))?;
                u32::try_from(value).map_err(|_| EIO)
            }
            Space::Pci(function) => function.read(register),
            Space::Absent => Err(ENODEV),
        }
    }

    fn write(&self, register: u16, value: u32) -> Result {
        match self {
            Space::Msr(base, here) => msr::write(here, msr_at(*base, register), u64::from(value)),
            Space::Pci(function) => function.write(register, value),
            Space::Absent => Err(ENODEV),
        }
    }
}

/// Reads a counter in configuration space.
fn read_halves(function: &pci::ConfigSpace, register: u16) -> Result<u64> {
    count::read_halves(
        || function.read(register),
        || function.read(upper(register)),
    )
}

/// The number of an MSR.
fn msr_at(base: u32, register: u16) -> u32 {
    base.saturating_add(u32::from(register))
}

/// The offset of a counter's high half.
fn upper(register: u16) -> u16 {
    register.saturating_add(4)
}
