// SPDX-License-Identifier: GPL-2.0

//! Adds and removes MSR boxes and moves events as CPUs come online and go offline.
//!
//! * The first CPU of a package that comes online is designated. The MSR boxes of the package are
//!   added, then its overflow mode is chosen.
//! * When the designated CPU goes offline, another CPU of the package is designated. Perf moves the
//!   events there: each is stopped on the old CPU and started on the new one, and its times stand
//!   still between. No counter interrupts meanwhile, and nothing is frozen.
//! * When the last CPU of a package goes offline, the MSR boxes are removed.

use super::{
    package::Package,
    Machine,
    PmuOwner, //
};
use crate::{
    linux::{
        cpuhp::Hotplug,
        topology::Cpu, //
    },
    uncore::error_work::ErrorWork, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The handler of CPU hotplug; runs on the CPU that comes or goes.
pub(crate) struct CpuHotplug {
    machine: Arc<Machine>,
    owner: Arc<dyn PmuOwner>,
    errors: Arc<ErrorWork>,
}

impl CpuHotplug {
    /// Makes the handler of a machine.
    pub(crate) fn new(
        machine: &Arc<Machine>,
        owner: &Arc<dyn PmuOwner>,
        errors: &Arc<ErrorWork>,
    ) -> Self {
        Self {
            machine: machine.clone(),
            owner: owner.clone(),
            errors: errors.clone(),
        }
    }

    fn package(&self, cpu: Cpu) -> Option<&Package> {
        self.machine.package(cpu.logical_package()?)
    }
}

impl Hotplug for CpuHotplug {
    fn online(&self, cpu: Cpu) -> Result {
        let Some(package) = self.package(cpu) else {
            return Ok(());
        };
        if package.designated().is_some() {
            return Ok(());
        }
        package.overflow.unfreeze_if_still(cpu);
        package.designate(Some(cpu));
        self.machine.attach_msr_boxes(package, cpu);
        package.overflow.setup(cpu);
        let _ = self.owner.register_new(&self.machine, &self.errors);
        Ok(())
    }

    fn offline(&self, cpu: Cpu) -> Result {
        let Some(package) = self.package(cpu) else {
            return Ok(());
        };
        if package.designated() != Some(cpu) {
            return Ok(());
        }
        let target = package.sibling_of(cpu);
        let obstacle = package.overflow.leave(cpu);
        package.designate(target);
        match target {
            Some(target) => {
                self.owner.migrate_events(cpu, target);
                package.overflow.enter(target, obstacle);
            }
            None => self.machine.detach_msr_boxes(package),
        }
        Ok(())
    }
}
