// SPDX-License-Identifier: GPL-2.0

//! Access to the registers of a box: MSRs of this CPU, PCI configuration space, or memory of a PCI
//! function.
//!
//! The code of this folder uses the trait [`Bus`], so that it also runs on the fake registers of
//! the tests. A failed access is an `Err`, never a value: a removed PCI function and a refused MSR
//! both give an error.
//!
//! | registers | contexts |
//! |---|---|
//! | MSR | a CPU of the box's package with interrupts off or in an NMI (the token proves the latter) |
//! | PCI | any but NMI; in an NMI reads that memory answers |
//!
//! [`BoxAccess`] is for the holder of the box's lock. Readers without the lock use a
//! [`Reach`](super::reach::Reach).

use super::count;
use crate::{
    linux::{
        clock,
        context::IrqsOff,
        msr,
        pci, //
    },
    uncore::{
        absence::MissingReason,
        table::{
            box_type::{
                BoxType,
                Control,
                Place, //
            },
            field::{
                high_half,
                low_half, //
            }, //
        }, //
    }, //
};
use core::mem;
use kernel::{
    fmt,
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

#[cfg(KUNIT_SUITES)]
pub(crate) mod fake;

/// Access to the registers of one box, by their offsets in the table.
pub(crate) trait Bus {
    /// Returns the core that accesses the registers, by the hardware's number.
    fn core(&self) -> u32;

    /// Returns the time in milliseconds, at most a timer tick late.
    fn now_ms(&self) -> u64;

    /// Returns the time in nanoseconds.
    fn now_ns(&self) -> u64;

    /// Reads a control register of 32 bits.
    fn read(&self, register: u16) -> Result<u32>;

    /// Writes a control register of 32 bits.
    fn write(&self, register: u16, value: u32) -> Result;

    /// Reads a counter with these bits, which may be running.
    fn read_counter(&self, register: u16, bits: u64) -> Result<u64>;

    /// Returns whether a stopped counter reads equal in all ways that lead to it.
    fn is_shown(&self, register: u16, bits: u64) -> Result<bool>;

    /// Returns the number of the MSR that a counter is, if it is one.
    fn msr(&self, register: u16) -> Option<u32>;

    /// Reads an MSR of the package, for a box whose registers are MSRs.
    fn read_msr(&self, number: u32) -> Result<u64>;

    /// Writes a counter with these bits, which must not be running.
    fn write_counter(&self, register: u16, bits: u64, value: u64) -> Result;

    /// Reads a filter register.
    fn read_filter(&self, register: Place) -> Result<u64>;

    /// Writes a filter register. Those in configuration space have 32 bits.
    fn write_filter(&self, register: Place, value: u64) -> Result;
}

/// Registers of a box that no event uses.
pub(crate) trait Unused {
    /// The registers during one call.
    type Bus<'a>: Bus;

    /// Accesses registers. Interrupts are on between two calls.
    fn access<R>(&self, f: impl for<'a> FnOnce(&Self::Bus<'a>) -> R) -> R;
}

/// Writes the control register of a counter, as often as the table says.
#[inline(always)]
pub(crate) fn write_control<B: Bus>(bus: &B, layout: &Control, at: u16, value: u32) -> Result {
    if layout.twice {
        return write_twice(bus, layout, at, value);
    }
    bus.write(at, value)
}

/// Writes a control register that takes a value only from two writes.
#[cold]
#[inline(never)]
fn write_twice<B: Bus>(bus: &B, layout: &Control, at: u16, value: u32) -> Result {
    bus.write(at, value & !layout.enable)?;
    bus.write(at, value)
}

/// Location of the registers of a box.
#[derive(Clone)]
pub(crate) enum Registers {
    /// MSRs.
    Msr(Msrs),
    /// Registers in a PCI function.
    Function(Arc<FunctionRegisters>),
}

/// MSRs of a box.
#[derive(Clone)]
pub(crate) struct Msrs {
    /// The MSR that offsets are relative to.
    base: u32,
    /// Index of the box.
    index: u8,
    /// The MSR that users know the box by.
    name: u32,
    /// MSRs that may be written: those around the first control register.
    writable: msr::Writable,
}

impl Msrs {
    /// Reads the register at an offset.
    #[inline(always)]
    fn read(&self, here: &IrqsOff, register: u16) -> Result<u64> {
        msr::read(here, self.number(register))
    }

    /// Writes the register at an offset.
    #[inline(always)]
    fn write(&self, here: &IrqsOff, register: u16, value: u64) -> Result {
        self.writable.write(here, self.number(register), value)
    }

