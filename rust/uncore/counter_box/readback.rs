// SPDX-License-Identifier: GPL-2.0

//! Register bits that read back as written: the only ones that verification can compare.
//!
//! The manual says which bits can be read back, and is wrong or silent about some. An event must
//! not end because of a bit that never reads as written. So when a box appears, the driver writes
//! 1 and 0 to each bit that it ever sets, and verification compares only the bits that keep both.
//! Reserved bits are not compared.
//!
//! Nothing counts meanwhile. The box is frozen if it can be. The enable bit is tried with an event
//! that cannot reach the highest threshold. In a box without thresholds it is tried if the box
//! control shows that the box is frozen. Only a fixed counter of a box that cannot be frozen counts
//! for the time of two accesses; no event has it yet.
//!
//! The box control register is read while the driver has frozen the box, and after that. Its bits
//! are compared if they read as written both times. By the manual, the freeze bit is write-only. It
//! is compared if it reads as written nevertheless. If it does not, verification cannot tell a box
//! that another tool has frozen from one that has nothing to count.

use super::{
    bus::{
        write_control,
        Bus,
        Unused, //
    }, //
};
use crate::uncore::{
    request::{
        assign::MAX_FIXED,
        group::CounterIndex, //
    },
    table::{
        box_type::{
            BoxControl,
            BoxType,
            Control,
            Event,
            FilterRegister,
            Needs,
            Role,
            Umasks,
            Word,
            MAX_FILTERS, //
        },
        field::{
            low_half,
            Words, //
        }, //
    }, //
};
use kernel::prelude::*;

/// Masks of the bits to compare, by register.
pub(crate) struct ReadbackMask {
    /// Mask for the control registers of general counters.
    pub(crate) control: u32,
    /// Masks for the control registers of fixed counters.
    pub(crate) fixed: [u32; MAX_FIXED],
    /// Masks for the filter registers.
    pub(crate) filters: [u64; MAX_FILTERS],
    /// Mask for the box control register.
    pub(crate) box_control: u32,
}

/// The masks until the registers are probed.
impl Default for ReadbackMask {
    fn default() -> Self {
        Self {
            control: 0,
            fixed: [0; MAX_FIXED],
            filters: [0; MAX_FILTERS],
            box_control: 0,
        }
    }
}

impl ReadbackMask {
    /// Tries which bits read back as written. Filter registers are tried if the box `has_filters`
    /// that can be used. Nothing counts yet. The registers are left at 0, and the box unfrozen.
    pub(crate) fn probe<U: Unused>(registers: &U, kind: &BoxType, has_filters: bool) -> Self {
        let mut masks = Self::default();
        registers.access(|bus| masks.probe_box(bus, kind));
        if has_filters {
            for (at, mask) in kind.filters.iter().zip(&mut masks.filters) {
                let ones = at.writable & !at.on_request;
                *mask = registers.access(|bus| kept_by_filter(bus, at, ones, 0));
            }
        }
        masks
    }

    /// Tries the box control and the control registers.
    fn probe_box<B: Bus>(&mut self, bus: &B, kind: &BoxType) {
        let write_box = |value: fn(&BoxControl) -> u32| {
            kind.box_control.as_ref().map_or(0, |at| {
                let read = bus
                    .write(at.offset, value(at))
                    .and_then(|()| bus.read(at.offset));
                // The bits that are equal.
                read.map_or(0, |read| !(read ^ value(at)))
            })
        };
        let frozen = write_box(|at| at.freeze);
        let is_frozen = kind
            .box_control
            .as_ref()
            .is_some_and(|at| (at.freeze ^ at.unfreeze) & !frozen == 0);
        self.probe_controls(bus, kind, is_frozen);
        let unfrozen = write_box(|at| at.unfreeze);
        if let Some(at) = &kind.box_control {
            self.box_control = frozen & unfrozen & (at.freeze | at.unfreeze);
        }
    }

    /// Tries the control registers of the first general counter and of the fixed counters. The box
    /// control may show that the box `is_frozen`.
    fn probe_controls<B: Bus>(&mut self, bus: &B, kind: &BoxType, is_frozen: bool) {
        let kept = |register, bits| kept_by_control(bus, &kind.control, register, bits);
        if let Some(at) = kind.counters.first() {
            let layout = &kind.control;
            let acting = layout.enable | layout.acts | layout.queue_reset.unwrap_or(0);
            self.control = kept(at.control, layout.writable & !acting);
            if let Some(idle) = never_counting(kind, is_frozen) {
                self.control |= kept(at.control, layout.enable | idle) & layout.enable;
            }
        }
        for (fixed, mask) in kind.fixed.iter().zip(&mut self.fixed) {
            if let Some(at) = &fixed.control {
                // One after the other: a counter that counts must not interrupt.
                let others = at.writable & !at.acts & !at.enable;
                *mask = kept(at.offset, others) | kept(at.offset, at.enable);
            }
        }
    }

