// SPDX-License-Identifier: GPL-2.0

//! The global registers of a package, in the UBox;
//! Documentation/hardware/ivbep.rst section 3.
//!
//! MSRs 0xC00 (GLOBAL_CTL), 0xC01 (GLOBAL_STATUS), 0xC06 (GLOBAL_CONFIG).
//! SPEC: U-70, a write with frz_all and unfrz_all both set freezes.

use crate::register::{Word, Write};
use crate::violation::Finding;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlobalRegister {
    /// 0xC00.
    Control,
    /// 0xC01.
    Status,
    /// 0xC06.
    Config,
}

const FRZ_ALL: u32 = 1 << 31;
const WK_ON_PMI: u32 = 1 << 30;
const UNFRZ_ALL: u32 = 1 << 29;
const PMI_CORE_SEL: u32 = 0x7fff;

const GLOBAL_CTL: Word = Word {
    rw: WK_ON_PMI | PMI_CORE_SEL,
    wo: FRZ_ALL | UNFRZ_ALL,
    zero: 0x1800_0000,
    reserved: 0x07ff_8000,
    ..Word::named("GLOBAL_CTL")
};

const GLOBAL_STATUS: Word = Word {
    w1c: 0x07ff_ffff,
    reserved: 0xf800_0000,
    ..Word::named("GLOBAL_STATUS")
};

/// `num_c`'s reset value is part of the topology.
const GLOBAL_CONFIG: Word = Word {
    rw: 0xf,
    reserved: 0xffff_fff0,
    ..Word::named("GLOBAL_CONFIG")
};

impl GlobalRegister {
    /// All of them with their MSR addresses.
    pub(crate) const ALL: [(u32, Self); 3] = [
        (0xc00, Self::Control),
        (0xc01, Self::Status),
        (0xc06, Self::Config),
    ];

    pub(crate) fn at(msr: u32) -> Option<Self> {
        let found = Self::ALL.iter().find(|(at, _)| *at == msr);
        found.map(|(_, register)| *register)
    }

    pub(crate) const fn word(self) -> Word {
        match self {
            Self::Control => GLOBAL_CTL,
            Self::Status => GLOBAL_STATUS,
            Self::Config => GLOBAL_CONFIG,
        }
    }
}

/// The state of the global registers.
#[derive(Debug)]
pub(crate) struct Global {
    control: u32,
    pub(crate) status: u32,
    config: u32,
    /// Every counter of the package is frozen.
    pub(crate) frozen: bool,
}

impl Global {
    pub(crate) fn at_reset(num_c: u8) -> Self {
        Self {
            control: 0,
            status: 0,
            config: num_c.into(),
            frozen: false,
        }
    }

    pub(crate) fn read(&self, register: GlobalRegister) -> u32 {
        match register {
            GlobalRegister::Control => self.control,
            GlobalRegister::Status => self.status,
            GlobalRegister::Config => self.config,
        }
    }

    pub(crate) fn write(&mut self, register: GlobalRegister, write: Write) -> Vec<Finding> {
        let word = register.word();
        let stored = word.store(self.read(register), write);
        self.put(register, stored);
        if register == GlobalRegister::Control {
            let freeze = write.ones(FRZ_ALL) != 0;
            self.frozen = freeze || self.frozen && !Self::is_release(write);
        }
        word.judge(write)
    }

    /// Tells if a write of GLOBAL_CTL ends the freeze.
    pub(crate) fn is_release(write: Write) -> bool {
        write.ones(FRZ_ALL | UNFRZ_ALL) == UNFRZ_ALL
    }

    /// Changes a register without the rules of a write; GLOBAL_STATUS takes the
    /// value.
    pub(crate) fn poke(&mut self, register: GlobalRegister, value: u32) {
        match register {
            GlobalRegister::Status => self.put(register, value & GLOBAL_STATUS.w1c),
            _ => drop(self.write(register, Write::whole(value))),
        }
    }

    fn put(&mut self, register: GlobalRegister, value: u32) {
        match register {
            GlobalRegister::Control => self.control = value,
            GlobalRegister::Status => self.status = value,
            GlobalRegister::Config => self.config = value,
        }
    }

    /// Returns the cores that a PMI goes to.
    pub(crate) fn pmi_core_sel(&self) -> u16 {
        (self.control & PMI_CORE_SEL) as u16
    }

    /// Tells if a PMI wakes sleeping cores.
    pub(crate) fn wk_on_pmi(&self) -> bool {
        self.control & WK_ON_PMI != 0
    }
}
