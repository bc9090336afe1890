// SPDX-License-Identifier: GPL-2.0

//! Filter registers of a box: their values, and whether they can be used.
//!
//! Filter registers in a PCI function of their own can go while the box stays. The driver reads
//! back what it writes there: a function that is gone ignores writes without an error, and an event
//! must not count unfiltered.

use super::{
    box_io::BoxIo,
    bus::{
        Bus,
        FilterLocation, //
    },
    modified::{
        ModifiedRegister,
        Register, //
    },
    open_event::OpenEvent,
    slot::Slot,
    slots::Slots, //
};
use crate::uncore::{
    request::{
        filter_units::Filters,
        Request, //
    },
    table::box_type::{
        BoxType,
        FilterRegister,
        MAX_FILTERS, //
    }, //
};
use kernel::prelude::*;

/// Values of the filter registers, in the table's order.
pub(crate) type Values = [u64; MAX_FILTERS];

/// A set of filter registers, as a bit mask of their indexes in the table.
pub(crate) type RegisterSet = u64;

/// The filter registers of a box.
pub(crate) struct FilterBank {
    location: FilterLocation<()>,
    /// Tells whether their PCI function is being removed: no new event can have filters.
    pub(crate) closed: bool,
    /// Values that the driver has written.
    written: Values,
}

impl FilterBank {
    /// Makes a bank of registers that hold 0.
    pub(crate) fn new(location: FilterLocation<()>) -> Self {
        Self {
            location,
            closed: false,
            written: [0; MAX_FILTERS],
        }
    }

    /// Notes that the registers cannot be used any more.
    pub(crate) fn fail(&mut self) {
        self.location.fail();
    }

    /// Returns whether the registers can be used, or the box has none.
    #[inline]
    pub(crate) fn is_usable(&self) -> bool {
        self.location.is_usable()
    }

    /// Returns whether the registers can fail while the box stays.
    pub(crate) fn is_separate(&self) -> bool {
        self.location.is_separate()
    }

    /// Returns whether a new event can have its filters.
    pub(crate) fn accepts(&self, request: &Request) -> bool {
        request.filters.is_empty() || self.is_usable() && !self.closed
    }

    /// Returns the registers that do not have the values that these filters need.
    pub(crate) fn outdated(&self, kind: &BoxType, filters: &Filters) -> RegisterSet {
        let registers = kind.filters.iter().zip(&self.written).enumerate();
        registers
            .filter(|(_, (register, &written))| filters.register(kind, register) != written)
            .fold(0, |outdated, (index, _)| outdated | register_bit(index))
    }

