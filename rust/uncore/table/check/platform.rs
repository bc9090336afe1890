// SPDX-License-Identifier: GPL-2.0

//! Checks of the box types of a platform against each other: names, PCI device IDs, bits of the
//! global status.

use super::{
    overflow::{
        all_bits,
        can_interrupt, //
    },
    registers::function,
    rules::{
        mask,
        same_text,
        stop_at,
        within,
        Fault,
        Location, //
    }, //
};
use crate::uncore::table::box_type::*;

/// Stops the build if two box types of a platform collide.
pub(crate) const fn check_platform(of: &Platform) {
    stop_at(platform(of));
}

/// The first fault of a platform whose box types have none.
pub(crate) const fn platform(of: &Platform) -> Option<Fault> {
    let kinds = of.box_types;
    first!(
        Location::of_platform(of).must(
            !matches!(&of.global, Some(global) if !is_control(global)),
            "must have bits of its own, in the global control, to run, to wake and to select cores",
        ),
        box_types(of, kinds),
    )
}

const fn box_types(of: &Platform, kinds: &[&BoxType]) -> Option<Fault> {
    first_below!(i < kinds.len() => first!(
        Location::of(kinds[i]).must(
            !any_below!(k < i => same_text(kinds[k].name, kinds[i].name)),
            "must have a name that is no other box type's",
        ),
        Location::of(kinds[i]).must(
            !matches!(&of.discovery, Some(at) if has_id(kinds[i], at.device_id))
                && !any_below!(k < i => share_ids(kinds[k], kinds[i])),
            "must have PCI device IDs that are no other box type's, and none of discovery",
        ),
        Location::of(kinds[i]).must(
            !any_below!(k < i => all_bits(kinds[k]) & all_bits(kinds[i]) != 0),
            "must have bits of the global status that are no other box type's",
        ),
        Location::of(kinds[i]).must(
            of.discovery.is_some() || !needs_functions(kinds[i]),
            "must have a PCI function that maps buses beside it, as it needs PCI functions",
        ),
        Location::of(kinds[i]).must(
            !kinds[i].needs_clock || !has_level(of),
            "must be present without its clock, as the clock stands still until an event starts",
        ),
        Location::of(kinds[i]).must(
            !matches!(kinds[i].lost_with, Some(global) if !is_lost_with(kinds[i], of, global)),
            "must be MSRs of counters and their controls, lost with the level, if a sleep clears them",
        ),
        Location::of(kinds[i]).must(
            has_interrupt(of) || !can_interrupt(kinds[i]),
            "must have an interrupt of the platform beside it, as its counters can interrupt",
        ),
    ))
}

const fn has_interrupt(of: &Platform) -> bool {
    matches!(&of.global, Some(global) if global.interrupt.is_some())
}

/// Returns `true` if a level lets the counters run.
const fn has_level(of: &Platform) -> bool {
    matches!(&of.global, Some(global) if matches!(global.run, Run::Level(_)))
}

/// Returns `true` if the driver notices the loss of the box's registers by this global control, and
/// restores all of them.
const fn is_lost_with(kind: &BoxType, of: &Platform, global: &GlobalMsrs) -> bool {
    let is_own = matches!(&of.global, Some(own) if own.control == global.control);
    let has_more = kind.box_control.is_some() || !kind.filters.is_empty() || kind.misread.is_some();
    is_own && has_level(of) && matches!(kind.access, Access::Msr { .. }) && !has_more
}

/// Returns `true` if the bits of the global control are apart.
const fn is_control(global: &GlobalMsrs) -> bool {
    let (Run::Command(run) | Run::Level(run)) = global.run;
    let runs = run != 0 && (run.is_power_of_two() || matches!(global.run, Run::Level(_)));
    let Some(interrupt) = &global.interrupt else {
        return runs;
    };
    let select = mask(&[interrupt.core_select]);
    runs && interrupt.wake.is_power_of_two()
        && run & interrupt.wake == 0
        && select != 0
        && within(select, !(run | interrupt.wake) as u64)
}

/// Returns `true` if the boxes are PCI functions, or PCI functions tell which of them a package has.
const fn needs_functions(of: &BoxType) -> bool {
    match &of.access {
        Access::Msr { present, .. } => any_below!(i < present.len() =>
            matches!(present[i], Presence::Functions { .. } | Presence::Fuses { .. })),
        Access::Pci(_) => true,
        Access::Memory(_) => false,
    }
}

const fn share_ids(a: &BoxType, b: &BoxType) -> bool {
    let functions = functions(b);
    any_below!(i < 2 * functions.len() =>
        matches!(function(functions, i), Some(function) if has_id(a, function.device_id)))
}

/// Returns `true` if a function of the box type, with counters or with filters, has the ID.
const fn has_id(of: &BoxType, id: u16) -> bool {
    let functions = functions(of);
    any_below!(i < 2 * functions.len() =>
        matches!(function(functions, i), Some(function) if function.device_id == id))
}

const fn functions(of: &BoxType) -> &[PciFunction] {
    match &of.access {
        Access::Msr { .. } | Access::Memory(_) => &[],
        Access::Pci(functions) => functions,
    }
}
