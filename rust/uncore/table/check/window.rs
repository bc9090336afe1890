// SPDX-License-Identifier: GPL-2.0

//! Checks that the driver may write the MSRs of a platform: each of them is in the window of each
//! processor.
//!
//! Made-up platforms have made-up processors, which have no window. So this is a check of its own.

use super::{
    filters::msr,
    rules::{
        stop_at,
        Fault,
        Location, //
    }, //
};
use crate::{
    linux::msr::window::{
        contains,
        intel, //
    },
    uncore::table::box_type::*, //
};

/// Stops the build if the driver may not write an MSR of a platform.
pub(crate) const fn check_window(of: &Platform) {
    stop_at(window(of));
}

/// The first MSR that the driver may not write, as a fault.
pub(crate) const fn window(of: &Platform) -> Option<Fault> {
    let cpus = of.cpus;
    first_below!(i < cpus.len() => on_model(of, intel(cpus[i].0, cpus[i].1)))
}

const fn on_model(of: &Platform, model: u32) -> Option<Fault> {
    let kinds = of.box_types;
    first!(
        Location::of_platform(of).must(
            !matches!(&of.global, Some(global) if !has_global(global, model)),
            "must have its global registers in the window of its processors",
        ),
        first_below!(k < kinds.len() => Location::of(kinds[k]).must(
            has_boxes(kinds[k], model),
            "must have the registers that are written in the window of its processors",
        )),
    )
}

const fn has_global(global: &GlobalMsrs, model: u32) -> bool {
    contains(model, global.control)
        && !matches!(&global.interrupt, Some(interrupt) if !contains(model, interrupt.status))
}

const fn has_boxes(of: &BoxType, model: u32) -> bool {
    match of.access {
        Access::Msr { bases, .. } => !any_below!(n < bases.len() =>
            !has_box(of, bases[n], model) || !has_filters(of, bases, n, model)),
        Access::Pci(_) | Access::Memory(_) => true,
    }
}

/// Returns `true` if the window has all registers that are written of the box from `base` on, but
/// for its filters.
const fn has_box(of: &BoxType, base: u32, model: u32) -> bool {
    let (counters, fixed) = (of.counters, of.fixed);
    has(base, of_box_control(of), model)
        && has(base, of_status(of), model)
        && !any_below!(i < counters.len() => !has(base, Some(counters[i].control), model)
            || !has(base, Some(counters[i].counter), model))
        && !any_below!(i < fixed.len() => match &fixed[i].control {
            Some(control) => !has(base, Some(control.offset), model)
                || !has(base, Some(fixed[i].counter), model),
            // A counter that always runs is only read.
            None => false,
        })
}

/// Returns `true` if the window has the filter registers of the `n`th box.
const fn has_filters(of: &BoxType, bases: &[u32], n: usize, model: u32) -> bool {
    let filters = of.filters;
    !any_below!(i < filters.len() => !contains(model, msr(&filters[i], bases, n)))
}

const fn of_box_control(of: &BoxType) -> Option<u16> {
    match &of.box_control {
        Some(control) => Some(control.offset),
        None => None,
    }
}

const fn of_status(of: &BoxType) -> Option<u16> {
    match &of.status {
        Some(status) => Some(status.offset),
        None => None,
    }
}

/// Returns `true` if the window has the register at this offset, or there is none.
const fn has(base: u32, offset: Option<u16>, model: u32) -> bool {
    match offset {
        Some(offset) => contains(model, base + offset as u32),
        None => true,
    }
}
