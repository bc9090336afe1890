// SPDX-License-Identifier: GPL-2.0

//! Carries out the commands of `command.rs`.

use crate::command::{Change, Command, Preload};
use crate::layout::Access;
use crate::machine::Machine;
use crate::package::Package;
use crate::pmon::{Lock, PmonBox};
use crate::{readings, state, CommandError, Function};

/// The core whose MSRs `peek-msr` and `poke-msr` access, for MSRs of which each
/// core has one.
const FIRST_CORE: u8 = 0;

/// The name of the counters in memory, as of a box.
const IN_MEMORY: &str = "imc";

impl Machine {
    /// Executes one command line and gives its answer; empty means done. Fails if the
    /// line is malformed, or names something that the machine lacks.
    pub fn command(&mut self, line: &str) -> Result<String, CommandError> {
        match Command::parse(line, self.topology.platform)? {
            Command::Burst(cycles) => self.burst(cycles),
            Command::BurstThrough(cycles) => self.command_through(cycles)?,
            Command::BurstLeft => return Ok(self.burst_left().to_string()),
            Command::Clock => return Ok(self.clock()),
            Command::FreeRun(on) => self.free_running = on,
            Command::Violations => return Ok(self.violation_lines()),
            Command::ClearViolations => self.ledger.clear(),
            Command::Hide(function) => {
                self.known_function(function)?;
                self.faults.hide(function);
            }
            Command::Show(function) => {
                self.known_function(function)?;
                self.faults.show(function);
            }
            Command::Lock(package, name, lock) => self.set_lock(package, &name, lock)?,
            Command::FailMsr(package, msr) => {
                self.known_package(package)?;
                self.faults.fail(package, msr);
            }
            Command::HealMsr(package, msr) => {
                self.known_package(package)?;
                self.faults.heal(package, msr);
            }
            Command::PokeMsr(package, msr, value) => self.poke_msr(package, msr, value)?,
            Command::PeekMsr(package, msr) => return self.peek_msr(package, msr),
            Command::PokeConfig(at, offset, value) => self.poke_config(at, offset, value)?,
            Command::PeekConfig(at, offset) => return self.peek_config(at, offset),
            Command::Preload(preload) => self.preload(&preload)?,
            Command::PreloadAll(distance, kind) => self.preload_all(distance, kind.as_deref())?,
            Command::Defect(defect) => {
                if let Some(package) = self.lacks_package_of(&defect) {
                    return Err(CommandError::no_such("package", package));
                }
                self.plant(defect);
            }
            Command::ClearDefects => self.clear_defects(),
            Command::FreezeDelay(others, own) => {
                for package in &mut self.packages {
                    package.freeze_delay = others;
                    package.own_delay = own;
                }
            }
            Command::LateMessage(package, name, step) => {
                let (package, index) = self.known_box(package, &name)?;
                self.packages[package].boxes[index].held = Some(step);
            }
            Command::Pmi(rule) => self.interrupts.rule(rule),
            Command::Interrupts => return Ok(self.interrupts.lines()),
            Command::ClearInterrupts => self.interrupts.clear(),
            Command::LoseEnable(package) => self.lose_enable(package)?,
            Command::Sleep(package) => {
                let index = self.known_package(package)?;
                self.lose_power_of(index);
            }
            Command::ClearCounters(package, name) => {
                let index = self.known_package(package)?;
                let pmon = name.map(|name| self.known_box(package, &name));
                let pmon = pmon.transpose()?.map(|(_, pmon)| pmon);
                self.packages[index].clear_counters(pmon);
            }
            Command::Log(on) => self.log.on = on,
            Command::TakeLog => return Ok(self.log.take()),
            Command::State => return Ok(self.state()),
            Command::Reading => return Ok(self.topology.readings.names(self.topology.platform)),
            Command::Take(change) => self.change_readings(change)?,
            Command::Readings => return Ok(readings::lines(self.topology.platform)),
        }
        Ok(String::new())
    }

    fn change_readings(&mut self, change: Change) -> Result<(), CommandError> {
        let (before, platform) = (self.topology.readings, self.topology.platform);
        let after = match change {
            Change::To(readings) => readings,
            Change::With(readings) => before.without(readings, platform).and(readings),
            Change::Without(readings) => before.without(readings, platform),
        };
        self.take(after).map_err(CommandError)
    }

    fn set_lock(
        &mut self,
        package: u8,
        name: &str,
        lock: Option<Lock>,
    ) -> Result<(), CommandError> {
        let (package, index) = self.known_box(package, name)?;
        let pmon = &mut self.packages[package].boxes[index];
        if lock == Some(Lock::Faults) && matches!(pmon.layout.access, Access::Pci(_)) {
            return Err(CommandError::no_such("box with MSRs", name));
        }
        pmon.lock = lock;
        Ok(())
    }

