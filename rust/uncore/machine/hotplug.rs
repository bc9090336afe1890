// SPDX-License-Identifier: GPL-2.0

//! Adds and removes boxes with MSRs or memory and moves events as CPUs come online and go offline.
//!
//! * The first CPU of a package that comes online is designated. The boxes of the package with
//!   MSRs or memory are added, then its overflow mode is chosen.
//! * When the designated CPU goes offline, another CPU of the package is designated. Perf moves the
//!   events there: each is deleted on the old CPU and added on the new one, and its times stand
//!   still between. It counts on meanwhile ([`batch`](crate::uncore::counter_box::counters::batch)).
//!   No counter interrupts, and nothing is frozen.
//! * A designated CPU that the user keeps for programs (`isolcpus=`, `nohz_full=`) is replaced in the
//!   same way as soon as a housekeeping CPU of the package is online.
//! * When the last CPU of a package goes offline, or the module is unloaded, these boxes are
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

    /// Returns the package whose designated CPU this is.
    fn package_of_designated(&self, cpu: Cpu) -> Option<&Package> {
        self.machine
            .package_of(cpu)
            .filter(|package| package.designated() == Some(cpu))
    }

    /// Begins to count on the first CPU of a package that is online.
    fn begin(&self, package: &Package, cpu: Cpu) {
        package.overflow.let_run(cpu);
        package.designate(Some(cpu));
        self.machine.attach_msr_boxes(package, cpu);
        self.machine.attach_memory_boxes(package);
        package.overflow.setup(cpu);
        let _ = self.owner.register_new(&self.machine, &self.errors);
    }

    /// Makes `heir` the designated CPU in place of `cpu`, or gives the package up.
    fn hand_over(&self, package: &Package, cpu: Cpu, heir: Option<Cpu>) {
        let obstacle = package.overflow.leave(cpu);
        package.designate(heir);
        match heir {
            Some(heir) => {
                self.owner.migrate_events(cpu, heir);
                package.overflow.enter(heir, obstacle);
            }
            None => {
                package.detach_boxes();
                package.overflow.restore(cpu);
            }
        }
    }
}

impl Hotplug for CpuHotplug {
    fn online(&self, cpu: Cpu) {
        let Some(package) = self.machine.package_of(cpu) else {
            return;
        };
        match package.designated() {
            None => self.begin(package, cpu),
            Some(isolated) if !isolated.is_housekeeping() && cpu.is_housekeeping() => {
                self.hand_over(package, isolated, Some(cpu));
            }
            Some(_) => {}
        }
    }

    fn offline(&self, cpu: Cpu) {
        if let Some(package) = self.package_of_designated(cpu) {
            self.hand_over(package, cpu, package.sibling_of(cpu));
        }
    }

    fn release(&self, cpu: Cpu) {
        if let Some(package) = self.package_of_designated(cpu) {
            self.hand_over(package, cpu, None);
        }
    }
}
