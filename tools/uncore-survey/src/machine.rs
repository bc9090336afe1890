// SPDX-License-Identifier: GPL-2.0

//! The boxes of a machine, found as the driver finds them, and the steps of experiments, one on a
//! line:
//!
//! ```text
//! BOX PACKAGE REGISTER         its value
//! BOX PACKAGE REGISTER VALUE   writes it
//! wait MICROSECONDS
//! ```
//!
//! [`names`](crate::names) has the names. A step accesses the registers on the first online CPU of the
//! package, unless a CPU follows its number, as in `0@3`. Only registers of the counters can be named,
//! and only bits of them that the tables know can be written.
//!
//! Nothing here writes a register but [`Target::write`]: a box is there if what tells so has it, or
//! its PCI function is, and its first register answers.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use kernel::error::code::ENODEV;
use kernel::error::Result;

use crate::host::{self, Address, Hardware, Host};
use crate::lab::Site;
use crate::linux::context::IrqsOff;
use crate::linux::msr;
use crate::linux::pci::{self, ConfigSpace};
use crate::linux::topology::Cpu;
use crate::names::{self, At, GlobalRegister, Register};
use crate::platform::{find, platform_of, GLOBAL};
use crate::uncore::absence::{MissingReason, Part};
use crate::uncore::counter_box::bus::{BoxAccess, FilterLocation, FunctionRegisters, Registers};
use crate::uncore::machine::discovery::{self, Buses};
use crate::uncore::machine::{pci_table, presence};
use crate::uncore::request::name::BoxName;
use crate::uncore::table::box_type::{self, BoxType, Platform};

/// Longest wait of a step, in microseconds.
const MAX_WAIT: u64 = 10_000;

/// A machine.
pub struct Machine {
    pub(crate) host: Rc<Host>,
    pub(crate) platform: &'static Platform,
    /// The survey's name of the platform.
    pub name: &'static str,
    pub(crate) packages: Vec<Package>,
}

/// A package.
pub(crate) struct Package {
    pub(crate) number: u32,
    pub(crate) cpu: u32,
    pub(crate) boxes: Vec<Placed>,
}

/// A box that is there.
pub(crate) struct Placed {
    pub(crate) name: String,
    pub(crate) kind: &'static BoxType,
    registers: Registers,
    filters: FilterLocation,
}

/// A step.
pub(crate) enum Step<'a> {
    Wait(u64),
    /// An access to a register: on which CPU, and the value of a write.
    Access(u32, Target<'a>, Option<u64>),
}

/// A register of the machine.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    Global(&'a Package, GlobalRegister),
    Box(&'a Package, &'a Placed, Register),
}

impl Machine {
    /// Finds the boxes of a machine; `None` if its processor is of no platform.
    pub fn new(hardware: Box<dyn Hardware>) -> Option<Self> {
        let (platform, name) = platform_of(hardware.processor())?;
        let host = Rc::new(Host::new(hardware));
        host::set(host.clone());
        let buses = discovery::find(platform).unwrap_or_else(|_| Buses::none());
        let mut cpus = BTreeMap::new();
        for place in host.cpus() {
            cpus.entry(place.package).or_insert(place.cpu);
        }
        let packages = cpus.into_iter().map(|(number, cpu)| {
            let mut boxes: Vec<Placed> = Vec::new();
            for &kind in platform.box_types {
                boxes.extend(boxes_of(platform, kind, &buses, number, cpu));
            }
            boxes.retain(|placed| placed.answers(cpu));
            Package { number, cpu, boxes }
        });
        let packages = packages.collect();
        Some(Self {
            host,
            platform,
            name,
            packages,
        })
    }

    /// Returns the error of the first access since the last call that the kernel has forbidden.
    pub fn take_forbidden(&self) -> Option<std::io::Error> {
        self.host.take_forbidden()
    }