    fn violation_lines(&self) -> String {
        let summary = self.ledger.summary().into_iter();
        let lines = summary.map(|(violation, times)| match times {
            1 => violation.to_string(),
            times => format!("{violation} ({times} times)"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn known_package(&self, package: u8) -> Result<usize, CommandError> {
        let index = usize::from(package);
        if index < self.packages.len() {
            Ok(index)
        } else {
            Err(CommandError::no_such("package", package))
        }
    }

    fn known_function(&self, at: Function) -> Result<(usize, usize), CommandError> {
        let found = self.find(at);
        found.ok_or_else(|| CommandError::no_such("function", at))
    }

    fn poke_msr(&mut self, package: u8, msr: u32, value: u64) -> Result<(), CommandError> {
        let index = self.known_package(package)?;
        let done = self.packages[index].poke_msr(FIRST_CORE, msr, value);
        done.ok_or_else(|| CommandError::no_such("MSR", format!("{msr:#x}")))?;
        self.go_on(index);
        Ok(())
    }

    fn peek_msr(&mut self, package: u8, msr: u32) -> Result<String, CommandError> {
        let index = self.known_package(package)?;
        let value = self.packages[index].peek_msr(FIRST_CORE, msr);
        let value = value.ok_or_else(|| CommandError::no_such("MSR", format!("{msr:#x}")))?;
        Ok(format!("{value:#x}"))
    }

    fn poke_config(&mut self, at: Function, offset: u16, value: u32) -> Result<(), CommandError> {
        let (package, function) = self.known_function(at)?;
        let done = self.packages[package].poke_config(function, offset, value);
        done.ok_or_else(|| CommandError::no_such("register", format!("{at} {offset:#x}")))
    }

    fn peek_config(&mut self, at: Function, offset: u16) -> Result<String, CommandError> {
        let (package, function) = self.known_function(at)?;
        let value = self.packages[package].peek_config(function, offset);
        Ok(format!("{value:#x}"))
    }

    /// Starts a burst-through unless another is in progress; 0 drops the rest of
    /// that one.
    fn command_through(&mut self, cycles: u64) -> Result<(), CommandError> {
        match self.burst_left() {
            left @ 1.. if cycles > 0 => Err(CommandError(format!(
                "{left} cycles of the last burst-through are still to come"
            ))),
            _ => {
                self.burst_through(cycles);
                Ok(())
            }
        }
    }

    fn lose_enable(&mut self, package: u8) -> Result<(), CommandError> {
        let index = self.known_package(package)?;
        let done = self.packages[index].lose_enable();
        done.ok_or_else(|| CommandError::no_such("level in package", package))
    }

    /// The indexes of a package and of a box in it.
    fn known_box(&self, package: u8, name: &str) -> Result<(usize, usize), CommandError> {
        let package = self.known_package(package)?;
        let found = self.packages[package].box_named(name);
        Ok((
            package,
            found.ok_or_else(|| CommandError::no_such("box", name))?,
        ))
    }

    fn preload(&mut self, preload: &Preload) -> Result<(), CommandError> {
        if self.preload_memory(preload)? {
            return Ok(());
        }
        let (package, index) = self.known_box(preload.package, &preload.pmon)?;
        let package = &mut self.packages[package];
        let pmon = &package.boxes[index];
        let found = pmon.layout.counter_named(&preload.counter);
        let counter = found.ok_or_else(|| CommandError::no_such("counter", &preload.counter))?;
        if preload.value > pmon.counter_mask(counter) {
            let width = pmon.sound_width(counter);
            return Err(CommandError::too_wide(preload.value, width));
        }
        package.settle(index);
        package.boxes[index].set_counter(counter, preload.value);
        Ok(())
    }

    /// Puts a value in a counter in memory; false if another one is meant.
    fn preload_memory(&mut self, preload: &Preload) -> Result<bool, CommandError> {
        let index = self.known_package(preload.package)?;
        let package = &mut self.packages[index];
        let memory = package.memory.as_mut();
        let Some(counters) = memory.filter(|_| preload.pmon == IN_MEMORY) else {
            return Ok(false);
        };
        let value = u32::try_from(preload.value)
            .map_err(|_| CommandError::too_wide(preload.value, u32::BITS))?;
        counters.settle(package.now);
        let done = counters.set(&preload.counter, value);
        done.ok_or_else(|| CommandError::no_such("counter", &preload.counter))?;
        Ok(true)
    }

    /// Puts all counters of the boxes of one type, or of all, at a distance from
    /// their overflow.
    fn preload_all(&mut self, distance: u64, kind: Option<&str>) -> Result<(), CommandError> {
        let chosen = |pmon: &PmonBox| kind.is_none_or(|kind| kind == pmon.layout.name);
        let mut found = false;
        for package in &mut self.packages {
            package.settle_all();
            for pmon in package.boxes.iter_mut().filter(|pmon| chosen(pmon)) {
                pmon.preload(distance);
                found = true;
            }
            let memory = package.memory.as_mut();
            if let Some(counters) = memory.filter(|_| kind.is_none_or(|kind| kind == IN_MEMORY)) {
                counters.settle(package.now);
                counters.preload(distance);
                found = true;
            }
        }
        if found {
            Ok(())
        } else {
            Err(CommandError::no_such("box type", kind.unwrap_or_default()))
        }
    }

    fn state(&mut self) -> String {
        self.packages.iter_mut().for_each(Package::settle_all);
        let num_c = |package: &Package| self.topology.num_c(package.number);
        let parts = self.packages.iter().map(|p| state::describe(p, num_c(p)));
        parts.collect::<Vec<_>>().concat()
    }
}
