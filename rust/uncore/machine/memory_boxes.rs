// SPDX-License-Identifier: GPL-2.0

//! The boxes whose registers are in memory of a PCI function: mapping, adding and removing them.
//!
//! The function is not bound, so that its driver keeps it. A function on bus 0 belongs to the first
//! package.

use super::{
    package::Package,
    Machine, //
};
use crate::{
    linux::pci::{
        self,
        Address, //
    },
    uncore::{
        absence::MissingReason,
        counter_box::{
            bus::{
                FunctionRegisters,
                Registers, //
            },
            uncore_box::UncoreBox, //
        },
        table::box_type::{
            Access,
            Memory, //
        }, //
    }, //
};
use kernel::prelude::*;

/// The package of bus 0.
const FIRST_PACKAGE: u32 = 0;

impl Memory {
    /// Returns the address of the function.
    fn address(&self) -> Address {
        Address {
            domain: 0,
            bus: 0,
            device: self.device,
            function: self.function,
        }
    }

    /// Maps the memory.
    ///
    /// # Errors
    ///
    /// The reason why a package has no such memory.
    fn map(&self, package: u32) -> Result<pci::Memory, MissingReason> {
        if package != FIRST_PACKAGE {
            return Err(MissingReason::BeyondCount(0));
        }
        let mut functions = self.device_ids.iter().copied().flat_map(pci::functions);
        let function = functions
            .find(|function| function.address() == self.address())
            .ok_or(MissingReason::Unseen)?;
        pci::Memory::new(function, self.base, self.size).map_err(reason)
    }
}

/// Returns the reason for an error of [`pci::Memory::new`].
fn reason(error: Error) -> MissingReason {
    match error {
        error if error == ENXIO => MissingReason::NotDecoded,
        error if error == EINVAL => MissingReason::Misplaced,
        _ => MissingReason::Unreachable,
    }
}

impl Machine {
    /// Attaches the boxes of a package with registers in memory, if they answer.
    ///
    /// Runs in process context on a CPU of the package.
    pub(crate) fn attach_memory_boxes(&self, package: &Package) {
        for &kind in self.platform.box_types {
            let Access::Memory(memory) = kind.access else {
                continue;
            };
            for uncore_box in package.boxes_of(kind) {
                match memory.map(package.number) {
                    Ok(mapped) => attach(package, uncore_box, mapped),
                    Err(reason) => uncore_box.explain(reason),
                }
            }
        }
    }
}

/// Attaches a box if it answers; else the box has the reason.
fn attach(package: &Package, uncore_box: &UncoreBox, memory: pci::Memory) {
    match Registers::of_function(FunctionRegisters::Memory(memory)) {
        Ok(registers) => {
            let _ = uncore_box.attach(registers, package.overflow.counts());
        }
        Err(reason) => uncore_box.explain(reason),
    }
}