    /// Returns the number of the register at an offset.
    #[inline(always)]
    fn number(&self, register: u16) -> u32 {
        self.base.saturating_add(u32::from(register))
    }

    /// Returns the number of the register at a place.
    fn number_at(&self, place: Place) -> Result<u32> {
        place.msr(self.base, self.index).ok_or(ENODEV)
    }
}

/// The registers of a box in a PCI function.
pub(crate) enum FunctionRegisters {
    /// Configuration space.
    Config(pci::ConfigSpace),
    /// Memory, which is only read.
    Memory(pci::Memory),
}

impl Registers {
    /// Makes the registers of the box with this index, whose offsets are relative to the MSR `base`.
    pub(crate) fn of_msrs(kind: &BoxType, base: u32, index: u8) -> Self {
        let control = kind.counters.first().map(|at| u32::from(at.control));
        let first = base.saturating_add(control.unwrap_or(0));
        Registers::Msr(Msrs {
            base,
            index,
            // Without a base, offsets are MSR numbers.
            name: if base == 0 { first } else { base },
            writable: msr::Writable::around(first),
        })
    }

    /// Makes registers of a PCI function. Process context.
    ///
    /// # Errors
    ///
    /// [`MissingReason::Unreachable`] without memory.
    pub(crate) fn of_function(function: FunctionRegisters) -> Result<Self, MissingReason> {
        let shared = UniqueArc::new(function, GFP_KERNEL);
        let shared = shared.map_err(|_| MissingReason::Unreachable)?;
        Ok(Registers::Function(shared.into()))
    }

    /// Returns where the registers are, for users.
    pub(crate) fn location(&self) -> Location {
        match self {
            &Registers::Msr(Msrs {
                base, index, name, ..
            }) => Location::Msr { base, index, name },
            Registers::Function(function) => match &**function {
                FunctionRegisters::Config(space) => Location::Config(space.address()),
                FunctionRegisters::Memory(memory) => Location::Memory(memory.address()),
            },
        }
    }
}

/// Location of a box's registers, for users.
#[derive(Clone, Copy)]
pub(crate) enum Location {
    /// MSRs; the fields are those of [`Msrs`].
    Msr { base: u32, index: u8, name: u32 },
    /// Configuration space of a PCI function.
    Config(pci::Address),
    /// Memory of a PCI function.
    Memory(pci::Address),
}

/// The form of `topology` and `caps/location`: `msr:0xd00` or `0000:7f:10.4`.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Msr { name, .. } => write!(f, "msr:{name:#x}"),
            Location::Config(function) | Location::Memory(function) => {
                fmt::Display::fmt(function, f)
            }
        }
    }
}

/// One register, by its place in the table: `MSR 0xd10` or `offset 0xd8 of 0000:7f:10.4`.
pub(crate) struct At(pub(crate) Location, pub(crate) Place);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let register = self.1;
        match self.0 {
            Location::Msr { base, index, .. } => {
                write!(f, "MSR {:#x}", register.msr(base, index).unwrap_or(base))
            }
            Location::Config(function) => f.write_fmt(fmt!(
                "offset {:#x} of {function}",
                register.offset().unwrap_or(0)
            )),
            Location::Memory(function) => f.write_fmt(fmt!(
                "offset {:#x} in memory of {function}",
                register.offset().unwrap_or(0)
            )),
        }
    }
}

/// Location of the filter registers of a box.
///
/// `F` is the PCI function that holds them, or `()` for code that reaches them by a [`Bus`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FilterLocation<F = pci::ConfigSpace> {
    /// Among the other registers of the box, or the box has no filter registers.
    Own,
    /// In a PCI function of their own.
    Function(F),
    /// In a PCI function of their own that has stopped answering.
    Failed(F),
    /// In a PCI function of their own that is missing.
    Missing(MissingReason),
}

impl<F> FilterLocation<F> {
    /// Returns whether the registers can be used, or the box has none.
    #[inline]
    pub(crate) fn is_usable(&self) -> bool {
        matches!(self, FilterLocation::Own | FilterLocation::Function(_))
    }

    /// Returns whether the registers are in a PCI function of their own, which can fail alone.
    pub(crate) fn is_separate(&self) -> bool {
        !matches!(self, FilterLocation::Own)
    }

    /// Returns why the registers cannot be used, if they cannot.
    pub(crate) fn reason(&self) -> Option<MissingReason> {
        match self {
            FilterLocation::Own | FilterLocation::Function(_) => None,
            FilterLocation::Failed(_) => Some(MissingReason::Failed),
            FilterLocation::Missing(reason) => Some(*reason),
        }
    }

