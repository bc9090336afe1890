// SPDX-License-Identifier: GPL-2.0

//! The global registers of a package, on servers in the UBox;
//! Documentation/hardware/ivbep.rst section 3, and that section of other pages.
//!
//! Counting begins and ends with acting bits, or is a level: one bit says if it is on.
//! SPEC: U-70, a write with frz_all and unfrz_all both set freezes.

use crate::bits::low_half;
use crate::readings::{Reading, Readings};
use crate::register::{Class, Word, Write};
use crate::violation::{Finding, Rule};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlobalRegister {
    /// GLOBAL_CTL.
    Control,
    /// GLOBAL_STATUS.
    Status,
    /// Clears bits of GLOBAL_STATUS and keeps nothing.
    Clear,
    /// GLOBAL_CONFIG, which tells the number of C-Boxes.
    Config,
}

const FRZ_ALL: u32 = 1 << 31;
const WK_ON_PMI: u32 = 1 << 30;
const UNFRZ_ALL: u32 = 1 << 29;

/// Bits of pmi_core_sel of BDX for cores 18 to 23 by another reading (B-4).
const MORE_CORES: u32 = 0x00fc_0000;

/// Bits of the slices of a client by another reading, and that of the graphics (S-3).
const SLICES: u32 = 0xf;
const SLICE_4: u32 = 1 << 4;

/// What lets the counters of a package count.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    /// [`FRZ_ALL`] and [`UNFRZ_ALL`], which act and read 0. An overflow freezes.
    Commands,
    /// Counters count while `enable` is 1 and all bits of `hold` are 0.
    Level {
        enable: u32,
        hold: u32,
        freeze: Freeze,
    },
}

/// The overflows that clear the level.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Freeze {
    /// All of them.
    Always,
    /// Those while this bit of the control register is 1.
    If(u32),
}

/// Bits of the control register that select the cores of a PMI.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cores {
    /// A bit for each core.
    Mask(u32),
    /// The number of one core, in these bits.
    Number(u32),
}

/// The global registers of a platform.
#[derive(Debug)]
pub(crate) struct GlobalLayout {
    /// All of them with their MSR addresses.
    pub(crate) all: &'static [(u32, GlobalRegister)],
    pub(crate) control: Word,
    pub(crate) run: Run,
    pub(crate) cores: Cores,
    /// The bit of the control register that puts all counters at 0, if there is one.
    pub(crate) reset: u32,
    /// The bits of the control register that enable counters of the UBox.
    pub(crate) own_counters: u32,
    /// A bit of GLOBAL_STATUS is 0 again as soon as the status of the boxes behind it is.
    pub(crate) summarises: bool,
    /// Bits of GLOBAL_STATUS that an overflow sets.
    pub(crate) status: u64,
    /// Bits of GLOBAL_STATUS that are reserved by one source and of C-Boxes by another. Writing back
    /// what was read breaks no rule.
    pub(crate) open: u64,
    /// Width of GLOBAL_STATUS in bits.
    pub(crate) status_width: u32,
    /// The register that clears bits of GLOBAL_STATUS.
    pub(crate) clears: Option<GlobalRegister>,
    pub(crate) config: Word,
    /// What the configuration tells after reset, in a package with so many C-Boxes.
    pub(crate) num_c: fn(cboxes: u32) -> u8,
}

/// SPEC: `num_c` resets to a constant of the register table (3.3).
pub(crate) const IVBEP: GlobalLayout = GlobalLayout {
    all: &[
        (0xc00, GlobalRegister::Control),
        (0xc01, GlobalRegister::Status),
        (0xc06, GlobalRegister::Config),
    ],
    control: control(0x7fff, 0x07ff_8000),
    run: Run::Commands,
    cores: Cores::Mask(0x7fff),
    reset: 0,
    own_counters: 0,
    summarises: false,
    status: 0x07ff_ffff,
    open: 0,
    status_width: 32,
    clears: Some(GlobalRegister::Status),
    config: config(0xf),
    num_c: |_| 8,
};

