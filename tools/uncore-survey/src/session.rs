// SPDX-License-Identifier: GPL-2.0

//! A survey of a machine: runs the steps of experiments, and restores the registers.
//!
//! Before a register is written for the first time, the values of all registers of its box, and of the
//! package's global ones, are in the journal, a register on a line:
//!
//! ```text
//! BOX PACKAGE REGISTER VALUE
//! ```
//!
//! To restore them, each that reads otherwise is written, those of the last box first. What an
//! experiment does to registers beside those that it writes is undone by that as well.
//!
//! Control and filter registers of a box only change when they are written. If they read otherwise
//! than the session has left them, another program has written them, and nothing that was found is
//! certain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;

use kernel::error::code::EPERM;

use crate::bench::{Answer, Bench, LinkRegister, Refusal, Times};
use crate::machine::{number, Machine, Package, Placed, Step, Target};
use crate::names::{self, At, Register};
use crate::platform::GLOBAL;
use crate::uncore::counter_box::bus::{write_control, Bus as _};
use crate::uncore::table::field::low_half;

/// Name of the control register of a box.
const BOX_CONTROL: &str = "box_ctl";

/// The value of a register from before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    unit: String,
    package: String,
    name: String,
    value: u64,
}

/// What a session needs beside the machine.
pub trait Surroundings {
    /// Adds text to the journal, and returns once it is stored.
    fn store(&mut self, text: &str) -> io::Result<()>;

    /// Returns why the survey is to end, if it is.
    fn ended(&mut self) -> Option<String>;
}

/// A session.
pub struct Session<'a> {
    machine: &'a Machine,
    surroundings: &'a mut dyn Surroundings,
    kept: Vec<Kept>,
    /// Control and filter registers of boxes, by package and box, as they were left.
    left: BTreeMap<(u32, String), Vec<Option<u64>>>,
    times: Times,
    is_restored: bool,
}

impl<'a> Session<'a> {
    /// Begins a session.
    pub fn new(machine: &'a Machine, surroundings: &'a mut dyn Surroundings) -> Self {
        let mut left = BTreeMap::new();
        for (package, placed) in machine.boxes() {
            let key = (package.number, placed.name.clone());
            left.insert(key, controls(package, placed));
        }
        Self {
            machine,
            surroundings,
            kept: Vec::new(),
            left,
            times: Times::default(),
            is_restored: false,
        }
    }

    /// Restores all registers that were written. Returns what another program has written meanwhile, if
    /// it has: nothing that was found is certain then.
    ///
    /// # Errors
    ///
    /// Registers that could not be restored.
    pub fn end(mut self) -> io::Result<Option<String>> {
        let changed = self.changed(|_| true);
        self.is_restored = true;
        restore(self.machine, &self.kept)?;
        Ok(changed)
    }

    /// Returns which of some boxes another program has written, as a sentence.
    fn changed(&self, is_asked: impl Fn(&(u32, &str)) -> bool) -> Option<String> {
        let has_changed = |(package, placed): &(&Package, &Placed)| {
            let key = (package.number, placed.name.clone());
            is_asked(&(package.number, &placed.name))
                && self.left.get(&key) != Some(&controls(package, placed))
        };
        let (package, placed) = self.machine.boxes().find(has_changed)?;
        Some(changed_by_others(package, placed))
    }