    /// Returns the PCI function that holds the registers.
    pub(crate) fn function(&self) -> Option<&F> {
        match self {
            FilterLocation::Function(function) | FilterLocation::Failed(function) => Some(function),
            FilterLocation::Own | FilterLocation::Missing(_) => None,
        }
    }

    /// Returns the location with what `f` makes of the PCI function.
    pub(crate) fn map<G>(&self, f: impl FnOnce(&F) -> G) -> FilterLocation<G> {
        match self {
            FilterLocation::Own => FilterLocation::Own,
            FilterLocation::Function(function) => FilterLocation::Function(f(function)),
            FilterLocation::Failed(function) => FilterLocation::Failed(f(function)),
            FilterLocation::Missing(reason) => FilterLocation::Missing(*reason),
        }
    }

    /// Marks the PCI function as failed.
    pub(crate) fn fail(&mut self) {
        *self = match mem::replace(self, FilterLocation::Own) {
            FilterLocation::Function(function) => FilterLocation::Failed(function),
            unchanged => unchanged,
        };
    }

    /// Marks the PCI function as not failed, before it is tried again.
    pub(crate) fn recover(&mut self) {
        *self = match mem::replace(self, FilterLocation::Own) {
            FilterLocation::Failed(function) => FilterLocation::Function(function),
            unchanged => unchanged,
        };
    }
}

/// Registers of a box that are accessible now.
pub(crate) struct BoxAccess<'a> {
    registers: Option<&'a Registers>,
    filters: &'a FilterLocation,
    here: &'a IrqsOff,
}

impl<'a> BoxAccess<'a> {
    /// Makes the registers accessible from this CPU. `None` stands for an absent box.
    pub(crate) fn new(
        registers: Option<&'a Registers>,
        filters: &'a FilterLocation,
        here: &'a IrqsOff,
    ) -> Self {
        Self {
            registers,
            filters,
            here,
        }
    }

    /// Returns the CPU that accesses them, with interrupts off.
    pub(super) fn here(&self) -> &'a IrqsOff {
        self.here
    }

    /// Returns the address space of the box's own registers.
    fn own(&self) -> Space<'a> {
        match self.registers {
            Some(Registers::Msr(msrs)) => Space::Msr(msrs, self.here),
            Some(Registers::Function(function)) => match &**function {
                FunctionRegisters::Config(space) => Space::Pci(space),
                FunctionRegisters::Memory(memory) => Space::Memory(memory),
            },
            None => Space::Absent,
        }
    }

    /// Returns the address space of the filter registers.
    #[inline]
    fn filters(&self) -> Space<'a> {
        match self.filters {
            FilterLocation::Own => self.own(),
            FilterLocation::Function(function) | FilterLocation::Failed(function) => {
                Space::Pci(function)
            }
            FilterLocation::Missing(_) => Space::Absent,
        }
    }
}

impl Bus for BoxAccess<'_> {
    fn core(&self) -> u32 {
        self.here.cpu().core()
    }

    fn now_ms(&self) -> u64 {
        clock::tick_ms()
    }

    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn read(&self, register: u16) -> Result<u32> {
        // The registers have 32 bits. What the upper half of an MSR holds has no meaning.
        match self.own() {
            Space::Msr(msrs, here) => msrs.read(here, register).map(low_half),
            Space::Pci(function) => function.read(register),
            Space::Memory(memory) => memory.read(register),
            Space::Absent => Err(ENODEV),
        }
    }

    fn write(&self, register: u16, value: u32) -> Result {
        match self.own() {
            Space::Msr(msrs, here) => msrs.write(here, register, value.into()),
            Space::Pci(function) => function.write(register, value),
            Space::Memory(_) => Err(EPERM),
            Space::Absent => Err(ENODEV),
        }
    }

    fn read_counter(&self, register: u16, bits: u64) -> Result<u64> {
        match self.own() {
            Space::Msr(msrs, here) => msrs.read(here, register),
            Space::Pci(space) => match read_mapped(space, register, is_dword(bits)) {
                Some(value) => Ok(value),
                None => read_config(space, register, is_dword(bits)),
            },
            Space::Memory(memory) => memory.read(register).map(u64::from),
            Space::Absent => Err(ENODEV),
        }
    }

    fn is_shown(&self, register: u16, bits: u64) -> Result<bool> {
        match self.own() {
            Space::Pci(space) => {
                let shows =
                    |at| -> Result<bool> { Ok(space.read(at)? == space.read_through_ports(at)?) };
                Ok(shows(register)? && (is_dword(bits) || shows(upper(register))?))
            }
            _ => Ok(true),
        }
    }

    fn msr(&self, register: u16) -> Option<u32> {
        match self.own() {
            Space::Msr(msrs, _) => Some(msrs.number(register)),
            Space::Pci(_) | Space::Memory(_) | Space::Absent => None,
        }
    }

    fn read_msr(&self, number: u32) -> Result<u64> {
        msr::read(self.here, number)
    }

    fn write_counter(&self, register: u16, bits: u64, value: u64) -> Result {
        match self.own() {
            Space::Msr(msrs, here) => msrs.write(here, register, value),
            Space::Pci(function) => {
                function.write(register, low_half(value))?;
                if is_dword(bits) {
                    return Ok(());
                }
                function.write(upper(register), high_half(value))
            }
            Space::Memory(_) => Err(EPERM),
            Space::Absent => Err(ENODEV),
        }
    }

    fn read_filter(&self, register: Place) -> Result<u64> {
        self.filters().read(register)
    }

    fn write_filter(&self, register: Place, value: u64) -> Result {
        self.filters().write(register, value)
    }
}