/// BDX: GLOBAL_STATUS has bits up to 35, none of C-Boxes and S-Boxes.
/// SPEC: pmi_core_sel has 18 bits, also where there are more cores (B-4).
pub(crate) const BDX: GlobalLayout = GlobalLayout {
    all: &[
        (0x700, GlobalRegister::Control),
        (0x701, GlobalRegister::Status),
        (0x702, GlobalRegister::Config),
    ],
    control: control(0x3_ffff, 0x07fc_0000),
    cores: Cores::Mask(0x3_ffff),
    status: 0xc_3fe0_0007,
    status_width: 64,
    config: config(0x1f),
    num_c: |_| 18,
    ..IVBEP
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
        u8::try_from(self.config.rw | self.config.ro).unwrap_or(u8::MAX)
    }

    /// The name of a register.
    pub(crate) fn name(&self, register: GlobalRegister) -> &'static str {
        match register {
            GlobalRegister::Control => self.control.name,
            GlobalRegister::Status => "GLOBAL_STATUS",
            GlobalRegister::Clear => "GLOBAL_OVF_CTRL",
            GlobalRegister::Config => self.config.name,
        }
    }

    /// Tells if a write of the control register puts all counters at 0.
    pub(crate) fn is_reset(&self, write: Write) -> bool {
        write.ones(self.reset) != 0
    }
}

/// The state of the global registers.
#[derive(Debug)]
pub(crate) struct Global {
    pub(crate) layout: &'static GlobalLayout,
    control: u32,
    pub(crate) status: u64,
    config: u32,
    /// Every counter of the package is frozen, or none is enabled.
    pub(crate) frozen: bool,
    /// The points with another reading than the first.
    pub(crate) readings: Readings,
    /// Bits of the control register that read 0, whatever they hold.
    unread: u32,
}

impl Global {
    pub(crate) fn at_reset(layout: &'static GlobalLayout, num_c: u8) -> Self {
        Self {
            layout,
            control: 0,
            status: 0,
            config: num_c.into(),
            frozen: matches!(layout.run, Run::Level { .. }),
            readings: Readings::default(),
            unread: 0,
        }
    }

    /// Takes readings, and the number of C-Boxes by them.
    pub(crate) fn take(&mut self, readings: Readings, num_c: u8, cores: u8) {
        self.config = num_c.into();
        self.take_readings(readings, cores);
    }

    /// Takes readings, in a package of so many cores.
    pub(crate) fn take_readings(&mut self, readings: Readings, cores: u8) {
        self.readings = readings;
        self.unread = if readings.has(Reading::NoBitsAboveCores) {
            SLICES & !((1 << cores) - 1)
        } else if readings.has(Reading::UboxEnableUnread) {
            self.layout.own_counters
        } else {
            0
        };
    }

    /// The description of the control register.
    fn control_word(&self) -> Word {
        let word = self.layout.control;
        if self.readings.has(Reading::WideCoreSelect) {
            word.with(Class::Stored, MORE_CORES)
        } else if self.readings.has(Reading::SliceSelect) {
            word.with(Class::Stored, SLICE_4)
        } else {
            word
        }
    }

    /// The register that clears bits of GLOBAL_STATUS.
    fn clears(&self) -> Option<GlobalRegister> {
        if self.readings.has(Reading::StatusClears) {
            Some(GlobalRegister::Status)
        } else if self.readings.has(Reading::StatusStays) {
            None
        } else {
            self.layout.clears
        }
    }

    /// The C-Boxes that the control register enables.
    pub(crate) fn slices(&self) -> u32 {
        if self.readings.has(Reading::SliceSelect) {
            self.control & (SLICES | SLICE_4)
        } else {
            u32::MAX
        }
    }

    /// Tells if a write of the control register lets counters count.
    pub(crate) fn is_release(&self, write: Write) -> bool {
        match self.layout.run {
            Run::Commands if self.readings.has(Reading::UnfreezeWins) => write.ones(UNFRZ_ALL) != 0,
            Run::Commands => write.ones(FRZ_ALL | UNFRZ_ALL) == UNFRZ_ALL,
            Run::Level { enable, hold, .. } => write.ones(enable | hold) == enable,
        }
    }

    /// Tells if no counter counts after a write of the control register.
    fn is_frozen_by(&self, write: Write) -> bool {
        match self.layout.run {
            Run::Commands => (write.ones(FRZ_ALL) != 0 || self.frozen) && !self.is_release(write),
            Run::Level { .. } => !self.is_release(write),
        }
    }

    /// Tells if a register has 64 bits.
    pub(crate) fn is_wide(&self, register: GlobalRegister) -> bool {
        let is_status = matches!(register, GlobalRegister::Status | GlobalRegister::Clear);
        is_status && self.layout.status_width == 64
    }

    /// Returns the value that software reads.
    pub(crate) fn read_out(&self, register: GlobalRegister) -> u64 {
        let ones = match register {
            GlobalRegister::Status => {
                !self.status_bits() & u64::MAX >> (64 - self.layout.status_width)
            }
            GlobalRegister::Control => self.control_word().idle().into(),
            GlobalRegister::Clear | GlobalRegister::Config => 0,
        };
        let shown = self.readings.has(Reading::ReservedOnesOfStatus);
        self.read(register) | if shown { ones } else { 0 }
    }

