// SPDX-License-Identifier: GPL-2.0

//! LVTPC, the register of the local APIC that decides how performance counters interrupt a CPU.
//!
//! C header: [`arch/x86/include/asm/apic.h`](srctree/arch/x86/include/asm/apic.h)
//!
//! LVTPC selects whether such an interrupt (a PMI) is an NMI. When the CPU takes a PMI the hardware
//! sets the mask bit, and no further PMI is delivered until software clears it. The register has
//! other users:
//!
//! * The kernel's driver of the core PMU sets it to unmasked NMI while it has events, and clears
//!   the mask bit in its NMI handler, but only while it has events.
//! * Without such a driver it is masked from boot on, and again each time the CPU comes online.
//!
//! So a handler of uncore PMIs clears the mask bit after each of them. That does no harm to the PMIs
//! of the core PMU, which are NMIs as well.
//!
//! # Contexts
//!
//! Interrupts off or NMI, which the token shows.

use super::{
    bindings,
    context::Pinned, //
};

/// Mask bit.
const MASKED: u32 = 1 << 16;

/// Bit mask of the delivery mode.
const MODE: u32 = 0x700;

/// Delivery mode NMI; an NMI has no vector.
const NMI: u32 = 0x400;

/// A value of LVTPC: one that was read, or [`Lvtpc::NMI`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lvtpc(u32);

impl Lvtpc {
    /// Delivers each PMI as an NMI.
    pub(crate) const NMI: Self = Self(NMI);

    /// Reads the register of this CPU.
    pub(crate) fn read(_here: &impl Pinned) -> Self {
        // SAFETY: Has no requirements.
        Self(unsafe { bindings::helper_apic_read_lvtpc() })
    }

    /// Writes the register of this CPU.
    pub(crate) fn write(self, _here: &impl Pinned) {
        // SAFETY: The register had this value before, or the value delivers NMIs, for which the
        // kernel always has a handler, or nothing.
        unsafe { bindings::helper_apic_write_lvtpc(self.0) };
    }

    /// Returns whether PMIs are dropped.
    pub(crate) const fn is_masked(self) -> bool {
        self.0 & MASKED != 0
    }

    /// Returns whether PMIs are NMIs, unless they are dropped.
    pub(crate) const fn is_nmi(self) -> bool {
        self.0 & MODE == NMI
    }
}

/// Sends an NMI to an online CPU, for a suite. A handler must claim it.
#[cfg(KUNIT_SUITES)]
pub(crate) fn send_nmi(_here: &super::context::IrqsOff, to: super::topology::Cpu) {
    // SAFETY: The kernel has a handler for every NMI; an offline CPU would not take it.
    unsafe { bindings::helper_apic_send_nmi(to.number()) };
}
