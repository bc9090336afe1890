// SPDX-License-Identifier: GPL-2.0

//! CPUs that come and go.
//!
//! The first CPU of a package to come is designated and brings its MSR boxes with it; whether
//! overflows interrupt is found out before. When the designated one goes, another of the package
//! takes over, with the interrupts, and perf moves the events there: each is stopped on the old one
//! and started on the new one, while the package stands still. When the last one goes its boxes are
//! gone until one comes back.

use super::{
    machine::Machine,
    pmus::{
        Alarm,
        Pmus, //
    },
};
use crate::linux::{
    cpuhp::Hotplug,
    topology::Cpu, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// What is done when a CPU comes or goes; runs on that CPU.
pub(super) struct Watch {
    machine: Arc<Machine>,
    pmus: Arc<Pmus>,
    alarm: Arc<Alarm>,
}

impl Watch {
    /// Watches over the machine.
    pub(super) fn new(machine: &Arc<Machine>, pmus: &Arc<Pmus>, alarm: &Arc<Alarm>) -> Self {
        Self {
            machine: machine.clone(),
            pmus: pmus.clone(),
            alarm: alarm.clone(),
        }
    }
}

impl Hotplug for Watch {
    fn online(&self, cpu: Cpu) -> Result {
        let number = cpu.logical_package();
        let Some(package) = number.and_then(|number| self.machine.package(number)) else {
            return Ok(());
        };
        if package.designated().is_some() {
            return Ok(());
        }
        self.machine.prepare(package, cpu);
        package.designate(Some(cpu));
        self.machine.bring_up(package, cpu);
        let _ = self.pmus.update(&self.machine, &self.alarm);
        Ok(())
    }

    fn offline(&self, cpu: Cpu) -> Result {
        let number = cpu.logical_package();
        let Some(package) = number.and_then(|number| self.machine.package(number)) else {
            return Ok(());
        };
        if package.designated() != Some(cpu) {
            return Ok(());
        }
        let heir = package.another(cpu);
        package.designate(heir);
        package.overflow.move_to(heir);
        match heir {
            Some(heir) => {
                self.pmus.migrate(cpu, heir);
                package.overflow.resume(heir);
            }
            None => self.machine.take_down(package),
        }
        Ok(())
    }
}
