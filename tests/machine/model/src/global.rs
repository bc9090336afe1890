// SPDX-License-Identifier: GPL-2.0

//! The global registers of a package, in the UBox;
//! Documentation/hardware/ivbep.rst section 3.
//!
//! SPEC: U-70, a write with frz_all and unfrz_all both set freezes.

use crate::bits::low_half;
use crate::register::{Word, Write};
use crate::violation::{Finding, Rule};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlobalRegister {
    /// GLOBAL_CTL.
    Control,
    /// GLOBAL_STATUS.
    Status,
    /// GLOBAL_CONFIG.
    Config,
}

impl GlobalRegister {
    /// The manual's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Control => "GLOBAL_CTL",
            Self::Status => "GLOBAL_STATUS",
            Self::Config => "GLOBAL_CONFIG",
        }
    }
}

const FRZ_ALL: u32 = 1 << 31;
const WK_ON_PMI: u32 = 1 << 30;
const UNFRZ_ALL: u32 = 1 << 29;

/// The global registers of a platform.
#[derive(Debug)]
pub(crate) struct GlobalLayout {
    /// All of them with their MSR addresses.
    pub(crate) all: [(u32, GlobalRegister); 3],
    control: Word,
    /// Bits of GLOBAL_STATUS that an overflow sets.
    status: u64,
    /// Width of GLOBAL_STATUS in bits.
    status_width: u32,
    config: Word,
    /// `num_c` after reset, as the register table has it.
    pub(crate) num_c: u8,
}

/// SPEC: `num_c` resets to a constant of the register table (3.3).
pub(crate) const IVBEP: GlobalLayout = GlobalLayout {
    all: [
        (0xc00, GlobalRegister::Control),
        (0xc01, GlobalRegister::Status),
        (0xc06, GlobalRegister::Config),
    ],
    control: control(0x7fff, 0x07ff_8000),
    status: 0x07ff_ffff,
    status_width: 32,
    config: config(0xf),
    num_c: 8,
};

/// BDX: GLOBAL_STATUS has bits up to 35, none of C-Boxes and S-Boxes.
/// SPEC: pmi_core_sel has 18 bits, also where there are more cores (B-4).
pub(crate) const BDX: GlobalLayout = GlobalLayout {
    all: [
        (0x700, GlobalRegister::Control),
        (0x701, GlobalRegister::Status),
        (0x702, GlobalRegister::Config),
    ],
    control: control(0x3_ffff, 0x07fc_0000),
    status: 0xc_3fe0_0007,
    status_width: 64,
    config: config(0x1f),
    num_c: 18,
};

/// GLOBAL_CTL with these bits for pmi_core_sel, and these reserved.
const fn control(cores: u32, reserved: u32) -> Word {
    Word {
        rw: WK_ON_PMI | cores,
        wo: FRZ_ALL | UNFRZ_ALL,
        zero: 0x1800_0000,
        reserved,
        ..Word::named("GLOBAL_CTL")
    }
}

/// GLOBAL_CONFIG with these bits for `num_c`.
const fn config(num_c: u32) -> Word {
    Word {
        rw: num_c,
        reserved: !num_c,
        ..Word::named("GLOBAL_CONFIG")
    }
}

impl GlobalLayout {
    /// Largest value of `num_c`.
    pub(crate) fn most_num_c(&self) -> u8 {
        u8::try_from(self.config.rw).unwrap_or(u8::MAX)
    }
}

/// The state of the global registers.
#[derive(Debug)]
pub(crate) struct Global {
    pub(crate) layout: &'static GlobalLayout,
    control: u32,
    pub(crate) status: u64,
    config: u32,
    /// Every counter of the package is frozen.
    pub(crate) frozen: bool,
}

impl Global {
    pub(crate) fn at_reset(layout: &'static GlobalLayout, num_c: u8) -> Self {
        Self {
            layout,
            control: 0,
            status: 0,
            config: num_c.into(),
            frozen: false,
        }
    }

    /// The register of an MSR address.
    pub(crate) fn at(&self, msr: u32) -> Option<GlobalRegister> {
        let found = self.layout.all.iter().find(|(at, _)| *at == msr);
        found.map(|(_, register)| *register)
    }

    pub(crate) fn read(&self, register: GlobalRegister) -> u64 {
        match register {
            GlobalRegister::Control => self.control.into(),
            GlobalRegister::Status => self.status,
            GlobalRegister::Config => self.config.into(),
        }
    }

    pub(crate) fn write(&mut self, register: GlobalRegister, value: u64) -> Vec<Finding> {
        let write = Write::whole(low_half(value));
        let word = match register {
            GlobalRegister::Status => return self.write_status(value),
            GlobalRegister::Control => {
                self.control = self.layout.control.store(self.control, write);
                let freeze = write.ones(FRZ_ALL) != 0;
                self.frozen = freeze || self.frozen && !Self::is_release(write);
                &self.layout.control
            }
            GlobalRegister::Config => {
                self.config = self.layout.config.store(self.config, write);
                &self.layout.config
            }
        };
        let mut findings = Finding::of_high_half(value);
        findings.extend(word.judge(write));
        findings
    }

    /// Clears the bits that are written as 1.
    fn write_status(&mut self, value: u64) -> Vec<Finding> {
        let GlobalLayout {
            status,
            status_width,
            ..
        } = self.layout;
        self.status &= !value;
        let mut findings = match status_width {
            32 => Finding::of_high_half(value),
            _ => Vec::new(),
        };
        let reserved = value & !status & u64::MAX >> (64 - status_width);
        if reserved != 0 {
            findings.push(Finding::new(Rule::Reserved, reserved));
        }
        findings
    }

    /// Tells if a write of GLOBAL_CTL ends the freeze.
    pub(crate) fn is_release(write: Write) -> bool {
        write.ones(FRZ_ALL | UNFRZ_ALL) == UNFRZ_ALL
    }

    /// Changes a register without the rules of a write; GLOBAL_STATUS takes the
    /// value.
    pub(crate) fn poke(&mut self, register: GlobalRegister, value: u64) {
        match register {
            GlobalRegister::Status => self.status = value & self.layout.status,
            _ => drop(self.write(register, value)),
        }
    }

    /// Returns the cores that a PMI goes to.
    pub(crate) fn pmi_core_sel(&self) -> u32 {
        self.control & !WK_ON_PMI
    }

    /// Tells if a PMI wakes sleeping cores.
    pub(crate) fn wk_on_pmi(&self) -> bool {
        self.control & WK_ON_PMI != 0
    }
}
