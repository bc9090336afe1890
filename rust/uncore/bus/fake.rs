// SPDX-License-Identifier: GPL-2.0

//! Registers that are plain memory, for the suites: they keep what is written, record each access
//! and fail when told to.
//!
//! It is no model of the hardware (that is a machine of its own, elsewhere): counters move only
//! when a suite says so, and what a write means is for the suite to check in the record.

use super::super::{
    box_type::BoxType,
    field::{
        high_half,
        low_half, //
    },
};
use super::Bus;
use core::cell::Cell;
use kernel::prelude::*;

/// How many registers there are.
const REGISTERS: usize = 0x240;

/// How many accesses are recorded.
const RECORDS: usize = 64;

/// A write of a control register or a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Write(pub(in super::super) u16, pub(in super::super) u64);

/// Registers that are plain memory.
pub(in super::super) struct Fake {
    values: KVec<Cell<u64>>,
    writes: Cell<KVec<Write>>,
    reads: Cell<u32>,
    /// Accesses that still work; after them everything fails.
    budget: Cell<u32>,
    /// Bits that always read as they are here, whatever is written.
    stuck: Cell<u64>,
    /// A register that keeps only these bits of what is written.
    narrow: Cell<(u16, u64)>,
    /// A register that cannot be accessed.
    denied: Cell<Option<u16>>,
    /// A register whose bits are cleared by writing 1.
    cleared: Cell<Option<u16>>,
    /// What reads give if nobody is there to answer and writes go nowhere.
    silence: Cell<Option<u64>>,
    /// The registers that filters are in, if they are not these.
    filters: Option<KBox<Self>>,
}

impl Fake {
    /// All registers are 0, and accesses work.
    pub(in super::super) fn new() -> Result<Self> {
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
            narrow: Cell::new((0, u64::MAX)),
            denied: Cell::new(None),
            cleared: Cell::new(None),
            silence: Cell::new(None),
            filters: None,
        })
    }

    /// The same, with other registers of that kind for filters.
    pub(in super::super) fn with_filters() -> Result<Self> {
        Ok(Self {
            filters: Some(KBox::new(Self::new()?, GFP_KERNEL)?),
            ..Self::new()?
        })
    }

    /// The registers that filters are in.
    pub(in super::super) fn filters(&self) -> &Self {
        self.filters.as_deref().unwrap_or(self)
    }

    /// Has writes go nowhere and reads give this.
    pub(in super::super) fn silence(&self, reads: u64) {
        self.silence.set(Some(reads));
    }

    /// Lets that many accesses work, and then none.
    pub(in super::super) fn fail_after(&self, accesses: u32) {
        self.budget.set(accesses);
    }

    /// Has these bits of every register read as 1.
    pub(in super::super) fn stick(&self, bits: u64) {
        self.stuck.set(bits);
    }

    /// Has a register keep only that many bits of what is written.
    pub(in super::super) fn narrow(&self, register: u16, bits: u8) {
        let mask = super::super::count::mask(bits);
        self.narrow.set((register, mask));
    }

    /// Has a register be out of reach.
    pub(in super::super) fn deny(&self, register: u16) {
        self.denied.set(Some(register));
    }

    /// Has the bits of a register be cleared by writing 1.
    pub(in super::super) fn clear_by_ones(&self, register: u16) {
        self.cleared.set(Some(register));
    }

    /// What a register holds.
    pub(in super::super) fn get(&self, register: u16) -> u64 {
        let slot = self.values.get(usize::from(register));
        slot.map_or(0, Cell::get)
    }

    /// Has a register hold something, as if the hardware had done it.
    pub(in super::super) fn set(&self, register: u16, value: u64) {
        if let Some(slot) = self.values.get(usize::from(register)) {
            slot.set(value);
        }
    }

    /// Moves a counter of the box on, within its width.
    pub(in super::super) fn advance(&self, kind: &BoxType, register: u16, count: u64) {
        let mask = super::super::count::mask(kind.width);
        self.set(register, self.get(register).wrapping_add(count) & mask);
    }

    /// How many reads there were.
    pub(in super::super) fn reads(&self) -> u32 {
        self.reads.get()
    }

    /// The writes since this was last asked, in order.
    pub(in super::super) fn take_writes(&self) -> KVec<Write> {
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
        let kept = self.get(register) | self.stuck.get();
        Ok(self.silence.get().unwrap_or(kept))
    }

    fn store(&self, register: u16, value: u64) -> Result {
        self.access(register)?;
        let kept = match self.narrow.get() {
            _ if self.cleared.get() == Some(register) => self.get(register) & !value,
            (narrow, mask) if narrow == register => value & mask,
            _ => value,
        };
        if self.silence.get().is_none() {
            self.set(register, kept);
        }
        let mut writes = self.writes.take();
        let pushed = writes.push(Write(register, value), GFP_KERNEL);
        self.writes.set(writes);
        Ok(pushed?)
    }
}

impl Bus for Fake {
    fn read(&self, register: u16) -> Result<u32> {
        self.load(register).map(low_half)
    }

    fn write(&self, register: u16, value: u32) -> Result {
        self.store(register, u64::from(value))
    }

    fn read_counter(&self, register: u16) -> Result<u64> {
        self.load(register)
    }

    fn write_counter(&self, register: u16, value: u64) -> Result {
        self.store(register, value)
    }

    fn read_filter(&self, register: u16) -> Result<u32> {
        self.filters().load(register).map(low_half)
    }

    fn write_filter(&self, register: u16, value: u32) -> Result {
        self.filters().store(register, u64::from(value))
    }
}

/// A counter in two halves that is about to carry, for torn reads.
///
/// Each access moves it on, so that a carry can fall between any two.
pub(in super::super) struct Halves {
    value: Cell<u64>,
    step: u64,
    accesses: Cell<u32>,
}

impl Halves {
    /// At `value` before the first access, moving on by `step` at each.
    pub(in super::super) fn new(value: u64, step: u64) -> Self {
        Self {
            value: Cell::new(value),
            step,
            accesses: Cell::new(0),
        }
    }

    /// Reads the low half.
    pub(in super::super) fn low(&self) -> Result<u32> {
        Ok(low_half(self.advance()))
    }

    /// Reads the high half.
    pub(in super::super) fn high(&self) -> Result<u32> {
        Ok(high_half(self.advance()))
    }

    /// How many accesses there were.
    pub(in super::super) fn accesses(&self) -> u32 {
        self.accesses.get()
    }

    fn advance(&self) -> u64 {
        self.accesses.set(self.accesses.get().saturating_add(1));
        self.value.replace(self.value.get().wrapping_add(self.step))
    }
}
