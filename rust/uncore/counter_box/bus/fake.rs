// SPDX-License-Identifier: GPL-2.0

//! Fake registers for the suites: plain memory that records each write and fails on request.
//!
//! This is no model of the hardware (the emulated machine is). Counters advance only when a suite
//! calls [`Fake::advance`], and a suite checks the recorded writes.

use super::{
    Bus,
    Unused, //
};
use crate::uncore::table::{
    box_type::{
        BoxType,
        Misread,
        Place, //
    },
    field::{
        low_half,
        mask, //
    }, //
};
use core::cell::Cell;
use kernel::prelude::*;

/// Number of registers.
const REGISTERS: usize = 0x240;

/// An hour in milliseconds. So long nothing is left unverified.
const HOUR_MS: u64 = 3_600_000;

/// Initial capacity of the record of writes.
const RECORDS: usize = 64;

/// A write of a register: its offset and the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Write(pub(crate) u16, pub(crate) u64);

/// Fake registers.
pub(crate) struct Fake {
    values: KVec<Cell<u64>>,
    writes: Cell<KVec<Write>>,
    reads: Cell<u32>,
    /// Accesses that still work; all later accesses fail.
    budget: Cell<u32>,
    /// Bits that read as 1 in each register, whatever is written.
    stuck: Cell<u64>,
    /// A register, and bits of it that read as 1.
    stuck_in: Cell<(u16, u64)>,
    /// Bits that read as 0 in each register, whatever is written.
    hidden: Cell<u64>,
    /// A register, and the bits of it that keep what is written.
    narrow: Cell<(u16, u64)>,
    /// A register that cannot be accessed.
    denied: Cell<Option<u16>>,
    /// A counter that reads otherwise in another way.
    blank: Cell<Option<u16>>,
    /// A register, and two that refuse writes while it is not 0.
    guard: Cell<Option<(u16, [u16; 2])>>,
    /// A register whose bits are cleared by a write of 1.
    cleared: Cell<Option<u16>>,
    /// A counter that reads too high at some values.
    misread: Cell<Option<(u16, Misread)>>,
    /// A register that counts its reads.
    ticking: Cell<Option<u16>>,
    /// Value of all reads while the registers do not answer and ignore writes.
    silence: Cell<Option<u64>>,
    /// The core that accesses the registers.
    core: Cell<u32>,
    /// The time in milliseconds, and how far it goes on with each look at it.
    clock: Cell<(u64, u64)>,
    /// Filter registers in a PCI function of their own.
    filters: Option<KBox<Self>>,
}

impl Fake {
    /// Makes registers that hold 0 and work.
    pub(crate) fn new() -> Result<Self> {
        let mut values = KVec::with_capacity(REGISTERS, GFP_KERNEL)?;
        for _ in 0..REGISTERS {
            values.push(Cell::new(0), GFP_KERNEL)?;
        }
        Ok(Self {
            values,
            writes: Cell::new(KVec::with_capacity(RECORDS, GFP_KERNEL)?),
            reads: Cell::new(0),
            budget: Cell::new(u32::MAX),
            stuck: Cell::new(0),
            stuck_in: Cell::new((0, 0)),
            hidden: Cell::new(0),
            narrow: Cell::new((0, u64::MAX)),
            denied: Cell::new(None),
            blank: Cell::new(None),
            guard: Cell::new(None),
            cleared: Cell::new(None),
            misread: Cell::new(None),
            ticking: Cell::new(None),
            silence: Cell::new(None),
            core: Cell::new(0),
            clock: Cell::new((0, HOUR_MS)),
            filters: None,
        })
    }

    /// Accesses the registers from this core from now on.
    pub(crate) fn go_to(&self, core: u32) {
        self.core.set(core);
    }

    /// Lets time pass only by [`wait`](Self::wait) from now on.
    pub(crate) fn stop_clock(&self) {
        let (now, _) = self.clock.get();
        self.clock.set((now, 0));
    }

    /// Lets a number of milliseconds pass.
    pub(crate) fn wait(&self, ms: u64) {
        let (now, step) = self.clock.get();
        self.clock.set((now.saturating_add(ms), step));
    }

    /// Makes registers with filter registers in a PCI function of their own.
    pub(crate) fn with_filters() -> Result<Self> {
        Ok(Self {
            filters: Some(KBox::new(Self::new()?, GFP_KERNEL)?),
            ..Self::new()?
        })
    }

    /// Returns the number of a filter register. MSR numbers of the tables are below the offsets'.
    fn at(&self, register: Place) -> Result<u16> {
        let number = register.msr(0, 0).ok_or(ENODEV)?;
        u16::try_from(number).map_err(|_| ENODEV)
    }

    /// Returns the filter registers.
    pub(crate) fn filters(&self) -> &Self {
        self.filters.as_deref().unwrap_or(self)
    }

    /// Ignores writes from now on, and gives this value for all reads.
    pub(crate) fn silence(&self, reads: u64) {
        self.silence.set(Some(reads));
    }

    /// Fails all accesses after this many more.
    pub(crate) fn fail_after(&self, accesses: u32) {
        self.budget.set(accesses);
    }

    /// Makes these bits of each register read as 1.
    pub(crate) fn stick(&self, bits: u64) {
        self.stuck.set(bits);
    }

    /// Makes these bits of a register read as 1.
    pub(crate) fn stick_in(&self, register: u16, bits: u64) {
        self.stuck_in.set((register, bits));
    }