    /// The register of an MSR address.
    pub(crate) fn at(&self, msr: u32) -> Option<GlobalRegister> {
        let found = self.layout.all.iter().find(|(at, _)| *at == msr);
        found.map(|(_, register)| *register)
    }

    pub(crate) fn read(&self, register: GlobalRegister) -> u64 {
        match register {
            GlobalRegister::Control => (self.control & !self.unread).into(),
            GlobalRegister::Status => self.status,
            GlobalRegister::Clear => 0,
            GlobalRegister::Config => self.config.into(),
        }
    }

    pub(crate) fn write(&mut self, register: GlobalRegister, value: u64) -> Vec<Finding> {
        let write = Write::whole(low_half(value));
        let word = match register {
            GlobalRegister::Status | GlobalRegister::Clear => {
                return self.clear_status(register, value)
            }
            GlobalRegister::Control => {
                let word = self.control_word();
                self.control = word.store(self.control, write);
                self.frozen = self.is_frozen_by(write);
                word
            }
            GlobalRegister::Config => {
                self.config = self.layout.config.store(self.config, write);
                self.layout.config
            }
        };
        let mut findings = Finding::of_high_half(value);
        findings.extend(word.judge(write));
        findings
    }

    /// Clears the bits of GLOBAL_STATUS that are written as 1, if this register does that.
    fn clear_status(&mut self, register: GlobalRegister, value: u64) -> Vec<Finding> {
        let (status, status_width) = (self.status_bits(), self.layout.status_width);
        if self.clears() == Some(register) {
            self.status &= !value;
        }
        let mut findings = match status_width {
            32 => Finding::of_high_half(value),
            _ => Vec::new(),
        };
        let known = status | self.layout.open;
        let reserved = value & !known & u64::MAX >> (64 - status_width);
        if reserved != 0 {
            findings.push(Finding::new(Rule::Reserved, reserved));
        }
        findings
    }

    /// The bits of GLOBAL_STATUS that an overflow sets.
    fn status_bits(&self) -> u64 {
        let has_open = self.readings.has(Reading::CboxBits);
        self.layout.status | if has_open { self.layout.open } else { 0 }
    }

    /// Takes the bits of an overflow in GLOBAL_STATUS, and freezes if that is wanted.
    pub(crate) fn overflow(&mut self, bits: u64) {
        self.status |= bits;
        if self.freezes() {
            self.frozen = true;
            if let Run::Level { enable, .. } = self.layout.run {
                self.control &= !enable;
            }
        }
    }

    /// Tells if an overflow freezes the package.
    pub(crate) fn freezes(&self) -> bool {
        match self.layout.run {
            Run::Commands => true,
            Run::Level { freeze, .. } => match freeze {
                Freeze::Always => true,
                Freeze::If(bit) => self.control & bit != 0,
            },
        }
    }

    /// Clears the level, as a sleep of the package does; `None` if there is none.
    pub(crate) fn lose_enable(&mut self) -> Option<()> {
        match self.layout.run {
            Run::Commands => None,
            Run::Level { enable, .. } => {
                self.control &= !enable;
                self.frozen = true;
                Some(())
            }
        }
    }

    /// Changes a register without the rules of a write; GLOBAL_STATUS takes the
    /// value.
    pub(crate) fn poke(&mut self, register: GlobalRegister, value: u64) {
        match register {
            GlobalRegister::Status => self.status = value & self.status_bits(),
            _ => drop(self.write(register, value)),
        }
    }

    /// Returns the cores that a PMI goes to.
    pub(crate) fn pmi_core_sel(&self) -> u32 {
        match self.layout.cores {
            _ if self.readings.has(Reading::SliceSelect) => SLICES,
            Cores::Mask(mask) if self.readings.has(Reading::WideCoreSelect) => {
                self.control & (mask | MORE_CORES)
            }
            Cores::Mask(mask) => self.control & mask,
            Cores::Number(bits) => 1 << ((self.control & bits) >> bits.trailing_zeros()),
        }
    }

    /// Core slots that can be selected for a PMI.
    pub(crate) fn core_slots(&self) -> u32 {
        match self.layout.cores {
            Cores::Mask(mask) => mask.count_ones(),
            Cores::Number(bits) => 1 << bits.count_ones(),
        }
    }

    /// The counters of the UBox that the control register enables, a bit for each.
    pub(crate) fn own_counters(&self) -> u32 {
        self.control & self.layout.own_counters
    }

    /// Tells if a PMI wakes sleeping cores.
    pub(crate) fn wk_on_pmi(&self) -> bool {
        self.control & WK_ON_PMI != 0
    }
}
