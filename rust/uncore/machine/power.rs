// SPDX-License-Identifier: GPL-2.0

//! Sleep, hibernation and shutdown of the computer.
//!
//! * Suspend to RAM and hibernation take all CPUs but one offline, see [`hotplug`](super::hotplug):
//!   perf ends the events of packages that have no CPU left. The counters of the last CPU's package
//!   are read before the processor loses its registers. All boxes are reset and programmed again
//!   afterwards. Perf's clock stands still meanwhile, too.
//! * In suspend to idle the registers stay, but no timer reads the counters. They are read before.
//!   Those that may have wrapped twice go on from there.
//! * Before a shutdown, or the start of another kernel, interrupts stop. Perf removes all events
//!   soon after that.

use super::Machine;
use crate::{
    linux::{
        atomic::{
            AtomicU64,
            Ordering, //
        },
        clock,
        context::IrqsOff,
        power::Power,
        smp, //
    },
    uncore::{
        counter_box::{
            bus::Access,
            counters::BoxCounters, //
        },
        error_work::ErrorWork,
        machine::package::Package, //
    }, //
};
use kernel::sync::Arc;

/// The handler of sleep and shutdown.
pub(crate) struct PowerHandler {
    machine: Arc<Machine>,
    errors: Arc<ErrorWork>,
    /// Time that the computer had slept when the counters were last read or programmed for that.
    slept_ns: AtomicU64,
}

/// Step of a box around a sleep.
#[derive(Clone, Copy)]
enum Step {
    /// [`BoxCounters::look`].
    Suspend,
    /// [`BoxCounters::resume`].
    Resume,
    /// [`BoxCounters::wake`], after a sleep of so many nanoseconds.
    Wake(u64),
}

impl Step {
    /// Takes the step with the counters of a box.
    fn take(self, counters: &mut BoxCounters, bus: &Access<'_>) {
        match self {
            Step::Suspend => counters.look(bus),
            Step::Resume => counters.resume(bus),
            Step::Wake(slept_ns) => counters.wake(bus, slept_ns),
        }
    }
}

impl PowerHandler {
    /// Makes the handler of a machine.
    pub(crate) fn new(machine: &Arc<Machine>, errors: &Arc<ErrorWork>) -> Self {
        Self {
            machine: machine.clone(),
            errors: errors.clone(),
            slept_ns: AtomicU64::new(0),
        }
    }

    /// Notes how long the computer has slept, and returns how much of that is new.
    fn note_sleep(&self) -> u64 {
        let now = clock::suspended_ns();
        now.saturating_sub(self.slept_ns.swap(now, Ordering::Relaxed))
    }

    /// Takes a step with all boxes of a package. On a CPU of the package, or for boxes in
    /// configuration space.
    fn each_box(&self, package: &Package, step: Step) {
        for uncore_box in &package.boxes {
            let used = uncore_box.with(|counters, bus| step.take(counters, bus));
            if used.needs_handling {
                self.errors.schedule();
            }
        }
    }

    /// Takes a step with all boxes of the packages that have a CPU.
    fn each_box_there(&self, step: Step) {
        for package in &self.machine.packages {
            if let Some(cpu) = package.designated() {
                let _ = smp::on_cpu(cpu, |_| self.each_box(package, step));
            }
        }
    }
}

impl Power for PowerHandler {
    fn prepare(&self) {
        self.note_sleep();
        self.each_box_there(Step::Suspend);
    }

    fn suspend(&self, here: &IrqsOff) {
        if let Some(package) = self.machine.package_of(here.cpu()) {
            package.overflow.suspend(here);
            self.each_box(package, Step::Suspend);
        }
    }

    fn resume(&self, here: &IrqsOff) {
        self.note_sleep();
        for package in &self.machine.packages {
            // MSR boxes of packages that have no CPU are absent.
            self.each_box(package, Step::Resume);
        }
        if let Some(package) = self.machine.package_of(here.cpu()) {
            package.overflow.wake(here);
        }
    }

    fn wake(&self) {
        let slept_ns = self.note_sleep();
        self.each_box_there(Step::Wake(slept_ns));
    }

    fn shutdown(&self) {
        for package in &self.machine.packages {
            if let Some(cpu) = package.designated() {
                package.overflow.leave(cpu);
            }
        }
    }
}
