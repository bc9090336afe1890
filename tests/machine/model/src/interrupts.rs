// SPDX-License-Identifier: GPL-2.0

//! The way of a PMI from the UBox to the cores, and the faults that tests plant
//! there.
//!
//! | fault | effect in the guest | command |
//! |---|---|---|
//! | lost PMI | no interrupt, or none of so many | `pmi drop`, `pmi drop 1/N` |
//! | late PMI | the interrupt after N more uclk cycles, or at a [`Step`] | `pmi delay WHEN` |
//! | double PMI | the interrupt, and again at once or at WHEN | `pmi repeat [WHEN]` |
//! | wrong core | the interrupt on the next core, or on all | `pmi to next`, `pmi to all` |
//!
//! The core's APIC, which delivers the PMI, is not part of this model; [`Processors`] has the
//! readings of what it does (U-45, U-46).

use crate::machine::Machine;
use crate::overflow::Raised;
use crate::readings::Reading;
use crate::share::Share;
use crate::step::{Step, When};
use crate::{Cpu, Pmi, Reach};

/// The treatment of PMIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fate {
    /// They arrive at once.
    #[default]
    Normal,
    /// This share of them is lost.
    Drop(Share),
    /// They arrive later.
    Delay(When),
    /// They arrive at once and once more.
    Repeat(When),
}

/// The cores that get a PMI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Recipients {
    /// Those of pmi_core_sel.
    #[default]
    Selected,
    /// The core after each of them, core 0 after the last.
    Next,
    /// All of the package.
    All,
}

impl Recipients {
    /// The mask of cores in place of `cores`, in a package of `count` cores.
    fn instead_of(self, cores: u32, count: u8) -> u32 {
        let all = (1 << count) - 1;
        match self {
            Self::Selected => cores,
            Self::Next => (cores << 1 | cores >> (count - 1)) & all,
            Self::All => all,
        }
    }
}

/// One of the `pmi` commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PmiRule {
    /// All PMIs as the hardware sends them.
    Normal,
    Fate(Fate),
    To(Recipients),
}

/// A PMI on its way.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    pmi: Pmi,
    when: When,
}

impl Waiting {
    fn is_due(&self) -> bool {
        self.when == When::After(0)
    }
}

/// PMIs of one package.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    raised: u64,
    dropped: u64,
}

/// PMIs on their way, and the rules for them.
#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    fate: Fate,
    to: Recipients,
    /// PMIs since the last rule.
    sent: u64,
    waiting: Vec<Waiting>,
    tallies: Vec<Tally>,
}

impl Interrupts {
    pub(crate) fn new(packages: usize) -> Self {
        Self {
            tallies: vec![Tally::default(); packages],
            ..Self::default()
        }
    }

    /// Changes the rules for PMIs to come.
    pub(crate) fn rule(&mut self, rule: PmiRule) {
        self.sent = 0;
        match rule {
            PmiRule::Normal => {
                self.fate = Fate::default();
                self.to = Recipients::default();
            }
            PmiRule::Fate(fate) => self.fate = fate,
            PmiRule::To(recipients) => self.to = recipients,
        }
    }

    /// Time passes for the PMIs of a package that are waiting.
    pub(crate) fn elapse(&mut self, package: u8, uclk: u64) {
        for Waiting { pmi, when } in &mut self.waiting {
            match when {
                When::After(wait) if pmi.package == package => *wait = wait.saturating_sub(uclk),
                _ => {}
            }
        }
    }

    /// Handles a step of a package's software; `core` is the one that unmasks, if
    /// any.
    pub(crate) fn step(&mut self, package: u8, step: Step, core: Option<u8>) {
        for Waiting { pmi, when } in &mut self.waiting {
            let theirs = core.is_none_or(|core| pmi.cores >> core & 1 == 1);
            if *when == When::At(step) && pmi.package == package && theirs {
                *when = When::After(0);
            }
        }
    }

