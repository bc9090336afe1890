// SPDX-License-Identifier: GPL-2.0

//! LVTPC of each CPU.

use super::{
    context::{IrqsOff, Pinned},
    topology::Cpu,
};
use crate::host::host;

const MASKED: u32 = 1 << 16;
const MODE: u32 = 0x700;
const NMI: u32 = 0x400;

/// A value of LVTPC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lvtpc(u32);

impl Lvtpc {
    /// Delivers each PMI as an NMI.
    pub(crate) const NMI: Self = Self(NMI);

    /// Reads the register of this CPU.
    pub(crate) fn read(here: &impl Pinned) -> Self {
        Self(host().lvtpc(here.number()))
    }

    /// Writes the register of this CPU.
    pub(crate) fn write(self, here: &impl Pinned) {
        host().set_lvtpc(here.number(), self.0);
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

/// Sends an NMI to an online CPU. A handler must claim it.
pub(crate) fn send_nmi(_here: &IrqsOff, to: Cpu) {
    host().send_nmi(to.number());
}