    /// Writes the values that these filters need to the registers, for an event that is about to
    /// start. A register that no running event uses is written even if its value stays: it was not
    /// verified meanwhile. If registers in a PCI function of their own do not take the values, they
    /// are lost, and the events that need them stop.
    ///
    /// # Errors
    ///
    /// Errors of the accesses to other registers.
    pub(crate) fn program<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slots: &mut Slots,
        event: &OpenEvent,
        filters: &Filters,
    ) -> Result {
        let is_first_use = |register: &FilterRegister| {
            let is_user = |slot: &Slot| uses(io.setup.kind, slot.binding.request(), register);
            slots.iter().any(|slot| slot.is_of(event) && is_user(slot))
                && !slots
                    .iter()
                    .any(|slot| slot.is_programmed() && is_user(slot))
        };
        let (mut wanted, mut rewritten) = (self.written, 0);
        let registers = io.setup.kind.filters.iter().zip(&mut wanted).enumerate();
        for (index, (register, value)) in registers {
            *value = filters.register(io.setup.kind, register);
            if is_first_use(register) {
                rewritten |= register_bit(index);
            }
        }
        let result = self.write_values(io, &wanted, rewritten);
        self.or_stop(result, io, slots)
    }

    /// Writes the registers that events use again, as they were lost. The errors are those of
    /// [`Self::program`].
    pub(crate) fn restore<B: Bus>(&mut self, io: &BoxIo<'_, B>, slots: &mut Slots) -> Result {
        let wanted = self.written;
        let used = used_registers(io, slots);
        let result = self.write_values(io, &wanted, used);
        self.or_stop(result, io, slots)
    }

    /// Resets a register unless an event uses it, as it may hold anything.
    ///
    /// # Errors
    ///
    /// Errors of the access.
    pub(crate) fn clear_unused<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        slots: &Slots,
        index: usize,
    ) -> Result {
        let filters = io.setup.kind.filters;
        let used = used_registers(io, slots);
        let mut used = (0..)
            .zip(filters)
            .filter(|&(of, _)| used & register_bit(of) != 0);
        let is_used = used
            .any(|(of, register)| of == index || register.guard.map(usize::from) == Some(index));
        match filters.get(index) {
            Some(register) if !is_used && register.tried(&io.setup.lacking) != 0 => {
                io.bus.write_filter(register.place, 0)?;
                self.note(index, 0);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Stops the events that need the registers, if they are in a PCI function of their own and an
    /// access has failed.
    fn or_stop<B: Bus>(&mut self, result: Result, io: &BoxIo<'_, B>, slots: &mut Slots) -> Result {
        if result.is_ok() || !self.is_separate() {
            return result;
        }
        self.fail();
        stop_filtered(io, slots)
    }

    /// Writes the values that differ from the present ones, or are to be `rewritten`. Guarded
    /// registers are written first, with their guards off. A guard is switched on after that.
    fn write_values<B: Bus>(
        &mut self,
        io: &BoxIo<'_, B>,
        wanted: &Values,
        rewritten: RegisterSet,
    ) -> Result {
        let is_separate = self.is_separate();
        let registers = || io.setup.kind.filters.iter().zip(wanted).enumerate();
        let guarded = registers().filter(|(_, (register, _))| register.guard.is_some());
        let others = registers().filter(|(_, (register, _))| register.guard.is_none());
        let mut off = None;
        for (index, (register, &value)) in Iterator::chain(guarded, others) {
            let is_kept = self.written_to(index) == value && rewritten & register_bit(index) == 0;
            if is_kept || register.tried(&io.setup.lacking) == 0 {
                continue;
            }
            if let Some((guard, at)) =
                guard_of(io.setup.kind, register).filter(|&(at, _)| off != Some(at))
            {
                // It is written even if it should be off: another tool may have switched it on.
                write(io.bus, at, 0, is_separate)?;
                self.note(guard, 0);
                off = Some(guard);
            }
            write(io.bus, register, value, is_separate)?;
            self.note(index, value);
        }
        Ok(())
    }

    /// Returns the value that the driver has written to a register.
    pub(crate) fn written_to(&self, index: usize) -> u64 {
        self.written.get(index).copied().unwrap_or(0)
    }

    /// Notes the value of a register.
    fn note(&mut self, index: usize, value: u64) {
        if let Some(written) = self.written.get_mut(index) {
            *written = value;
        }
    }

    /// Reads a register back and compares the bits of `mask`. A modified register is restored.
    ///
    /// # Errors
    ///
    /// Errors of the accesses; [`EIO`] if a PCI function of its own does not take the value.
    pub(crate) fn verify<B: Bus>(
        &self,
        io: &BoxIo<'_, B>,
        index: usize,
        register: &FilterRegister,
        mask: u64,
    ) -> Result<Option<ModifiedRegister>> {
        let written = self.written_to(index);
        let found = io.bus.read_filter(register.place)?;
        let name = Register::Filter(register.place);
        let modified = ModifiedRegister::compare(name, written, found, mask);
        if modified.is_some() {
            let is_separate = self.is_separate();
            let guard = guard_of(io.setup.kind, register);
            if let Some((_, at)) = guard {
                write(io.bus, at, 0, is_separate)?;
            }
            write(io.bus, register, written, is_separate)?;
            if let Some((index, at)) = guard {
                write(io.bus, at, self.written_to(index), is_separate)?;
            }
        }
        Ok(modified)
    }
}

/// Returns the guard of a filter register with its index, if the register has one.
fn guard_of(kind: &BoxType, register: &FilterRegister) -> Option<(usize, &'static FilterRegister)> {
    let index = usize::from(register.guard?);
    Some((index, kind.filters.get(index)?))
}

/// Writes a register. If it `is_separate`, in a PCI function of its own, it is read back.
fn write<B: Bus>(bus: &B, register: &FilterRegister, value: u64, is_separate: bool) -> Result {
    bus.write_filter(register.place, value)?;
    if is_separate && bus.read_filter(register.place)? & register.writable != value {
        return Err(EIO);
    }
    Ok(())
}

/// Returns the registers that events use.
fn used_registers<B: Bus>(io: &BoxIo<'_, B>, slots: &Slots) -> RegisterSet {
    let all = io.setup.kind.filters.iter().enumerate();
    let is_used = |register| {
        let mut slots = slots.iter();
        slots.any(|slot| uses(io.setup.kind, slot.binding.request(), register))
    };
    let used = all.filter(|(_, register)| is_used(register));
    used.fold(0, |set, (index, _)| set | register_bit(index))
}

/// The bit of a filter register in a set of registers.
fn register_bit(index: usize) -> RegisterSet {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    1_u64.checked_shl(index).unwrap_or(0)
}

/// Returns whether an event uses one of these filter registers.
pub(crate) fn uses_any(kind: &BoxType, slot: &Slot, registers: RegisterSet) -> bool {
    let all = kind.filters.iter().enumerate();
    all.filter(|(index, _)| registers & register_bit(*index) != 0)
        .any(|(_, register)| uses(kind, slot.binding.request(), register))
}

/// Returns whether an event uses a filter register.
pub(crate) fn uses(kind: &BoxType, request: &Request, register: &FilterRegister) -> bool {
    request.filters.iter().any(|used| {
        let unit = kind.filter_units.get(usize::from(used.unit));
        unit.is_some_and(|unit| {
            register
                .copies_of(used.unit, unit)
                .any(|copied| kind.copy_number(used.unit, copied.copy) == used.copy)
        })
    })
}

/// Returns whether an event uses filters.
pub(crate) fn is_filtered(slot: &Slot) -> bool {
    !slot.binding.request().filters.is_empty()
}

/// Stops the events that use filters, and the dependent events of a source that uses filters.
pub(crate) fn stop_filtered<B: Bus>(io: &BoxIo<'_, B>, slots: &mut Slots) -> Result {
    let source_is_filtered = slots
        .iter()
        .any(|slot| slot.is_source() && is_filtered(slot));
    for slot in slots.iter_mut() {
        if is_filtered(slot) || source_is_filtered && slot.uses_source() {
            slot.stop(io)?;
        }
    }
    Ok(())
}
