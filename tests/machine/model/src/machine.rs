// SPDX-License-Identifier: GPL-2.0

//! The machine: finds the package of an access, keeps ledger, log and faults.

use crate::defect::Defects;
use crate::faults::Faults;
use crate::interrupts::Interrupts;
use crate::layout::Bus;
use crate::log::AccessLog;
use crate::package::{Outcome, Package};
use crate::readings::Reading;
use crate::register::Write;
use crate::topology::Topology;
use crate::violation::{Finding, Ledger, Rule, Violation};
use crate::{Cpu, Function, GeneralProtection};

/// The whole machine.
#[derive(Debug)]
pub struct Machine {
    pub(crate) topology: Topology,
    pub(crate) packages: Vec<Package>,
    /// The package and its bus behind each bus number.
    buses: [Option<(u8, Bus)>; 256],
    pub(crate) free_running: bool,
    pub(crate) faults: Faults,
    pub(crate) defects: Defects,
    pub(crate) interrupts: Interrupts,
    pub(crate) ledger: Ledger,
    pub(crate) log: AccessLog,
}

impl Machine {
    /// A machine just out of reset.
    pub fn new(topology: Topology) -> Self {
        let mut buses = [None; 256];
        for (number, shape) in (0..).zip(&topology.packages) {
            for (at, bus) in shape
                .buses
                .into_iter()
                .flat_map(|all| [Bus::Uncore, Bus::Iio].map(|bus| (all.number(bus), bus)))
            {
                buses[usize::from(at)] = Some((number, bus));
            }
        }
        let numbers = (0..).take(topology.packages.len());
        let mut faults = Faults::default();
        topology.hidden.iter().for_each(|at| faults.hide(*at));
        Self {
            packages: numbers.map(|n| Package::new(&topology, n)).collect(),
            interrupts: Interrupts::new(topology.packages.len()),
            topology,
            buses,
            free_running: false,
            faults,
            defects: Defects::default(),
            ledger: Ledger::default(),
            log: AccessLog::default(),
        }
    }

    /// Reads an MSR; `None` if it is none of the uncore's.
    pub fn rdmsr(&mut self, cpu: Cpu, msr: u32) -> Option<Result<u64, GeneralProtection>> {
        let cpu = self.defects.routed(cpu);
        let package = self.packages.get_mut(usize::from(cpu.package))?;
        let outcome = if self.faults.fails(cpu.package, msr) {
            Outcome::failed()
        } else {
            package.read_msr(cpu.core, msr)?
        };
        let name = || package.msr_name(msr);
        self.ledger.record(cpu.package, &outcome.findings, name);
        self.note_complaints(cpu.package);
        self.log.add(|| match outcome.result {
            Ok(value) => format!("rdmsr {} {msr:#x} {value:#x}", cpu.package),
            Err(GeneralProtection) => format!("rdmsr {} {msr:#x} #GP", cpu.package),
        });
        if outcome.result.is_ok() {
            self.after_read(cpu.package, msr);
        }
        Some(outcome.result)
    }

    /// Writes an MSR; `None` if it is none of the uncore's.
    pub fn wrmsr(
        &mut self,
        cpu: Cpu,
        msr: u32,
        value: u64,
    ) -> Option<Result<(), GeneralProtection>> {
        let cpu = self.defects.routed(cpu);
        let package = self.packages.get_mut(usize::from(cpu.package))?;
        let status = package.global.status;
        let outcome = if self.faults.fails(cpu.package, msr) {
            Outcome::failed()
        } else {
            package.write_msr(cpu.core, msr, value)?
        };
        let name = || package.msr_name(msr);
        self.ledger.record(cpu.package, &outcome.findings, name);
        self.note_complaints(cpu.package);
        self.log.add(|| {
            let fault = if outcome.result.is_ok() { "" } else { " #GP" };
            format!("wrmsr {} {msr:#x} {value:#x}{fault}", cpu.package)
        });
        if outcome.result.is_ok() {
            self.after_write(cpu.package, msr, value, status);
        }
        Some(outcome.result)
    }

