// SPDX-License-Identifier: GPL-2.0

//! Sleep, hibernation and shutdown of the computer.
//!
//! * Suspend to RAM and hibernation take all CPUs but one offline, see [`hotplug`](super::hotplug):
//!   perf ends the events of packages that have no CPU left. The counters of the last CPU's package
//!   are read before the processor loses its registers, and programmed again afterwards. Perf's clock
//!   stands still meanwhile, too. All other registers are reset once interrupts are on again.
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
        counter_box::uncore_box::UncoreBox,
        machine::package::Package, //
    }, //
};
use kernel::sync::Arc;

/// The handler of sleep and shutdown.
pub(crate) struct PowerHandler {
    machine: Arc<Machine>,
    /// Time that the computer had slept when the counters were last read or programmed for that.
    slept_ns: AtomicU64,
}

/// Step of a box around a sleep: a function of its counters.
#[derive(Clone, Copy)]
enum Step {
    Read,
    Verify,
    Resume,
    /// After a sleep of this number of nanoseconds.
    Wake(u64),
    Tidy,
}

impl Step {
    /// Takes the step with a box. Returns whether it must be taken once more.
    fn take(self, uncore_box: &UncoreBox) -> bool {
        uncore_box.with(|counters, bus| {
            match self {
                Step::Read => counters.read_all(bus),
                Step::Verify => counters.verify_all(bus),
                Step::Resume => counters.resume(bus),
                Step::Wake(slept_ns) => counters.wake(bus, slept_ns),
                Step::Tidy => return counters.tidy(bus),
            }
            false
        })
    }
}

impl PowerHandler {
    /// Makes the handler of a machine.
    pub(crate) fn new(machine: &Arc<Machine>) -> Self {
        Self {
            machine: machine.clone(),
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
            step.take(uncore_box);
        }
    }

    /// Takes a step with all boxes of the packages that have a CPU, one after the other.
    fn each_box_there(&self, step: Step) {
        for package in &self.machine.packages {
            if let Some(cpu) = package.designated() {
                for uncore_box in &package.boxes {
                    let take = |_: &IrqsOff| step.take(uncore_box);
                    while smp::on_cpu(cpu, take) == Ok(true) {}
                }
            }
        }
    }
}

impl Power for PowerHandler {
    fn prepare(&self) {
        self.note_sleep();
        self.each_box_there(Step::Read);
        self.each_box_there(Step::Verify);
    }

    fn suspend(&self, here: &IrqsOff) {
        if let Some(package) = self.machine.package_of(here.cpu()) {
            package.overflow.suspend(here);
            self.each_box(package, Step::Read);
            self.each_box(package, Step::Verify);
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
        self.each_box_there(Step::Tidy);
    }

    fn shutdown(&self) {
        for package in &self.machine.packages {
            if let Some(cpu) = package.designated() {
                package.overflow.leave(cpu);
            }
        }
    }
}