    /// Returns the numbers of the packages, with the number of boxes of each unit.
    pub fn shape(&self) -> Vec<(u32, BTreeMap<&'static str, u32>)> {
        let units = |package: &Package| {
            let mut units = BTreeMap::new();
            for placed in &package.boxes {
                *units.entry(placed.kind.name).or_default() += 1;
            }
            (package.number, units)
        };
        self.packages.iter().map(units).collect()
    }

    /// Returns the package to survey: the first one with most boxes.
    pub fn site(&self) -> Option<Site> {
        let package = self.packages.iter().rev().max_by_key(|at| at.boxes.len())?;
        let places = self.host.cpus();
        let of_package = places.iter().filter(|at| at.package == package.number);
        let mut cores = BTreeMap::new();
        for place in of_package {
            cores.entry(place.core).or_insert(place.cpu);
        }
        let boxes = || package.boxes.iter();
        let addresses = boxes().filter_map(|placed| Some((placed, placed.address()?)));
        // The IRP is on another bus.
        let here = addresses.clone().filter(|(placed, _)| placed.name != "irp");
        let buses: BTreeSet<(u32, u8)> = here.map(|(_, at)| (at.domain, at.bus)).collect();
        let functions = pci::all().filter(|function| {
            let Address { domain, bus, .. } = function.address();
            buses.contains(&(domain, bus))
        });
        Some(Site {
            package: package.number.to_string(),
            boxes: boxes().map(|placed| placed.name.clone()).collect(),
            locations: addresses
                .map(|(placed, at)| (placed.name.clone(), at.to_string()))
                .collect(),
            cores: cores.into_values().collect(),
            platform: Some((self.platform, find(self.platform.name)?)),
            functions: functions
                .map(|function| {
                    let Address {
                        device,
                        function: number,
                        ..
                    } = function.address();
                    (format!("{device:02x}.{number}"), function.device_id())
                })
                .collect(),
        })
    }

    /// Returns the boxes with an enabled counter: `cbox_0 of package 1`.
    pub fn enabled(&self) -> Vec<String> {
        let counting = self
            .boxes()
            .filter(|(package, placed)| placed.counts(package.cpu));
        let names = counting
            .map(|(package, placed)| format!("{} of package {}", placed.name, package.number));
        names.collect()
    }

    /// Returns the boxes, with their packages.
    pub(crate) fn boxes<'a>(&'a self) -> impl Iterator<Item = (&'a Package, &'a Placed)> {
        let of_package =
            |package: &'a Package| package.boxes.iter().map(move |placed| (package, placed));
        self.packages.iter().flat_map(of_package)
    }

    /// Returns the package with a number.
    fn package(&self, number: &str) -> Option<&Package> {
        let number = number.parse().ok()?;
        self.packages
            .iter()
            .find(|package| package.number == number)
    }

    /// Parses a package, and the CPU on which a step runs.
    fn place(&self, word: &str) -> std::result::Result<(&Package, u32), String> {
        let (number, cpu) = match word.split_once('@') {
            Some((number, cpu)) => (number, Some(cpu)),
            None => (word, None),
        };
        let package = self.package(number).ok_or("no such package")?;
        let Some(cpu) = cpu else {
            return Ok((package, package.cpu));
        };
        let mut places = self.host.cpus().into_iter();
        let place = places.find(|place| place.cpu.to_string() == cpu);
        let place = place.filter(|place| place.package == package.number);
        let place = place.ok_or("the CPU is not an online one of the package")?;
        Ok((package, place.cpu))
    }

    /// Finds a register.
    pub(crate) fn target(&self, unit: &str, package: &str, name: &str) -> Option<Target<'_>> {
        self.target_in(self.package(package)?, unit, name)
    }

    fn target_in<'a>(&self, package: &'a Package, unit: &str, name: &str) -> Option<Target<'a>> {
        if unit == GLOBAL {
            let register = GlobalRegister::find(self.platform, name)?;
            return Some(Target::Global(package, register));
        }
        let placed = package.boxes.iter().find(|placed| placed.name == unit)?;
        let register = names::find(placed.kind, self.platform, name)?;
        Some(Target::Box(package, placed, register))
    }

    /// Parses a step, and checks that it may run.
    pub(crate) fn step(&self, line: &str) -> std::result::Result<Step<'_>, String> {
        let words: Vec<&str> = line.split(' ').collect();
        let (unit, place, name, value) = match words.as_slice() {
            ["wait", time] => {
                let time = time.parse().ok().filter(|&time| time <= MAX_WAIT);
                return Ok(Step::Wait(time.ok_or("too long a wait")?));
            }
            &[unit, place, name] => (unit, place, name, None),
            &[unit, place, name, value] => (unit, place, name, Some(value)),
            _ => return Err("not a step".to_owned()),
        };
        let (package, cpu) = self.place(place)?;
        let target = self.target_in(package, unit, name);
        let target = target.ok_or("the package has no such register")?;
        let value = value
            .map(|value| number(value).ok_or("not a value"))
            .transpose()?;
        let bits = target.bits_of(self.platform, value.unwrap_or(0));
        match value.map(|value| value & !bits) {
            Some(unknown) if unknown != 0 || bits == 0 => {
                Err(format!("the bits {unknown:#x} are not written"))
            }
            _ => Ok(Step::Access(cpu, target, value)),
        }
    }

    /// Reads a register of another function of a device, if that is there.
    pub(crate) fn read_beside(&self, place: &str, function: u8, offset: u16) -> Option<u32> {
        let boxes = self.packages.iter().flat_map(|package| &package.boxes);
        let mut addresses = boxes.filter_map(Placed::address);
        let address = addresses.find(|address| address.to_string() == place)?;
        let beside = Address {
            function,
            ..address
        };
        let found = pci::all().find(|function| function.address() == beside)?;
        found.read(offset).ok()
    }
}