    /// Reads configuration space; `None` if the function is not of this machine.
    pub fn config_read(&mut self, at: Function, offset: u16, size: u8) -> Option<u32> {
        if let Some(value) = self.read_bridge(at, offset, size) {
            return Some(value);
        }
        let (package, function) = self.find(self.answering(at, offset))?;
        let value = if self.faults.is_hidden(at) {
            u32::MAX
        } else if is_legal(offset, size) {
            let dword = offset & !3;
            let (value, findings) = self.packages[package].read_config(function, dword);
            self.record_config(at, dword, &findings);
            self.note_complaints(self.packages[package].number);
            value >> (8 * (offset % 4))
        } else {
            self.record_config(at, offset, &[Finding::new(Rule::BadAccess, size)]);
            u32::MAX
        };
        let value = value & lanes(size);
        self.log
            .add(|| format!("cfgr {at} {offset:#x} {size} {value:#x}"));
        Some(value)
    }

    /// Reads configuration space in memory.
    pub fn config_read_in_memory(&mut self, at: Function, offset: u16, size: u8) -> Option<u32> {
        let value = self.config_read(at, offset, size)?;
        let lacks_counters = self.topology.readings.has(Reading::NoCountersInMemory);
        let is_counter = self.find(at).is_some_and(|(package, function)| {
            self.packages[package].has_counter_at(function, offset & !3)
        });
        let blank = lacks_counters && is_counter && !self.faults.is_hidden(at);
        Some(if blank { 0 } else { value })
    }

    /// Writes configuration space; `None` if the function is not of this machine.
    pub fn config_write(&mut self, at: Function, offset: u16, size: u8, value: u32) -> Option<()> {
        if self.write_bridge(at, offset, size, value).is_some() {
            return Some(());
        }
        let (package, function) = self.find(at)?;
        self.log
            .add(|| format!("cfgw {at} {offset:#x} {size} {value:#x}"));
        if self.faults.is_hidden(at) {
            return Some(());
        }
        if !is_legal(offset, size) {
            self.record_config(at, offset, &[Finding::new(Rule::BadAccess, size)]);
            return Some(());
        }
        let shift = 8 * (offset % 4);
        let write = Write {
            value: value << shift,
            lanes: lanes(size) << shift,
        };
        let findings = self.packages[package].write_config(function, offset & !3, write);
        self.record_config(at, offset & !3, &findings);
        self.note_complaints(self.packages[package].number);
        Some(())
    }

    /// Returns the violations by the software since the start or the last clearing.
    pub fn violations(&self) -> &[Violation] {
        self.ledger.list()
    }

    /// Tells if time passes by itself.
    pub fn is_free_running(&self) -> bool {
        self.free_running
    }

    /// The shape of the machine.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The package whose UBox is on a bus.
    pub(crate) fn package_of_uncore_bus(&self, bus: u8) -> Option<u8> {
        match self.buses[usize::from(bus)]? {
            (package, Bus::Uncore) => Some(package),
            (_, Bus::Iio) => None,
        }
    }

    /// The indexes of the package and of the function in it.
    pub(crate) fn find(&self, at: Function) -> Option<(usize, usize)> {
        let (package, bus) = self.buses[usize::from(at.bus)]?;
        let package = usize::from(package);
        let functions = &self.packages[package].functions;
        Some((package, functions.find(bus, at.device, at.function)?))
    }

    fn record_config(&mut self, at: Function, offset: u16, findings: &[Finding]) {
        if findings.is_empty() {
            return;
        }
        if let Some((package, function)) = self.find(at) {
            let package = &mut self.packages[package];
            let name = package.config_name(function, offset & !3);
            let name = || format!("{name} ({at} offset {offset:#x})");
            self.ledger.record(package.number, findings, name);
        }
    }

    /// Takes over the violations that a package found as time passed.
    pub(crate) fn note_complaints(&mut self, package: u8) {
        let complaints = &mut self.packages[usize::from(package)].complaints;
        for (place, finding) in complaints.drain(..) {
            self.ledger.record(package, &[finding], || place.clone());
        }
    }
}

/// The plugin's threads share the machine behind a lock.
const _: () = {
    const fn can_move_between_threads<T: Send>() {}
    can_move_between_threads::<Machine>();
};

/// Tells if configuration space allows an access of this size at this offset.
pub(crate) fn is_legal(offset: u16, size: u8) -> bool {
    matches!(size, 1 | 2 | 4) && offset % u16::from(size) == 0 && offset < 0x1000
}

/// Ones in the bits of an access.
pub(crate) fn lanes(size: u8) -> u32 {
    match size {
        1 => 0xff,
        2 => 0xffff,
        _ => u32::MAX,
    }
}
