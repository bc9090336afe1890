// SPDX-License-Identifier: GPL-2.0

//! Which bits of a box's registers keep what is written, so that a change can be told.
//!
//! The manual says which bits can be read back, and is wrong or silent about some. An event must
//! not end because of a bit that never reads as written: it is tried out when the box comes, with
//! nothing enabled, and what does not keep a 1 and a 0 is not compared.
//!
//! The freeze bit of the box control register is write-only by the manual, and is compared where
//! it reads as written all the same. Where it does not, a box that somebody freezes cannot be told
//! from one that has nothing to count.

use super::{
    super::{
        box_type::BoxType,
        bus::Bus,
        group::Place, //
    },
    filters::{
        Reach,
        MAX_FILTERS, //
    },
    site::MAX_FIXED,
    slot::Slot, //
};
use kernel::prelude::*;

/// The bits that are compared, by register. None before they are tried out.
#[derive(Default)]
pub(super) struct Kept {
    /// Of the control registers of general counters.
    pub(super) control: u32,
    /// Of those of fixed counters.
    pub(super) fixed: [u32; MAX_FIXED],
    /// Of the filter registers.
    pub(super) filters: [u32; MAX_FILTERS],
    /// Of the box control register.
    pub(super) box_control: u32,
    /// What they are there while the box runs.
    pub(super) released: u32,
}

impl Kept {
    /// Tries it out. Nothing counts yet; registers are left at 0, the box released.
    pub(super) fn find<B: Bus>(bus: &B, kind: &BoxType, reach: Reach) -> Self {
        let mut kept = Self::default();
        if let Some(at) = kind.counters.first() {
            let layout = &kind.control;
            let acts = layout.reset | layout.queue_reset.unwrap_or(0);
            let ones = layout.writable & !acts & !layout.enable;
            let write = |value| bus.write(at.control, value);
            kept.control = keeps(write, || bus.read(at.control), ones) & !acts;
        }
        for (fixed, bits) in kind.fixed.iter().zip(&mut kept.fixed) {
            if let Some(at) = &fixed.control {
                let acts = at.reset.unwrap_or(0);
                let ones = at.writable & !acts & !at.enable;
                let write = |value| bus.write(at.offset, value);
                *bits = keeps(write, || bus.read(at.offset), ones) & !acts;
            }
        }
        for (at, bits) in kind.filters.iter().zip(&mut kept.filters) {
            if reach != Reach::Missing {
                let write = |value| bus.write_filter(at.offset, value);
                *bits = keeps(write, || bus.read_filter(at.offset), at.writable);
            }
        }
        if let Some(at) = &kind.box_control {
            let released = bus.write(at.offset, at.unfreeze);
            if let Ok(released) = released.and_then(|()| bus.read(at.offset)) {
                kept.box_control = at.freeze | at.reset | at.unfreeze;
                kept.released = released & kept.box_control;
            }
        }
        kept
    }

    /// Those of the control register of an event's counter.
    pub(super) fn of_control(&self, slot: &Slot) -> u32 {
        match slot.place {
            Place::General(_) => self.control,
            Place::Fixed(index) => {
                let bits = self.fixed.get(usize::from(index));
                bits.copied().unwrap_or(0)
            }
        }
    }

    /// Notes that the filter registers have come, and keep what may be written to them.
    pub(super) fn gain_filters(&mut self, kind: &BoxType) {
        for (at, bits) in kind.filters.iter().zip(&mut self.filters) {
            *bits = at.writable;
        }
    }
}

/// The bits of a register that are as written, once with these as 1 and once with all as 0. None
/// if it cannot be accessed.
fn keeps(write: impl Fn(u32) -> Result, read: impl Fn() -> Result<u32>, ones: u32) -> u32 {
    let after = |value| write(value).and_then(|()| read());
    let (set, cleared) = (after(ones), after(0));
    match (set, cleared) {
        (Ok(set), Ok(cleared)) => !(set ^ ones) & !cleared,
        _ => 0,
    }
}
