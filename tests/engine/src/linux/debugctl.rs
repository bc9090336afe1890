// SPDX-License-Identifier: GPL-2.0

//! Bit 13 of IA32_DEBUGCTL of each CPU, without which it takes no PMI of the uncore.

use super::context::IrqsOff;
use crate::host::host;
use kernel::prelude::*;

/// Enables the uncore's interrupts on this CPU and returns whether they were enabled before.
pub(crate) fn enable_uncore_pmi(here: &IrqsOff) -> Result<bool> {
    Ok(host().set_uncore_pmi(here.cpu().number(), true))
}

/// Restores the bit that [`enable_uncore_pmi`] returned.
pub(crate) fn restore_uncore_pmi(here: &IrqsOff, enabled: bool) -> Result {
    host().set_uncore_pmi(here.cpu().number(), enabled);
    Ok(())
}
