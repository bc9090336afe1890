// SPDX-License-Identifier: GPL-2.0

//! What software does as it handles an overflow, step by step.
//!
//! Messages and PMIs that a test holds up go on at one of these steps, which is
//! how races between the hardware and an interrupt handler are made to happen.

use crate::global::{Global, GlobalRegister};
use crate::register::Write;

/// A step of the software, of which the package takes note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It has read GLOBAL_STATUS.
    Read,
    /// Its write has cleared the last bit of GLOBAL_STATUS.
    Clear,
    /// It has written unfrz_all.
    Unfreeze,
    /// A core that the interrupt is for has unmasked its LVTPC.
    Unmask,
}

impl Step {
    /// Their names in commands.
    pub(crate) const NAMES: [(&'static str, Self); 4] = [
        ("read", Self::Read),
        ("clear", Self::Clear),
        ("unfreeze", Self::Unfreeze),
        ("unmask", Self::Unmask),
    ];

    pub(crate) fn named(word: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == word);
        found.map(|(_, step)| *step)
    }

    /// The step that a read of an MSR is.
    pub(crate) fn of_read(msr: u32) -> Option<Self> {
        (GlobalRegister::at(msr) == Some(GlobalRegister::Status)).then_some(Self::Read)
    }

    /// The step that a write of an MSR is; `status` is GLOBAL_STATUS before and
    /// after it.
    pub(crate) fn of_write(msr: u32, write: Write, status: (u32, u32)) -> Option<Self> {
        match GlobalRegister::at(msr)? {
            GlobalRegister::Control => Global::is_release(write).then_some(Self::Unfreeze),
            GlobalRegister::Status => (status.0 != 0 && status.1 == 0).then_some(Self::Clear),
            GlobalRegister::Config => None,
        }
    }
}

/// When something that is held up goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// After this many uclk cycles, in bursts or free-running time.
    After(u64),
    /// At the next such step.
    At(Step),
}
