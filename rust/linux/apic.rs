// SPDX-License-Identifier: GPL-2.0

//! One register of this CPU's interrupt controller: how performance counters interrupt it.
//!
//! C header: [`arch/x86/include/asm/apic.h`](srctree/arch/x86/include/asm/apic.h)
//!
//! The register, LVTPC, says whether such an interrupt (a PMI) is an NMI. When one is delivered the
//! hardware sets the mask bit, and nothing more comes until somebody clears it. It has other
//! owners:
//!
//! * The kernel's driver of the core PMU sets it to unmasked NMI while it has events, and clears
//!   the mask bit in its NMI handler, but only while it has events.
//! * Without such a driver it is masked from boot on, and again each time the CPU comes online.
//!
//! So whoever wants PMIs of another source clears the mask bit on each of them, which also does no
//! harm to the core PMU's: they are NMIs, too.
//!
//! # Contexts
//!
//! Interrupts off or NMI, which the token shows.

use super::{
    bindings,
    context::Pinned, //
};
#[cfg(KUNIT_SUITES)]
use super::{
    context::IrqsOff,
    topology::Cpu, //
};

/// The mask bit.
const MASKED: u32 = 1 << 16;

/// Where the delivery mode is.
const MODE: u32 = 0x700;

/// The delivery mode NMI; an NMI has no vector.
const NMI: u32 = 0x400;

/// A value of LVTPC: one it had, or that which delivers NMIs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lvtpc(u32);

impl Lvtpc {
    /// Each PMI is an NMI.
    pub(crate) const NMI: Self = Self(NMI);

    /// Reads the register of this CPU.
    pub(crate) fn read(_here: &impl Pinned) -> Self {
        // SAFETY: Has no requirements.
        Self(unsafe { bindings::helper_apic_read_lvtpc() })
    }

    /// Writes the register of this CPU.
    pub(crate) fn write(self, _here: &impl Pinned) {
        // SAFETY: The register had this value before, or it delivers NMIs, which the kernel always
        // has a handler for.
        unsafe { bindings::helper_apic_write_lvtpc(self.0) };
    }

    /// Whether PMIs are dropped.
    pub(crate) const fn is_masked(self) -> bool {
        self.0 & MASKED != 0
    }

    /// Whether PMIs are NMIs, unless they are dropped.
    pub(crate) const fn is_nmi(self) -> bool {
        self.0 & MODE == NMI
    }
}

/// Sends an NMI to a CPU, which must be online, for the suites.
#[cfg(KUNIT_SUITES)]
pub(super) fn send_nmi(_here: &IrqsOff, to: Cpu) {
    // SAFETY: The kernel has a handler for every NMI; an offline CPU would not take it.
    unsafe { bindings::helper_apic_send_nmi(to.number()) };
}
