// SPDX-License-Identifier: GPL-2.0

//! The rules of a platform: its global registers, and its box types beside each other.

use super::{are_distinct, are_ordered, boxes::functions, joined, Faults};
use crate::uncore::table::{box_type::*, field::mask_of};

pub(super) fn check(of: &Platform, faults: &mut Faults) {
    let kinds = of.box_types;
    let is_apart = of.global.as_ref().is_none_or(is_control);
    faults.whole(is_apart, "have bits of its own in the global control");
    let names = kinds.iter().map(|kind| kind.name);
    let holds = are_distinct(names);
    faults.whole(holds, "have a name of its own for each box type");
    let discovery = of.discovery.iter().map(|at| at.device_id);
    let of_boxes = kinds.iter().flat_map(|kind| match kind.access {
        Access::Pci(own) => functions(own),
        Access::Msr { .. } | Access::Memory(_) => Vec::new(),
    });
    let ids = discovery.chain(of_boxes.map(|at| at.device_id));
    let holds = are_distinct(ids);
    faults.whole(holds, "have a PCI device ID of its own for each function");
    // Boxes of one type may share a bit.
    let status = |kind: &&BoxType| kind.global_status.iter().fold(0, |all, bits| all | bits);
    let apart = joined(kinds.iter().map(status)).0;
    faults.whole(apart, "have bits of the global status for one type each");
    for kind in kinds {
        beside(of, kind, faults);
    }
}

/// Returns whether the bits of the global control are apart.
fn is_control(global: &GlobalMsrs) -> bool {
    let (run, runs) = match global.run {
        Run::Command(bits) => (bits, bits.is_power_of_two()),
        Run::Level(bits) => (bits, bits != 0),
    };
    let apart = |interrupt: &Interrupt| {
        let select = interrupt.core_select;
        let parts = [run.into(), interrupt.wake.into(), mask_of(&[select])];
        interrupt.wake.is_power_of_two()
            && are_ordered(&[select])
            && select.high < 32
            && joined(parts).0
    };
    runs && global.interrupt.as_ref().is_none_or(apart)
}

/// Checks what a box type needs of the platform.
fn beside(of: &Platform, kind: &BoxType, faults: &mut Faults) {
    let mut must = |holds, what| faults.must(kind.name, holds, what);
    let level = of
        .global
        .as_ref()
        .filter(|global| matches!(global.run, Run::Level(_)));
    let needs_functions = match kind.access {
        Access::Msr { present, .. } => present.iter().any(|source| {
            matches!(
                source,
                Presence::Functions { .. }
                    | Presence::EqualFunctions { .. }
                    | Presence::Fuses { .. }
                    | Presence::Mask { .. }
            )
        }),
        Access::Pci(_) => true,
        Access::Memory(_) => false,
    };
    let holds = of.discovery.is_some() || !needs_functions;
    must(holds, "have a PCI function that maps buses beside it");
    let holds = !kind.needs_clock || level.is_none();
    must(holds, "be present without its clock, where a level runs it");
    // The driver restores the control registers and the counters only.
    let holds = kind.lost_with.is_none_or(|lost| {
        level.is_some_and(|global| global.control == lost.control)
            && matches!(kind.access, Access::Msr { .. })
            && kind.box_control.is_none()
            && kind.filters.is_empty()
            && kind.misread.is_none()
    });
    must(holds, "be MSRs without filters that the level tells of");
    let told = of.interrupt().is_some() || !kind.can_interrupt();
    must(told, "have an interrupt of the platform beside it");
}
