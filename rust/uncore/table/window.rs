// SPDX-License-Identifier: GPL-2.0

//! Checks, when the module is compiled, that the driver may write the MSRs of a platform: those that
//! it writes are in the window of each processor. Tests on the host check all else of the tables.

use super::box_type::*;
use crate::linux::msr::window::{
    contains,
    intel, //
};

/// `true` if `$holds` for each element of a slice.
macro_rules! all {
    ($item:ident in $slice:expr => $holds:expr) => {{
        let mut rest = $slice;
        let mut all = true;
        while let [$item, others @ ..] = rest {
            all = all && $holds;
            rest = others;
        }
        all
    }};
}

/// Stops the build if the driver may not write an MSR of a platform.
pub(crate) const fn check_window(of: &Platform) {
    assert!(
        fits(of),
        "must have what it writes in the window of its processors, and increments of its boxes"
    );
}

/// Returns whether the driver may write the MSRs of a platform on each of its processors.
pub(crate) const fn fits(of: &Platform) -> bool {
    all!(cpu in of.cpus => has_all(of, intel(cpu.0, cpu.1)))
}

const fn has_all(of: &Platform, model: u32) -> bool {
    let has_global = match &of.global {
        Some(global) => contains(model, global.control) && has_status(global, model),
        None => true,
    };
    has_global && all!(kind in of.box_types => has_boxes(kind, model) && has_increments(kind))
}

/// Returns whether no event of a box type adds more in a clock than its counters can.
const fn has_increments(of: &BoxType) -> bool {
    all!(event in of.events => event.max_increment <= of.max_increment)
}

const fn has_status(global: &GlobalMsrs, model: u32) -> bool {
    !matches!(&global.interrupt, Some(interrupt) if !contains(model, interrupt.status))
}

const fn has_boxes(of: &BoxType, model: u32) -> bool {
    match of.access {
        Access::Msr { bases, .. } => all!(base in bases => has_box(of, *base, model)),
        Access::Pci(_) | Access::Memory(_) => true,
    }
}

/// Returns whether the window has all registers that are written of the box from `base` on.
const fn has_box(of: &BoxType, base: u32, model: u32) -> bool {
    !matches!(&of.box_control, Some(control) if !has(base, control.offset, model))
        && !matches!(&of.status, Some(status) if !has(base, status.offset, model))
        && all!(at in of.counters => has(base, at.control, model) && has(base, at.counter, model))
        && all!(fixed in of.fixed => has_fixed(fixed, base, model))
        && all!(filter in of.filters => match filter.place {
            Place::Offset(offset) => has(base, offset, model),
            Place::Msrs(msrs) => all!(msr in msrs => contains(model, *msr)),
        })
}

/// Returns whether the window has a fixed counter. One that always runs is only read.
const fn has_fixed(fixed: &Fixed, base: u32, model: u32) -> bool {
    match &fixed.control {
        Some(control) => has(base, control.offset, model) && has(base, fixed.counter, model),
        None => true,
    }
}

const fn has(base: u32, offset: u16, model: u32) -> bool {
    // CAST: A `From` is not const.
    contains(model, base.wrapping_add(offset as u32))
}
