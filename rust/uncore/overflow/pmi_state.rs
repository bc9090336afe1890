// SPDX-License-Identifier: GPL-2.0

//! Enables PMIs on one CPU (LVTPC, IA32_DEBUGCTL) and restores both registers.
//!
//! A CPU takes the PMI of an uncore counter if the core select of its package has its bit, if its
//! LVTPC is an unmasked NMI, and if its IA32_DEBUGCTL lets PMIs of the uncore through. The last two
//! have other owners: the kernel's driver of the core PMU also sets LVTPC to an unmasked NMI.
//!
//! So only what this driver has changed is restored. A CPU that goes offline loses its LVTPC.

use crate::linux::{
    apic::Lvtpc,
    context::IrqsOff,
    debugctl, //
};

/// Registers of a CPU as they were before PMIs were enabled.
#[derive(Clone, Copy)]
pub(crate) struct SavedPmiState {
    /// LVTPC, if it was not an NMI.
    lvtpc: Option<Lvtpc>,
    /// The bit of IA32_DEBUGCTL, if the processor has it.
    debugctl: Option<bool>,
}

impl SavedPmiState {
    /// Enables PMIs on this CPU, and returns the registers as they were.
    pub(crate) fn enable(here: &IrqsOff) -> Self {
        let lvtpc = Lvtpc::read(here);
        if lvtpc != Lvtpc::NMI {
            Lvtpc::NMI.write(here);
        }
        Self {
            // An NMI entry is masked only until its last PMI is acknowledged, so masking is not
            // state to restore.
            lvtpc: (!lvtpc.is_nmi()).then_some(lvtpc),
            // A processor without the bit may not need it: the self-test shows.
            debugctl: debugctl::enable_uncore_pmi(here).ok(),
        }
    }

    /// Restores the registers of this CPU.
    pub(crate) fn restore(self, here: &IrqsOff) {
        if let Some(debugctl) = self.debugctl {
            // The register could be read and written before.
            let _ = debugctl::restore_uncore_pmi(here, debugctl);
        }
        if let Some(lvtpc) = self.lvtpc {
            lvtpc.write(here);
        }
    }
}