    /// Makes these bits of each register read as 0.
    pub(crate) fn hide(&self, bits: u64) {
        self.hidden.set(bits);
    }

    /// Makes a register keep only the lowest `bits` bits of a write.
    pub(crate) fn narrow(&self, register: u16, bits: u8) {
        self.narrow.set((register, mask(bits)));
    }

    /// Fails all accesses to a register.
    pub(crate) fn deny(&self, register: u16) {
        self.denied.set(Some(register));
    }

    /// Makes a counter read otherwise in another way.
    pub(crate) fn blank(&self, register: u16) {
        self.blank.set(Some(register));
    }

    /// Makes two registers refuse writes while a third one, their guard, is not 0.
    pub(crate) fn guard(&self, guard: u16, guarded: [u16; 2]) {
        self.guard.set(Some((guard, guarded)));
    }

    /// Makes the bits of a register cleared by a write of 1.
    pub(crate) fn clear_by_ones(&self, register: u16) {
        self.cleared.set(Some(register));
    }

    /// Makes a counter of 48 bits read too high at some values.
    pub(crate) fn misread(&self, register: u16, misread: Misread) {
        self.misread.set(Some((register, misread)));
    }

    /// Makes a register advance at each read.
    pub(crate) fn tick(&self, register: u16) {
        self.ticking.set(Some(register));
    }

    pub(crate) fn get(&self, register: u16) -> u64 {
        self.values.get(usize::from(register)).map_or(0, Cell::get)
    }

    /// Sets a register, as the hardware or another tool would. The write is not recorded.
    pub(crate) fn set(&self, register: u16, value: u64) {
        if let Some(cell) = self.values.get(usize::from(register)) {
            cell.set(value);
        }
    }

    /// Advances a general counter of the box, within its width.
    pub(crate) fn advance(&self, kind: &BoxType, register: u16, count: u64) {
        let mask = mask(kind.width);
        self.set(register, self.get(register).wrapping_add(count) & mask);
    }

    /// Returns the number of reads.
    pub(crate) fn reads(&self) -> u32 {
        self.reads.get()
    }

    /// Returns the writes since the last call, in order.
    pub(crate) fn take_writes(&self) -> KVec<Write> {
        self.writes.replace(KVec::new())
    }

    fn access(&self, register: u16) -> Result {
        match self.budget.get().checked_sub(1) {
            Some(left) if self.denied.get() != Some(register) => {
                self.budget.set(left);
                Ok(())
            }
            _ => Err(EIO),
        }
    }

    fn load(&self, register: u16) -> Result<u64> {
        self.access(register)?;
        self.reads.set(self.reads.get().saturating_add(1));
        if self.ticking.get() == Some(register) {
            self.set(register, self.get(register).wrapping_add(1));
        }
        let stuck = match self.stuck_in.get() {
            (at, bits) if at == register => self.stuck.get() | bits,
            _ => self.stuck.get(),
        };
        let value = self.get(register) & !self.hidden.get() | stuck;
        let value = match self.misread.get() {
            Some((at, defect)) if at == register && value & mask(defect.bits) < defect.values => {
                value.wrapping_add(1 << defect.bits) & mask(48)
            }
            _ => value,
        };
        Ok(self.silence.get().unwrap_or(value))
    }

    fn store(&self, register: u16, value: u64) -> Result {
        self.access(register)?;
        if let Some((guard, guarded)) = self.guard.get() {
            if guarded.contains(&register) && self.get(guard) != 0 {
                return Err(EIO);
            }
        }
        let stored = match self.narrow.get() {
            _ if self.cleared.get() == Some(register) => self.get(register) & !value,
            (narrow, mask) if narrow == register => value & mask,
            _ => value,
        };
        if self.silence.get().is_none() {
            self.set(register, stored);
        }
        let mut writes = self.writes.take();
        let pushed = writes.push(Write(register, value), GFP_KERNEL);
        self.writes.set(writes);
        Ok(pushed?)
    }
}

impl Unused for Fake {
    type Bus<'a> = Self;

    fn access<R>(&self, f: impl for<'a> FnOnce(&Self) -> R) -> R {
        f(self)
    }
}

impl Bus for Fake {
    fn core(&self) -> u32 {
        self.core.get()
    }

    fn now_ms(&self) -> u64 {
        let (now, step) = self.clock.get();
        let now = now.saturating_add(step);
        self.clock.set((now, step));
        now
    }

    fn now_ns(&self) -> u64 {
        self.clock.get().0.saturating_mul(1_000_000)
    }

    fn read(&self, register: u16) -> Result<u32> {
        self.load(register).map(low_half)
    }

    fn write(&self, register: u16, value: u32) -> Result {
        self.store(register, u64::from(value))
    }

    fn read_counter(&self, register: u16, _: u64) -> Result<u64> {
        self.load(register)
    }

    fn is_shown(&self, register: u16, _: u64) -> Result<bool> {
        self.access(register)?;
        Ok(self.blank.get() != Some(register))
    }

    fn msr(&self, _: u16) -> Option<u32> {
        None
    }

    fn read_msr(&self, _: u32) -> Result<u64> {
        Ok(u64::MAX)
    }

    fn write_counter(&self, register: u16, _: u64, value: u64) -> Result {
        self.store(register, value)
    }

    fn read_filter(&self, register: Place) -> Result<u64> {
        self.filters().load(self.at(register)?)
    }

    fn write_filter(&self, register: Place, value: u64) -> Result {
        self.filters().store(self.at(register)?, value)
    }
}
