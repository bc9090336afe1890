// SPDX-License-Identifier: GPL-2.0

//! Faults a test can ask for, and the way of a PMI to the cores.
//!
//! | fault | what the guest sees | command |
//! |---|---|---|
//! | hidden function | all ones from its configuration space | `hide BUS:DEV.FN` |
//! | failing MSR | a general protection fault | `fail-msr PKG MSR` |
//! | lost PMI | no interrupt | `pmi drop` |
//! | late PMI | the interrupt after N more uclk cycles | `pmi delay N` |
//! | double PMI | the interrupt twice | `pmi repeat` |
//!
//! Registers changed behind the software's back are plain accesses (`poke-msr`,
//! `poke-config`, `preload`).

use crate::overflow::Raised;
use crate::{Function, Pmi};

/// What happens to PMIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PmiMode {
    /// They arrive at once.
    #[default]
    Normal,
    /// They are lost.
    Drop,
    /// They arrive after this many uclk cycles, in bursts or free-running time.
    Delay(u64),
    /// They arrive twice.
    Repeat,
}

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

/// PMIs on their way.
#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    pub(crate) mode: PmiMode,
    /// With the uclk cycles each still has to wait.
    waiting: Vec<(Pmi, u64)>,
}

impl Interrupts {
    /// Time passes for the PMIs that are waiting.
    pub(crate) fn elapse(&mut self, uclk: u64) {
        for (_, wait) in &mut self.waiting {
            *wait = wait.saturating_sub(uclk);
        }
    }

    /// Takes a new PMI; `end` is the cycle up to which time has passed on the
    /// axis on which it was raised.
    pub(crate) fn send(&mut self, raised: Raised, end: u64) {
        let Raised { pmi, at } = raised;
        match self.mode {
            PmiMode::Normal => self.waiting.push((pmi, 0)),
            PmiMode::Drop => {}
            PmiMode::Delay(uclk) => {
                let wait = uclk.saturating_sub(end.saturating_sub(at));
                self.waiting.push((pmi, wait));
            }
            PmiMode::Repeat => self.waiting.extend([(pmi, 0), (pmi, 0)]),
        }
    }

    /// The PMIs that have arrived.
    pub(crate) fn take(&mut self) -> Vec<Pmi> {
        let due = self.waiting.iter().filter(|(_, wait)| *wait == 0);
        let due = due.map(|(pmi, _)| *pmi).collect();
        self.waiting.retain(|(_, wait)| *wait > 0);
        due
    }
}