/// Returns the names of the boxes that the tables allow, with the places of their PCI functions, and
/// the IDs of the functions by place: those of a machine that has all of them.
pub(crate) fn of_tables(
    platform: &Platform,
) -> (Vec<String>, BTreeMap<String, String>, BTreeMap<String, u16>) {
    let (mut boxes, mut places, mut functions) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    for &kind in platform.box_types {
        for index in 0..kind.max_boxes() {
            boxes.push(BoxName { kind, index }.to_string());
        }
        let box_type::Access::Pci(all) = kind.access else {
            continue;
        };
        for at in all {
            let name = BoxName {
                kind,
                index: at.index,
            }
            .to_string();
            let place = format!("{:02x}.{}", at.device, at.function);
            functions.insert(place.clone(), at.device_id);
            places.insert(name, place);
        }
    }
    (boxes, places, functions)
}

/// Returns the boxes of a type that a package has.
fn boxes_of(
    platform: &'static Platform,
    kind: &'static BoxType,
    buses: &Buses,
    package: u32,
    cpu: u32,
) -> Vec<Placed> {
    let placed = |index, registers| Placed {
        name: BoxName { kind, index }.to_string(),
        kind,
        registers,
        filters: FilterLocation::Own,
    };
    match kind.access {
        box_type::Access::Msr { bases, present } => {
            let hardware = presence::Hardware {
                buses,
                package,
                cpu: Cpu::running(cpu),
            };
            let boxes = presence::find(package, kind, present, &hardware);
            let all = (0..u8::MAX).zip(bases);
            let there = all.filter(|(index, _)| boxes.absence(*index).is_none());
            there
                .map(|(index, &base)| placed(index, Registers::of_msrs(kind, base, index)))
                .collect()
        }
        box_type::Access::Pci(table) => {
            let mut found: BTreeMap<u8, Placed> = BTreeMap::new();
            let mut filters = BTreeMap::new();
            for function in pci::all() {
                let address = function.address();
                let place = (address.device, address.function);
                let row = pci_table::find(platform, function.device_id(), place);
                let is_here = buses.package(address.into()) == Ok(package);
                let Some(row) = row.filter(|row| is_here && std::ptr::eq(row.name.kind, kind))
                else {
                    continue;
                };
                let space = ConfigSpace::new(&function);
                match (
                    row.part,
                    Registers::of_function(FunctionRegisters::Config(space.clone())),
                ) {
                    (Part::Filters, _) => drop(filters.insert(row.name.index, space)),
                    (Part::Box, Ok(registers)) => {
                        let index = row.name.index;
                        found
                            .entry(index)
                            .or_insert_with(|| placed(index, registers));
                    }
                    (Part::Box, Err(_)) => {}
                }
            }
            for at in table.iter().filter(|at| at.filters.is_some()) {
                if let Some(placed) = found.get_mut(&at.index) {
                    placed.filters = match filters.remove(&at.index) {
                        Some(space) => FilterLocation::Function(space),
                        None => FilterLocation::Missing(MissingReason::Unseen),
                    };
                }
            }
            found.into_values().collect()
        }
        // No experiment looks at counters in memory, and user space may not.
        box_type::Access::Memory(_) => Vec::new(),
    }
}