    /// Keeps the values of the registers that steps are about to write.
    fn keep(&mut self, steps: &[Step<'_>]) -> io::Result<()> {
        let first = self.kept.len();
        for step in steps {
            let Step::Access(_, target, Some(_)) = step else {
                continue;
            };
            let (Target::Global(package, _) | Target::Box(package, ..)) = *target;
            // An overflow of any box can freeze its package.
            self.keep_all(package, GLOBAL, ["ctl", "status"].map(str::to_owned));
            if let Target::Box(_, placed, register) = *target {
                // What it reads does not tell whether it was written.
                let all = names::all(placed.kind).into_iter().map(|(name, _)| name);
                let own: Vec<String> = all.filter(|name| name != BOX_CONTROL).collect();
                self.keep_all(package, &placed.name, own);
                if register.family == BOX_CONTROL || !is_of_driver(placed, &register) {
                    self.keep_all(package, &placed.name, [register.family.to_owned()]);
                }
            }
        }
        let mut text = String::new();
        for Kept {
            unit,
            package,
            name,
            value,
        } in &self.kept[first..]
        {
            let _ = writeln!(text, "{unit} {package} {name} {value:#x}");
        }
        if text.is_empty() {
            return Ok(());
        }
        self.surroundings.store(&text)
    }

    /// Keeps the values of registers that are not kept yet, and that can be read.
    fn keep_all(&mut self, package: &Package, unit: &str, names: impl IntoIterator<Item = String>) {
        let number = package.number.to_string();
        for name in names {
            let is_same =
                |kept: &Kept| kept.name == name && kept.unit == unit && kept.package == number;
            if self.kept.iter().any(is_same) {
                continue;
            }
            let target = self.machine.target(unit, &number, &name);
            if let Some(Ok(value)) = target.map(|target| target.read(package.cpu)) {
                self.kept.push(Kept {
                    unit: unit.to_owned(),
                    package: number.clone(),
                    name,
                    value,
                });
            }
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.is_restored {
            let _ = restore(self.machine, &self.kept);
        }
    }
}

impl Bench for Session<'_> {
    fn run(&mut self, lines: &[String]) -> Result<Vec<Answer>, Refusal> {
        let machine = self.machine;
        let mut steps = Vec::new();
        for line in lines {
            let step = machine.step(line);
            steps.push(step.map_err(|why| Refusal::Step(format!("{line}: {why}")))?);
        }
        let boxes: BTreeSet<(u32, &str)> = steps.iter().filter_map(of_box).collect();
        let changed = self.changed(|at| boxes.contains(at));
        let changed = changed.or_else(|| self.surroundings.ended());
        if let Some(why) = changed {
            return Err(Refusal::Error(io::Error::other(why)));
        }
        self.keep(&steps).map_err(Refusal::Error)?;
        let mut answers = Vec::new();
        self.times = Times::default();
        let mut last = machine.host.hardware().time();
        for step in &steps {
            if let Some(why) = self.surroundings.ended() {
                return Err(Refusal::Error(io::Error::other(why)));
            }
            let answer = match step {
                Step::Wait(time) => {
                    machine.host.hardware().wait(*time);
                    Ok(Answer::Done)
                }
                Step::Access(cpu, target, None) => target.read(*cpu).map(Answer::Value),
                Step::Access(cpu, target, Some(value)) => {
                    target.write(*cpu, *value).map(|()| Answer::Done)
                }
            };
            match answer {
                Err(error) if error == EPERM => {
                    let error = machine.take_forbidden();
                    let error = error.unwrap_or_else(|| io::ErrorKind::PermissionDenied.into());
                    return Err(Refusal::Error(error));
                }
                answer => answers.push(answer.unwrap_or(Answer::Fault)),
            }
            let now = machine.host.hardware().time();
            let time = now - last;
            last = now;
            match step {
                Step::Wait(_) => self.times.waits += time,
                Step::Access(..) => self.times.access = self.times.access.max(time),
            }
        }
        for (package, placed) in machine.boxes() {
            if !boxes.contains(&(package.number, &placed.name)) {
                continue;
            }
            let key = (package.number, placed.name.clone());
            let now = controls(package, placed);
            let before = self.left.insert(key, now.clone()).unwrap_or_default();
            if differ_elsewhere(&before, &now, &steps, package, placed) {
                let why = changed_by_others(package, placed);
                return Err(Refusal::Error(io::Error::other(why)));
            }
        }
        Ok(answers)
    }

    fn times(&self) -> Times {
        self.times
    }

    fn of_link(&mut self, _: &str, place: &str, register: &LinkRegister) -> Option<u32> {
        self.machine
            .read_beside(place, register.function, register.offset)
    }
}

/// Returns a sentence that another program has written registers of a box.
fn changed_by_others(package: &Package, placed: &Placed) -> String {
    format!(
        "another program has written registers of {} of package {} meanwhile, so that nothing that was \
         found is certain",
        placed.name, package.number
    )
}

/// Returns whether control registers of a box differ from before, though none of these steps has
/// written them, nor reset the box.
fn differ_elsewhere(
    before: &[Option<u64>],
    now: &[Option<u64>],
    steps: &[Step<'_>],
    package: &Package,
    placed: &Placed,
) -> bool {
    let written = steps.iter().filter_map(|step| match step {
        Step::Access(_, Target::Box(at, of, register), Some(value))
            if at.number == package.number && of.name == placed.name =>
        {
            Some((register, *value))
        }
        _ => None,
    });
    let written: Vec<(&Register, u64)> = written.collect();
    let is_reset =
        |(register, value): &(&Register, u64)| register.family == BOX_CONTROL && value & 0b11 != 0;
    let registers = names::all(placed.kind).into_iter();
    let registers = registers.filter(|(_, register)| register.is_control());
    let mut pairs = registers.zip(before.iter().zip(now));
    !written.iter().any(is_reset)
        && pairs.any(|((_, register), (before, now))| {
            before != now && !written.iter().any(|(written, _)| written.at == register.at)
        })
}

/// Returns the package and the box of a step, if it has one.
fn of_box<'a>(step: &Step<'a>) -> Option<(u32, &'a str)> {
    match step {
        Step::Access(_, Target::Box(package, placed, _), _) => Some((package.number, &placed.name)),
        _ => None,
    }
}

/// Returns whether the driver uses a register.
fn is_of_driver(placed: &Placed, register: &Register) -> bool {
    let mut known = names::all(placed.kind).into_iter();
    known.any(|(_, known)| known.at == register.at)
}

/// Returns the control and filter registers of a box; `None` for one that cannot be read.
fn controls(package: &Package, placed: &Placed) -> Vec<Option<u64>> {
    let registers = names::all(placed.kind).into_iter();
    let controls = registers.filter(|(_, register)| register.is_control());
    placed.with(package.cpu, |bus| {
        controls
            .map(|(_, register)| register.at.read(bus).ok())
            .collect()
    })
}

/// Restores the registers of a journal.
///
/// # Errors
///
/// An unknown line, or registers that could not be restored.
pub fn restore_journal(machine: &Machine, journal: &str) -> io::Result<()> {
    let mut kept = Vec::new();
    // Without its end, a line was not stored before the register was written.
    for line in journal
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
    {
        let words: Vec<&str> = line.split(' ').collect();
        let known = match words.as_slice() {
            &[unit, package, name, value] => number(value)
                .filter(|_| machine.target(unit, package, name).is_some())
                .map(|value| Kept {
                    unit: unit.to_owned(),
                    package: package.to_owned(),
                    name: name.to_owned(),
                    value,
                }),
            _ => None,
        };
        let unknown = || io::Error::other(format!("this machine has no register {line:?}"));
        kept.push(known.ok_or_else(unknown)?);
    }
    restore(machine, &kept)
}

/// Restores registers: those of the last box first, then the global ones.
fn restore(machine: &Machine, kept: &[Kept]) -> io::Result<()> {
    let mut boxes: Vec<(&str, &str)> = Vec::new();
    for Kept { unit, package, .. } in kept.iter().rev() {
        if !boxes.contains(&(package, unit)) {
            boxes.push((package, unit));
        }
    }
    // The global registers let counters run.
    boxes.sort_by_key(|(_, unit)| *unit == GLOBAL);
    let mut failed = Vec::new();
    for (package, unit) in boxes {
        let own = kept
            .iter()
            .filter(|at| at.package == package && at.unit == unit);
        let mut own: Vec<(&str, Target<'_>, u64)> = own
            .filter_map(|at| {
                Some((
                    &*at.name,
                    machine.target(unit, package, &at.name)?,
                    at.value,
                ))
            })
            .collect();
        own.sort_by_key(|(_, target, _)| rank(target));
        release_guards(&own);
        for (name, target, before) in &own {
            if !restore_one(name, target, *before) {
                failed.push(format!("{unit} {package} {name}"));
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    let error = machine.take_forbidden();
    let why = error.map(|error| format!(" ({error})")).unwrap_or_default();
    let failed = failed.join(", ");
    Err(io::Error::other(format!(
        "these registers could not be restored{why}: {failed}"
    )))
}

/// The order in which registers of a box are restored: no counter counts when it is written, and a
/// filter that guards others comes after them.
fn rank(target: &Target<'_>) -> (u8, i64) {
    let Target::Box(_, placed, Register { at, family, .. }) = target else {
        return (0, 0);
    };
    let place = match *at {
        At::Word(place) => i64::from(place),
        _ => 0,
    };
    let filters = placed.kind.filters.iter();
    let index = filters
        .zip(0..)
        .find(|(filter, _)| At::Filter(filter.place) == *at);
    match (*family, index) {
        (_, Some((_, index))) => (1, -index),
        // Counter 0 is the last to stop: others can show the queue that it counts.
        ("ctl" | "fixed_ctl", _) => (0, -place),
        ("ctr" | "fixed_ctr", _) => (2, 0),
        (BOX_CONTROL, _) => (4, 0),
        _ => (3, 0),
    }
}

/// Writes 0 to filters that guard others, if one of a box has changed.
fn release_guards(own: &[(&str, Target<'_>, u64)]) {
    let filters = own.iter().filter_map(|(_, target, before)| match target {
        Target::Box(package, placed, register) if matches!(register.at, At::Filter(_)) => {
            Some((package, placed, register, target, *before))
        }
        _ => None,
    });
    let has_changed = filters
        .clone()
        .any(|(package, _, _, target, before)| target.read(package.cpu) != Ok(before));
    for (package, placed, register, target, _) in filters {
        let is_guard = placed.kind.filters.iter().any(|filter| {
            let guard = filter
                .guard
                .and_then(|index| placed.kind.filters.get(usize::from(index)));
            guard.is_some_and(|guard| At::Filter(guard.place) == register.at)
        });
        if is_guard && has_changed {
            let _ = target.write(package.cpu, 0);
        }
    }
}

/// Restores a register. Returns whether it has its value, as far as it tells.
fn restore_one(name: &str, target: &Target<'_>, before: u64) -> bool {
    let (Target::Global(package, _) | Target::Box(package, ..)) = target;
    let cpu = package.cpu;
    let Ok(now) = target.read(cpu) else {
        return false;
    };
    match target {
        Target::Global(_, register) if name == "ctl" => {
            let value = before | register.command;
            (register.command == 0 && now == before) || target.write(cpu, value).is_ok()
        }
        // Bits of a status are cleared by writing 1.
        _ if name.ends_with("status") => {
            let bits = match target {
                Target::Global(_, register) => register.bits,
                Target::Box(_, _, register) => register.bits,
            };
            let new = now & !before & bits;
            new == 0 || target.write(cpu, new).is_ok()
        }
        Target::Global(..) => true,
        Target::Box(_, placed, register) => placed.with(cpu, |bus| {
            let kind = placed.kind;
            match (register.family, register.at) {
                (BOX_CONTROL, At::Word(at)) => {
                    let Some(control) = &kind.box_control else {
                        return true;
                    };
                    // What it reads does not tell whether the box is frozen (U-9).
                    let before = low_half(before) & (control.freeze | control.unfreeze);
                    let released = bus.write(at, control.unfreeze);
                    let bits = control.freeze | control.unfreeze;
                    match bus.read(at) {
                        Ok(read) if read & bits != before => bus.write(at, before).is_ok(),
                        read => released.is_ok() && read.is_ok(),
                    }
                }
                _ if now == before => true,
                ("ctl", At::Word(at)) => {
                    let _ = write_control(bus, &kind.control, at, low_half(before));
                    register.at.read(bus) == Ok(before)
                }
                (_, At::Counter(_, bits)) => {
                    let misread = kind.misread;
                    let value = misread.map_or(before, |misread| misread.writable(before));
                    // A counter need not keep what is written (U-78).
                    let _ = register.at.write(bus, value & bits);
                    true
                }
                _ => {
                    let _ = register.at.write(bus, before);
                    register.at.read(bus) == Ok(before)
                }
            }
        }),
    }
}
