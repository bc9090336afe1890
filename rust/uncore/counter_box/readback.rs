// SPDX-License-Identifier: GPL-2.0

//! Register bits that read back as written: the only ones that verification can compare.
//!
//! The manual says which bits can be read back, and is wrong or silent about some. An event must
//! not end because of a bit that never reads as written. So when a box appears, the driver writes
//! 1 and 0 to each bit with nothing enabled, and verification compares only the bits that keep
//! both.
//!
//! By the manual, the freeze bit of the box control register is write-only. It is compared if it
//! reads as written all the same. If it does not, verification cannot tell a box that another tool
//! has frozen from one that has nothing to count.

use super::{
    bus::Bus,
    filters::MAX_FILTERS,
    probe::MAX_FIXED, //
};
use crate::uncore::{
    request::group::CounterIndex,
    table::box_type::{
        BoxType,
        Control, //
    }, //
};
use kernel::prelude::*;

/// Masks of the bits to compare, by register; 0 until they are probed.
#[derive(Default)]
pub(crate) struct ReadbackMask {
    /// Mask for the control registers of general counters.
    pub(crate) control: u32,
    /// Masks for the control registers of fixed counters.
    pub(crate) fixed: [u32; MAX_FIXED],
    /// Masks for the filter registers.
    pub(crate) filters: [u32; MAX_FILTERS],
    /// Mask for the box control register.
    pub(crate) box_control: u32,
    /// Value of the masked box control register while the box is not frozen.
    pub(crate) unfrozen: u32,
}

impl ReadbackMask {
    /// Tries which bits read back as written. Filter registers are tried if the box `has_filters`
    /// that can be used. Nothing counts yet. The registers are left at 0, and the box unfrozen.
    pub(crate) fn probe<B: Bus>(bus: &B, kind: &BoxType, has_filters: bool) -> Self {
        let mut masks = Self::default();
        if let Some(at) = kind.counters.first() {
            let layout = &kind.control;
            let tried = layout.writable & !layout.enable;
            masks.control = probe_control(bus, at.control, tried, self_clearing(layout));
        }
        for (fixed, mask) in kind.fixed.iter().zip(&mut masks.fixed) {
            if let Some(at) = &fixed.control {
                let tried = at.writable & !at.enable;
                *mask = probe_control(bus, at.offset, tried, at.reset.unwrap_or(0));
            }
        }
        if has_filters {
            for (at, mask) in kind.filters.iter().zip(&mut masks.filters) {
                let write = |value| bus.write_filter(at.offset, value);
                *mask = reads_back(write, || bus.read_filter(at.offset), at.writable);
            }
        }
        if let Some(at) = &kind.box_control {
            let unfrozen = bus
                .write(at.offset, at.unfreeze)
                .and_then(|()| bus.read(at.offset));
            if let Ok(unfrozen) = unfrozen {
                masks.box_control = at.freeze | at.reset;
                masks.unfrozen = unfrozen & masks.box_control;
            }
        }
        masks
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

/// Returns the bits of a control register that clear themselves.
fn self_clearing(layout: &Control) -> u32 {
    layout.reset | layout.queue_reset.unwrap_or(0)
}

/// Returns the bits of a control register that read back as written. The `tried` bits are written
/// as 1 and as 0, without the `self_clearing` ones.
fn probe_control<B: Bus>(bus: &B, register: u16, tried: u32, self_clearing: u32) -> u32 {
    let write = |value| bus.write(register, value);
    reads_back(write, || bus.read(register), tried & !self_clearing) & !self_clearing
}

/// Returns the bits of a register that read back as written, once with the bits `ones` as 1 and
/// once with all bits as 0. Returns 0 if the register cannot be accessed.
fn reads_back(write: impl Fn(u32) -> Result, read: impl Fn() -> Result<u32>, ones: u32) -> u32 {
    let written_as = |value| write(value).and_then(|()| read());
    match (written_as(ones), written_as(0)) {
        (Ok(set), Ok(cleared)) => !(set ^ ones) & !cleared,
        _ => 0,
    }
}
