// SPDX-License-Identifier: GPL-2.0

//! Accesses that a test makes fail.
//!
//! | fault | effect in the guest | command |
//! |---|---|---|
//! | hidden function | all ones from its configuration space | `hide BUS:DEV.FN` |
//! | failing MSR | a general protection fault | `fail-msr PKG MSR` |
//!
//! Registers changed behind the software's back are plain accesses (`poke-msr`,
//! `poke-config`, `preload`); faults of interrupts are in `interrupts.rs`, registers
//! and counters that do the wrong thing in `defect.rs`.

use crate::Function;

/// The faults in force.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    hidden: Vec<Function>,
    failing: Vec<(u8, u32)>,
}

impl Faults {
    pub(crate) fn hide(&mut self, function: Function) {
        self.show(function);
        self.hidden.push(function);
    }

    pub(crate) fn show(&mut self, function: Function) {
        self.hidden.retain(|hidden| *hidden != function);
    }

    pub(crate) fn is_hidden(&self, function: Function) -> bool {
        self.hidden.contains(&function)
    }

    pub(crate) fn fail(&mut self, package: u8, msr: u32) {
        self.heal(package, msr);
        self.failing.push((package, msr));
    }

    pub(crate) fn heal(&mut self, package: u8, msr: u32) {
        self.failing.retain(|failing| *failing != (package, msr));
    }

    pub(crate) fn fails(&self, package: u8, msr: u32) -> bool {
        self.failing.contains(&(package, msr))
    }
}