    /// Returns the mask for the control register of a counter.
    pub(crate) fn of_control(&self, counter: CounterIndex) -> u32 {
        match counter {
            CounterIndex::General(_) => self.control,
            CounterIndex::Fixed(index) => self.fixed.get(usize::from(index)).copied().unwrap_or(0),
        }
    }

    /// Notes that the PCI function of the filter registers was probed: all writable bits read back.
    pub(crate) fn add_filters(&mut self, kind: &BoxType) {
        for (at, mask) in kind.filters.iter().zip(&mut self.filters) {
            *mask = at.writable;
        }
    }
}

/// Returns the bits that the box lacks, in the words of a request: those of its control registers and,
/// if it has filters that can be used, of its filter registers. The tables are not certain of them.
/// Nothing counts yet. The registers are left at 0. Those filters lacked, or had not tried, the bits
/// `before`; what is tried on request is not tried now.
pub(crate) fn lacking_bits<B: Bus>(bus: &B, kind: &BoxType, before: Option<&Words>) -> Words {
    let mut lacking = Words::default();
    let layout = &kind.control;
    let control = kind.counters.first().filter(|_| layout.uncertain != 0);
    if let Some(at) = control {
        let kept = kept_by_control(bus, layout, at.control, layout.uncertain);
        lacking.set(Word::Config, (layout.uncertain & !kept).into());
    }
    let Some(before) = before else {
        return lacking;
    };
    for at in kind.filters {
        let kept = kept_by_filter(bus, at, at.uncertain & at.tried(before), 0);
        lacking.set(at.word, at.in_word(at.uncertain & !kept));
    }
    lacking
}

/// Returns the control word, without the enable bit, of an event on the first counter that counts
/// nothing: the event cannot reach the highest threshold, or the box `is_frozen` and has no
/// thresholds. Returns `None` if there is none.
fn never_counting(kind: &BoxType, is_frozen: bool) -> Option<u32> {
    let (threshold, highest) = match kind.field(Role::Threshold) {
        Some(field) => (field.mask(), field.of_word(u64::MAX)),
        None if is_frozen => (0, u64::MAX),
        None => return None,
    };
    let counts_alone = |event: &&Event| {
        event.umasks == Umasks::Zero
            && event.counters & 1 != 0
            && event.filters == 0
            && event.needs != Needs::SourceOnCounter0
            && u64::from(event.max_increment) < highest
    };
    let event = kind.events.iter().find(counts_alone)?;
    let writable = kind.control.writable;
    Some((event.select | low_half(threshold)) & writable)
}

/// Returns the bits of `ones` that a filter register keeps, as [`reads_back`], beside the bits that it
/// has `now`. Without any the register is not accessed.
#[inline(never)]
pub(crate) fn kept_by_filter<B: Bus>(bus: &B, at: &FilterRegister, ones: u64, now: u64) -> u64 {
    if ones == 0 {
        return 0;
    }
    let write = |value| bus.write_filter(at.place, now | value);
    reads_back(write, || bus.read_filter(at.place), ones)
}

/// Returns the bits of `ones` that a control register keeps, as [`reads_back`].
#[inline(never)]
fn kept_by_control<B: Bus>(bus: &B, layout: &Control, register: u16, ones: u32) -> u32 {
    low_half(reads_back(
        |value| write_control(bus, layout, register, low_half(value)),
        || bus.read(register).map(u64::from),
        u64::from(ones),
    ))
}

/// Returns the bits of `ones` that read back as written, once as 1 and once, with all others, as 0.
/// Returns 0 if the register cannot be accessed.
fn reads_back(write: impl Fn(u64) -> Result, read: impl Fn() -> Result<u64>, ones: u64) -> u64 {
    let written_as = |value| write(value).and_then(|()| read());
    match (written_as(ones), written_as(0)) {
        (Ok(set), Ok(cleared)) => ones & set & !cleared,
        _ => 0,
    }
}