impl Placed {
    /// Calls `f` with the registers.
    pub(crate) fn with<R>(&self, cpu: u32, f: impl FnOnce(&BoxAccess<'_>) -> R) -> R {
        let here = IrqsOff::on(Cpu::running(cpu));
        f(&BoxAccess::new(Some(&self.registers), &self.filters, &here))
    }

    /// Returns the address of the PCI function, if the box is one.
    fn address(&self) -> Option<Address> {
        match &self.registers {
            Registers::Function(function) => match &**function {
                FunctionRegisters::Config(space) => Some(space.address()),
                FunctionRegisters::Memory(_) => None,
            },
            Registers::Msr(_) => None,
        }
    }

    /// Returns whether the first control register answers.
    fn answers(&self, cpu: u32) -> bool {
        let registers = names::all(self.kind);
        let mut controls = registers
            .iter()
            .filter(|(_, register)| matches!(register.family, "ctl" | "fixed_ctl"));
        let first = controls.next();
        first.is_some_and(|(_, register)| self.with(cpu, |bus| register.at.read(bus)).is_ok())
    }

    /// Returns whether a counter is enabled.
    fn counts(&self, cpu: u32) -> bool {
        let enabled = |at, enable: u32| {
            let read = self.with(cpu, |bus| At::Word(at).read(bus));
            read.is_ok_and(|value| value & u64::from(enable) == u64::from(enable))
        };
        let kind = self.kind;
        let fixed = kind.fixed.iter().filter_map(|at| at.control.as_ref());
        kind.counters
            .iter()
            .any(|at| enabled(at.control, kind.control.enable))
            || fixed.into_iter().any(|at| enabled(at.offset, at.enable))
    }
}

impl Target<'_> {
    /// Bits that may be written 1 if they are in a value. What a bit of a control register does that
    /// the tables do not know, a running counter must not do where nothing takes an interrupt.
    fn bits_of(&self, platform: &Platform, value: u64) -> u64 {
        match self {
            Target::Box(_, _, Register { added, .. })
                if platform.interrupt().is_none() && value & added != 0 =>
            {
                *added
            }
            Target::Box(_, _, register) => register.bits,
            Target::Global(_, register) => register.bits,
        }
    }

    /// Reads the register.
    pub(crate) fn read(&self, cpu: u32) -> Result<u64> {
        match self {
            Target::Global(_, register) => msr::read(&IrqsOff::on(Cpu::running(cpu)), register.msr),
            Target::Box(_, placed, register) => placed.with(cpu, |bus| register.at.read(bus)),
        }
    }

    /// Writes the register.
    pub(crate) fn write(&self, cpu: u32, value: u64) -> Result {
        match self {
            Target::Global(_, register) => {
                msr::write(&IrqsOff::on(Cpu::running(cpu)), register.msr, value)
            }
            Target::Box(
                _,
                placed,
                Register {
                    at: At::Filter(_), ..
                },
            ) if !placed.filters.is_usable() => Err(ENODEV),
            Target::Box(_, placed, register) => {
                placed.with(cpu, |bus| register.at.write(bus, value))
            }
        }
    }
}

/// Parses a value.
pub(crate) fn number(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}
