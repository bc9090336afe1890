// SPDX-License-Identifier: GPL-2.0

//! Adds and removes MSR boxes and moves events as CPUs come online and go offline.
//!
//! * The first CPU of a package that comes online is designated. The MSR boxes of the package are
//!   added, then its overflow mode is chosen.
//! * When the designated CPU goes offline, another CPU of the package is designated. Perf moves the
//!   events there: each is stopped on the old CPU and started on the new one, and its times stand
//!   still between. No counter interrupts meanwhile, and nothing is frozen.
//! * When the last CPU of a package goes offline, or the module is unloaded, the MSR boxes are
//!   removed: interrupts are off and the registers are reset.

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
use kernel::sync::Arc;

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

    /// Hands a package over to the CPU that `heir` chooses, if `cpu` is its designated CPU.
    fn hand_over(&self, cpu: Cpu, heir: impl FnOnce(&Package) -> Option<Cpu>) {
        let Some(package) = self.package(cpu) else {
            return;
        };
        if package.designated() != Some(cpu) {
            return;
        }
        let heir = heir(package);
        let obstacle = package.overflow.leave(cpu);
        package.designate(heir);
        match heir {
            Some(heir) => {
                self.owner.migrate_events(cpu, heir);
                package.overflow.enter(heir, obstacle);
            }
            None => self.machine.detach_msr_boxes(package),
        }
    }
}

impl Hotplug for CpuHotplug {
    fn online(&self, cpu: Cpu) {
        let Some(package) = self.package(cpu) else {
            return;
        };
        if package.designated().is_some() {
            return;
        }
        package.overflow.unfreeze_if_still(cpu);
        package.designate(Some(cpu));
        self.machine.attach_msr_boxes(package, cpu);
        package.overflow.setup(cpu);
        let _ = self.owner.register_new(&self.machine, &self.errors);
    }

    fn offline(&self, cpu: Cpu) {
        self.hand_over(cpu, |package| package.sibling_of(cpu));
    }

    fn release(&self, cpu: Cpu) {
        self.hand_over(cpu, |_| None);
    }
}
