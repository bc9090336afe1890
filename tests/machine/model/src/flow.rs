// SPDX-License-Identifier: GPL-2.0

//! Turns time and the steps of the software into interrupts.

use crate::bits::low_half;
use crate::machine::Machine;
use crate::overflow::Raised;
use crate::package::Package;
use crate::register::Write;
use crate::step::Step;
use crate::{Cpu, Pmi};

impl Machine {
    /// Lets `uclk` cycles of the endless axis pass, in free-running mode.
    pub fn advance(&mut self, uclk: u64) {
        if !self.free_running {
            return;
        }
        for index in 0..self.packages.len() {
            let raised = self.packages[index].advance(uclk);
            self.passed(index, uclk, &raised);
        }
    }

    /// Lets a burst of `uclk` cycles pass.
    pub fn burst(&mut self, uclk: u64) {
        for index in 0..self.packages.len() {
            let raised = self.packages[index].burst(uclk);
            self.passed(index, uclk, &raised);
        }
    }

    /// Lets a burst of `uclk` cycles pass that stops in a package while it is
    /// frozen; the remaining cycles follow as soon as the package is unfrozen.
    pub fn burst_through(&mut self, uclk: u64) {
        for index in 0..self.packages.len() {
            self.packages[index].start_through(uclk);
            self.go_on(index);
        }
    }

    /// The uclk cycles that the slowest package still has to see of it.
    pub fn burst_left(&self) -> u64 {
        let left = self.packages.iter().map(Package::through_left);
        left.max().unwrap_or(0)
    }

    /// The uclk cycles of free-running traffic so far, and how many of them each
    /// package was frozen: `405 100 0`.
    pub(crate) fn clock(&self) -> String {
        let now = self.packages.first().map_or(0, |package| package.now);
        let frozen = self.packages.iter().map(Package::frozen_for);
        let words = std::iter::once(now).chain(frozen);
        words
            .map(|word| word.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// A processor has unmasked its interrupt entry for PMIs.
    pub fn unmasked(&mut self, cpu: Cpu) {
        self.step(cpu.package, Step::Unmask, Some(cpu.core));
    }

    /// The interrupts that became due since the last call.
    pub fn take_interrupts(&mut self) -> Vec<Pmi> {
        self.interrupts.take()
    }

    /// Applies the effects of the read of an MSR.
    pub(crate) fn after_read(&mut self, package: u8, msr: u32) {
        let register = self.packages[usize::from(package)].global.at(msr);
        if let Some(step) = register.and_then(Step::of_read) {
            self.step(package, step, None);
        }
    }

    /// Applies the effects of the write of an MSR; `status` was GLOBAL_STATUS
    /// before.
    pub(crate) fn after_write(&mut self, package: u8, msr: u32, value: u64, status: u64) {
        let index = usize::from(package);
        let status = (status, self.packages[index].global.status);
        let write = Write::whole(low_half(value));
        let global = &self.packages[index].global;
        let step = global
            .at(msr)
            .and_then(|at| Step::of_write(global, at, write, status));
        if let Some(step) = step {
            self.step(package, step, None);
        }
        self.go_on(index);
    }

    /// Lets the rest of a burst-through pass, unless the package is frozen.
    pub(crate) fn go_on(&mut self, index: usize) {
        let passed = self.packages[index].go_on();
        self.passed(index, passed.end, &passed.raised);
    }

    /// Handles a step of a package's software; `core` is the one that unmasks, if
    /// any.
    fn step(&mut self, package: u8, step: Step, core: Option<u8>) {
        self.interrupts.step(package, step, core);
        let Some(here) = self.packages.get_mut(usize::from(package)) else {
            return;
        };
        let raised = here.step(step, core);
        self.send(package, &raised);
    }

    /// Time has passed in a package.
    fn passed(&mut self, index: usize, uclk: u64, raised: &[Raised]) {
        let package = self.packages[index].number;
        self.interrupts.elapse(package, uclk);
        self.send(package, raised);
        self.note_complaints(package);
    }

    fn send(&mut self, package: u8, raised: &[Raised]) {
        let cores = self.topology().packages[usize::from(package)].cores;
        for raised in raised {
            self.interrupts.send(*raised, cores);
        }
    }
}