impl FunctionRegisters {
    /// Reads a counter as [`read_mapped`] does; returns `None` if only
    /// [`read_counter`](Self::read_counter) can.
    #[inline(always)]
    pub(super) fn read_mapped(&self, register: u16, is_dword: bool) -> Option<u64> {
        match self {
            FunctionRegisters::Config(space) => read_mapped(space, register, is_dword),
            FunctionRegisters::Memory(_) => None,
        }
    }

    /// Reads a counter, which may be one dword. In any context.
    ///
    /// # Errors
    ///
    /// [`EAGAIN`] if the counter cannot be reached in an NMI.
    pub(super) fn read_counter(&self, register: u16, is_dword: bool) -> Result<u64> {
        match self {
            FunctionRegisters::Config(space) => read_config(space, register, is_dword),
            FunctionRegisters::Memory(memory) => memory.read(register).map(u64::from),
        }
    }
}

/// Address space of registers that are accessible now.
#[derive(Clone, Copy)]
enum Space<'a> {
    /// MSRs of this CPU.
    Msr(&'a Msrs, &'a IrqsOff),
    /// Configuration space of a PCI function.
    Pci(&'a pci::ConfigSpace),
    /// Memory of a PCI function, which is only read.
    Memory(&'a pci::Memory),
    /// The registers are absent.
    Absent,
}

impl Space<'_> {
    fn read(&self, register: Place) -> Result<u64> {
        match *self {
            Space::Msr(msrs, here) => msr::read(here, msrs.number_at(register)?),
            Space::Pci(function) => function
                .read(register.offset().ok_or(ENODEV)?)
                .map(u64::from),
            Space::Memory(memory) => memory.read(register.offset().ok_or(ENODEV)?).map(u64::from),
            Space::Absent => Err(ENODEV),
        }
    }

    fn write(&self, register: Place, value: u64) -> Result {
        match *self {
            Space::Msr(msrs, here) => {
                let number = msrs.number_at(register)?;
                msrs.writable.write(here, number, value)
            }
            Space::Pci(function) => {
                function.write(register.offset().ok_or(ENODEV)?, low_half(value))
            }
            Space::Memory(_) => Err(EPERM),
            Space::Absent => Err(ENODEV),
        }
    }
}

/// Returns whether a counter with these bits is one dword of configuration space. The dword after it
/// is another register then.
pub(super) fn is_dword(bits: u64) -> bool {
    high_half(bits) == 0
}

/// Reads a counter of two dwords in configuration space that memory has. This is nearly always so,
/// and needs no call.
///
/// Returns `None` if the dwords did not answer, or do not belong together.
#[inline(always)]
fn read_mapped(space: &pci::ConfigSpace, register: u16, is_dword: bool) -> Option<u64> {
    if is_dword {
        return None;
    }
    let mapped = space.two_dwords(register)?;
    let low = || mapped.low().ok_or(());
    let high = || mapped.high().ok_or(());
    count::try_halves(low, high).ok().flatten()
}

/// Reads a counter in configuration space.
#[inline(never)]
fn read_config(space: &pci::ConfigSpace, register: u16, is_dword: bool) -> Result<u64> {
    if is_dword {
        return space.read(register).map(u64::from);
    }
    count::read_halves(|| space.read(register), || space.read(upper(register)))
}

/// Returns the offset of a counter's high half.
fn upper(register: u16) -> u16 {
    register.saturating_add(4)
}
