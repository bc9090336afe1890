// SPDX-License-Identifier: GPL-2.0

//! A machine on the bench: short words for accesses, and where the boxes are.

use uncore_machine::{Cpu, Function, GeneralProtection, Machine, Pmi, Rule, Topology};

/// A machine with accessors that insist on an answer.
pub(crate) struct Bench {
    pub(crate) machine: Machine,
}

/// `en` of most control registers.
pub(crate) const EN: u64 = 1 << 22;
/// `ov_en` of most control registers.
pub(crate) const OV_EN: u64 = 1 << 20;
/// `unfrz_all` of the global control of servers.
pub(crate) const UNFRZ_ALL: u64 = 1 << 29;
/// One more than the largest value of a counter of 44 bits.
pub(crate) const FULL_44: u64 = 1 << 44;
/// One more than the largest value of a counter of 48 bits.
pub(crate) const FULL_48: u64 = 1 << 48;

/// A PCI function.
pub(crate) const fn at(bus: u8, device: u8, function: u8) -> Function {
    Function {
        bus,
        device,
        function,
    }
}

/// The function at `device`.`function` of the uncore bus of package 0.
pub(crate) const fn uncore(device: u8, function: u8) -> Function {
    at(0x7f, device, function)
}

/// The function of the uncore of package 1.
pub(crate) const fn uncore1(device: u8, function: u8) -> Function {
    at(0xff, device, function)
}

/// A memory channel of package 0.
pub(crate) const IMC: Function = uncore(16, 4);
/// The IRP of package 0.
pub(crate) const IRP: Function = at(0, 5, 6);

/// An interrupt for some cores of a package.
pub(crate) const fn pmi(package: u8, cores: u32) -> Pmi {
    Pmi {
        package,
        cores,
        wake: false,
        first_thread: false,
    }
}

fn cpu(package: u8) -> Cpu {
    Cpu {
        package,
        core: 0,
        thread: 0,
    }
}

impl Bench {
    /// A machine with the given options.
    pub(crate) fn new(options: &str) -> Self {
        let topology = Topology::parse(options).expect("the options are right");
        Self {
            machine: Machine::new(topology),
        }
    }

    /// Two packages of four cores.
    pub(crate) fn usual() -> Self {
        Self::new("cores=4")
    }

    pub(crate) fn rd(&mut self, package: u8, msr: u32) -> u64 {
        let answer = self.machine.rdmsr(cpu(package), msr);
        let answer = answer.unwrap_or_else(|| panic!("MSR {msr:#x} is not the machine's"));
        answer.unwrap_or_else(|_| panic!("MSR {msr:#x} faults"))
    }

    pub(crate) fn wr(&mut self, package: u8, msr: u32, value: u64) {
        let answer = self.machine.wrmsr(cpu(package), msr, value);
        let answer = answer.unwrap_or_else(|| panic!("MSR {msr:#x} is not the machine's"));
        answer.unwrap_or_else(|_| panic!("MSR {msr:#x} faults"));
    }

    /// `None`: the MSR is not the machine's; else true if a read faults.
    pub(crate) fn read_faults(&mut self, package: u8, msr: u32) -> Option<bool> {
        let answer = self.machine.rdmsr(cpu(package), msr)?;
        Some(answer == Err(GeneralProtection))
    }

    /// `None`: the MSR is not the machine's; else true if a write of 0 faults.
    pub(crate) fn write_faults(&mut self, package: u8, msr: u32) -> Option<bool> {
        let answer = self.machine.wrmsr(cpu(package), msr, 0)?;
        Some(answer == Err(GeneralProtection))
    }

    /// Tells if the write of a value to an MSR of the machine faults.
    pub(crate) fn write_of_faults(&mut self, package: u8, msr: u32, value: u64) -> bool {
        let answer = self.machine.wrmsr(cpu(package), msr, value);
        answer.unwrap_or_else(|| panic!("MSR {msr:#x} is not the machine's"))
            == Err(GeneralProtection)
    }

    pub(crate) fn cfg(&mut self, at: Function, offset: u16) -> u32 {
        let answer = self.machine.config_read(at, offset, 4);
        answer.unwrap_or_else(|| panic!("no function {at}"))
    }

    pub(crate) fn set(&mut self, at: Function, offset: u16, value: u32) {
        let answer = self.machine.config_write(at, offset, 4, value);
        answer.unwrap_or_else(|| panic!("no function {at}"));
    }

    /// A PCI counter, low dword at `offset`.
    pub(crate) fn cfg_counter(&mut self, at: Function, offset: u16) -> u64 {
        let low = u64::from(self.cfg(at, offset));
        low | u64::from(self.cfg(at, offset + 4)) << 32
    }

    pub(crate) fn set_counter(&mut self, at: Function, offset: u16, value: u64) {
        self.set(at, offset, (value & 0xffff_ffff) as u32);
        self.set(at, offset + 4, (value >> 32) as u32);
    }

    /// Lets the fixed counter of the UBox of a package overflow after so many cycles.
    pub(crate) fn arm(&mut self, package: u8, distance: u64) {
        self.wr(package, 0xc08, EN | OV_EN);
        self.wr(package, 0xc09, FULL_48 - distance);
    }

    pub(crate) fn command(&mut self, line: &str) -> String {
        let answer = self.machine.command(line);
        answer.unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// The rules broken since the last call, with their bits.
    pub(crate) fn broken(&mut self) -> Vec<(Rule, u64)> {
        let violations = self.machine.violations().iter();
        let broken = violations.map(|v| (v.rule, v.bits)).collect();
        self.command("clear-violations");
        broken
    }

    /// Checks that no rule was broken since the last check.
    pub(crate) fn assert_clean(&mut self) {
        assert_eq!(self.command("violations"), "");
    }
}