    /// Takes a new PMI of a package with `count` cores.
    pub(crate) fn send(&mut self, raised: Raised, count: u8) {
        let Raised { mut pmi, ago } = raised;
        pmi.cores = self.to.instead_of(pmi.cores, count);
        let wait = |when| match when {
            When::After(uclk) => When::After(uclk.saturating_sub(ago)),
            When::At(_) => when,
        };
        let at_once = When::After(0);
        let lost = matches!(self.fate, Fate::Drop(share) if share.loses(self.sent));
        self.sent += 1;
        let moments = match self.fate {
            Fate::Drop(_) if lost => vec![],
            Fate::Normal | Fate::Drop(_) => vec![at_once],
            Fate::Delay(when) => vec![wait(when)],
            Fate::Repeat(when) => vec![at_once, wait(when)],
        };
        let moments = moments.into_iter();
        self.waiting
            .extend(moments.map(|when| Waiting { pmi, when }));
        if let Some(tally) = self.tallies.get_mut(usize::from(pmi.package)) {
            tally.raised += 1;
            tally.dropped += u64::from(lost);
        }
    }

    /// The PMIs that have arrived.
    pub(crate) fn take(&mut self) -> Vec<Pmi> {
        let due = self.waiting.iter().filter(|waiting| waiting.is_due());
        let due = due.map(|waiting| waiting.pmi).collect();
        self.waiting.retain(|waiting| !waiting.is_due());
        due
    }

    /// Loses the PMIs on their way.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// One line per package: `package 0: raised 3, dropped 1, waiting 0`.
    pub(crate) fn lines(&self) -> String {
        let tallies = self.tallies.iter().enumerate();
        let lines = tallies.map(|(package, tally)| {
            let Tally { raised, dropped } = tally;
            let here = |waiting: &&Waiting| usize::from(waiting.pmi.package) == package;
            let waiting = self.waiting.iter().filter(here).count();
            format!("package {package}: raised {raised}, dropped {dropped}, waiting {waiting}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Counts from zero again.
    pub(crate) fn clear(&mut self) {
        self.tallies.fill(Tally::default());
    }
}

/// Behaviour of processors with PMIs that the sources leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processors {
    /// Effect of bit 13 of `IA32_DEBUGCTL` (U-46).
    pub gate: Gate,
    /// A PMI that finds LVTPC masked waits until it is unmasked (U-45).
    pub keep_masked: bool,
    /// A PMI that finds the core asleep waits until the thread wakes (U-45).
    pub keep_asleep: bool,
}

/// The effect of bit 13 of `IA32_DEBUGCTL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// PMIs pass, whatever the bit is.
    Open,
    /// PMIs pass while the bit is 1.
    ByBit,
    /// There is no such bit: PMIs pass, and a write that sets it faults.
    Missing,
}

impl Machine {
    /// The readings in force of what processors do with PMIs.
    pub fn processors(&self) -> Processors {
        let has = |reading| self.topology.readings.has(reading);
        Processors {
            gate: if has(Reading::GateNeeded) {
                Gate::ByBit
            } else if has(Reading::GateFaults) {
                Gate::Missing
            } else {
                Gate::Open
            },
            keep_masked: has(Reading::MaskedWaits),
            keep_asleep: has(Reading::AsleepWaits),
        }
    }
}

impl Pmi {
    /// Returns the effect of the PMI on a processor whose core may be asleep.
    pub fn reach(self, cpu: Cpu, asleep: bool) -> Reach {
        let selected = cpu.package == self.package && self.cores >> cpu.core & 1 == 1;
        if !selected || self.first_thread && cpu.thread != 0 {
            Reach::Passes
        } else if asleep && !self.wake {
            Reach::Sleeps
        } else {
            Reach::Arrives
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Recipients;

    #[test]
    fn the_next_core_after_the_last_is_the_first() {
        let next = |cores, count| Recipients::Next.instead_of(cores, count);
        assert_eq!(
            [next(0b1001, 4), next(1 << 14, 15), next(1, 1)],
            [0b0011, 1, 1]
        );
    }
}
