// SPDX-License-Identifier: GPL-2.0

//! What a CPU must be told so that it takes overflow interrupts, and telling it back.
//!
//! Two things decide it, beside the core select of the package: the interrupt controller's entry
//! for counters must be an unmasked NMI, and the processor's debug control must let the uncore's
//! interrupts through. Both belong to others, too: the kernel's driver of the core PMU keeps the
//! entry as we want it, and without that driver nobody does.
//!
//! So what was different is put back, and nothing else. A CPU that goes offline forgets the entry.

use crate::linux::{
    apic::Lvtpc,
    context::IrqsOff,
    debugctl::{
        self,
        Was, //
    },
};

/// What a CPU had before it was made to take interrupts.
#[derive(Clone, Copy)]
pub(super) struct Before {
    /// The interrupt controller's entry, if it was no NMI.
    entry: Option<Lvtpc>,
    /// The debug control, if it has such a bit.
    control: Option<Was>,
}

impl Before {
    /// Makes this CPU take interrupts.
    pub(super) fn take(here: &IrqsOff) -> Self {
        let entry = Lvtpc::read(here);
        if entry != Lvtpc::NMI {
            Lvtpc::NMI.write(here);
        }
        Self {
            // One that was masked as an NMI was so because nobody had acknowledged the last.
            entry: (!entry.is_nmi()).then_some(entry),
            // Where the bit does not exist it may not be needed: the trial tells.
            control: debugctl::take_uncore_pmi(here).ok(),
        }
    }

    /// Puts back what this CPU had.
    pub(super) fn put_back(self, here: &IrqsOff) {
        if let Some(control) = self.control {
            // It could be read and written before.
            let _ = debugctl::restore_uncore_pmi(here, control);
        }
        if let Some(entry) = self.entry {
            entry.write(here);
        }
    }
}
