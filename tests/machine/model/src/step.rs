// SPDX-License-Identifier: GPL-2.0

//! The steps of software that handles an overflow.
//!
//! A message or PMI that a test holds up goes on at one of these steps. Tests
//! provoke races between the hardware and an interrupt handler in this way.

use crate::global::{Global, GlobalRegister};
use crate::register::Write;

/// A step of the software that the package notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The software has read GLOBAL_STATUS.
    Read,
    /// A write of the software has cleared the last bit of GLOBAL_STATUS.
    Clear,
    /// The software has written unfrz_all, or the level that lets counters count.
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

    /// The step that a read of a register is.
    pub(crate) fn of_read(register: GlobalRegister) -> Option<Self> {
        (register == GlobalRegister::Status).then_some(Self::Read)
    }

    /// The step that a write of a register is; `status` is GLOBAL_STATUS before and
    /// after it.
    pub(crate) fn of_write(
        global: &Global,
        register: GlobalRegister,
        write: Write,
        status: (u64, u64),
    ) -> Option<Self> {
        match register {
            GlobalRegister::Control => global.is_release(write).then_some(Self::Unfreeze),
            GlobalRegister::Status | GlobalRegister::Clear => {
                (status.0 != 0 && status.1 == 0).then_some(Self::Clear)
            }
            GlobalRegister::Config => None,
        }
    }
}

/// The moment at which a held-up message or PMI goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// After this many uclk cycles, in bursts or free-running time.
    After(u64),
    /// At the next step of this kind.
    At(Step),
}
