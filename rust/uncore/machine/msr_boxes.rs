// SPDX-License-Identifier: GPL-2.0

//! The boxes of a package whose registers are MSRs: adding and removing them.

use super::{
    package::Package,
    presence::{
        find,
        Hardware, //
    },
    Machine, //
};
use crate::{
    linux::topology::Cpu,
    uncore::{
        counter_box::{
            bus::Registers,
            uncore_box::UncoreBox, //
        },
        request::name::BoxName,
        table::box_type::*, //
    }, //
};

impl Machine {
    /// Looks for the MSR boxes of a package and attaches those that answer.
    ///
    /// Runs in process context on a CPU of the package.
    pub(crate) fn attach_msr_boxes(&self, package: &Package, cpu: Cpu) {
        for &kind in self.platform.box_types {
            let Access::Msr { bases, present } = kind.access else {
                continue;
            };
            let hardware = Hardware {
                buses: &self.buses,
                package: package.number,
                cpu,
            };
            let boxes = find(package.number, kind, present, &hardware);
            for (uncore_box, &base) in package.boxes_of(kind).zip(bases) {
                match boxes.absence(uncore_box.name.index) {
                    Some(reason) => uncore_box.explain(reason),
                    None => attach(package, uncore_box, base),
                }
            }
        }
    }
}

/// Attaches an MSR box if it answers; else records the reason.
fn attach(package: &Package, uncore_box: &UncoreBox, base: u32) {
    let BoxName { kind, index } = uncore_box.name;
    let registers = Registers::of_msrs(kind, base, index);
    let _ = uncore_box.attach(registers, package.overflow.counts());
}
