// SPDX-License-Identifier: GPL-2.0

//! The file `survey` of debugfs: small experiments with the registers of the counters.
//!
//! `uncore survey` settles with it what the sources leave open. A text is an experiment, one step
//! on a line, and reading the file gives the result of each step on a line:
//!
//! ```text
//! BOX PACKAGE REGISTER         its value in hexadecimal, or "fault"
//! BOX PACKAGE REGISTER VALUE   "written", or "fault"
//! wait MICROSECONDS            "waited"
//! interrupt PACKAGE BITS WHAT  cores that an overflow interrupts, see [`interrupt`]
//! ```
//!
//! [`register`] has the names. The steps of a package run on its designated CPU, unless a CPU follows
//! its number, as in `0@3`. Only registers of the counters can be named, and only the bits of them
//! that the tables know can be written. If a line is refused, no step runs, the write fails with
//! EINVAL, and reading the file gives the reason.
//!
//! While the file is open no event can be opened, and no counter interrupts. While an event is open
//! the file cannot be. When it is closed, each box that was written is reset, and its registers get
//! the values that they had ([`saved`]).

use self::{
    register::{
        decimal,
        find,
        is_box,
        number,
        words,
        GlobalRegister,
        Register, //
    },
    saved::Saved, //
};
use crate::{
    linux::{
        context::IrqsOff,
        cpuhp,
        debugfs::{
            Dialog,
            Print, //
        },
        smp,
        topology::Cpu, //
    },
    uncore::{
        counter_box::uncore_box::UncoreBox,
        machine::{
            package::Package,
            Machine, //
        },
        overflow::trial::Conditions,
        overflow_mode::PollReason,
        table::{
            box_type::{
                Platform,
                GLOBAL, //
            },
            field::mask, //
        }, //
    }, //
};
use kernel::{
    fmt,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    },
    time::{
        delay::fsleep,
        Delta, //
    }, //
};

mod interrupt;
mod register;
mod saved;
#[cfg(KUNIT_SUITES)]
mod tests;

/// Most steps of an experiment.
const MAX_STEPS: usize = 64;

/// Longest wait of a step, in microseconds.
const MAX_WAIT: i64 = 10_000;

/// The file.
pub(crate) struct Survey {
    machine: Arc<Machine>,
    session: Pin<KBox<Mutex<Session>>>,
}

/// State of the file while it is open.
#[derive(Default)]
struct Session {
    saved: Saved,
    answer: Answer,
    /// Reasons why counters did not interrupt before, for each package that has a CPU.
    obstacles: KVec<(u32, Option<PollReason>)>,
}

/// The answer to a text.
enum Answer {
    /// Results of the steps.
    Results(KVec<Outcome>),
    /// A line, by its number from 1 on and its text, and why it is refused.
    Refused(usize, KVec<u8>, Refusal),
}

impl Default for Answer {
    fn default() -> Self {
        Answer::Results(KVec::new())
    }
}

/// Result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Value(u64),
    Written,
    Waited,
    Fault,
}

/// A reason to refuse a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Refusal {
    Words,
    Package,
    Cpu,
    Box,
    Register,
    ReadOnly,
    Bits(u64),
    Wait,
    Steps,
}

/// A step of an experiment.
enum Step<'a> {
    Wait(i64),
    /// An overflow that interrupts the package of a CPU.
    Interrupt(&'a Package, Cpu, Conditions),
    /// An access to a register: on which CPU, and the value of a write.
    Access(Cpu, Target<'a>, Option<u64>),
}

/// A register of the machine.
#[derive(Clone, Copy)]
enum Target<'a> {
    Global(&'a Package, GlobalRegister),
    Box(&'a Package, &'a Arc<UncoreBox>, Register),
}

impl<'a> Target<'a> {
    fn package(&self) -> &'a Package {
        match self {
            Target::Global(package, _) | Target::Box(package, ..) => package,
        }
    }

    /// Bits that may be written 1.
    fn bits(&self) -> u64 {
        match self {
            Target::Global(_, register) => register.bits,
            Target::Box(_, _, register) => register.bits,
        }
    }

    /// Bits that may be written 1 if they are in a value. What a bit of a control register does that
    /// the tables do not know, a running counter must not do where the module takes no interrupt.
    fn bits_of(&self, platform: &Platform, value: u64) -> u64 {
        match self {
            Target::Box(_, _, Register { added, .. })
                if platform.interrupt().is_none() && value & added != 0 =>
            {
                *added
            }
            _ => self.bits(),
        }
    }

    /// Writes a value to the register, or reads the register if there is none. On a CPU of the
    /// package.
    fn access(&self, here: &IrqsOff, value: Option<u64>) -> Outcome {
        let accessed = match (self, value) {
            (Target::Global(_, register), None) => register.read(here).map(Outcome::Value),
            (Target::Global(_, register), Some(value)) => {
                register.write(here, value).map(|()| Outcome::Written)
            }
            (Target::Box(_, at, register), value) => at.with(|_, bus| match value {
                None => register.at.read(bus).map(Outcome::Value),
                Some(value) => register.at.write(bus, value).map(|()| Outcome::Written),
            }),
        };
        accessed.unwrap_or(Outcome::Fault)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Value(value) => write!(f, "{value:#x}"),
            Outcome::Written => f.write_str("written"),
            Outcome::Waited => f.write_str("waited"),
            Outcome::Fault => f.write_str("fault"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Words => f.write_str(
                "not BOX PACKAGE REGISTER, BOX PACKAGE REGISTER VALUE, wait MICROSECONDS or \
                 interrupt PACKAGE BITS WHAT",
            ),
            Refusal::Package => f.write_str("no such package, or none of its CPUs is online"),
            Refusal::Cpu => f.write_str("the CPU is not an online one of the package"),
            Refusal::Box => f.write_str("the package has no such box"),
            Refusal::Register => f.write_str("the box has no such register"),
            Refusal::ReadOnly => f.write_str("the register is only read"),
            Refusal::Bits(bits) => write!(f, "the bits {bits:#x} of the register are not written"),
            Refusal::Wait => write!(f, "a wait is {MAX_WAIT} microseconds at most"),
            Refusal::Steps => write!(f, "more than {MAX_STEPS} steps"),
        }
    }
}

impl Survey {
    /// Makes the file of a machine.
    pub(crate) fn new(machine: &Arc<Machine>) -> Result<Self> {
        Ok(Self {
            machine: machine.clone(),
            session: KBox::pin_init(new_mutex!(Session::default()), GFP_KERNEL)?,
        })
    }

    /// Parses a line; `None` for an empty one.
    fn parse<'a>(&'a self, line: &str) -> Result<Option<Step<'a>>, Refusal> {
        match words(line) {
            [None, ..] => Ok(None),
            [Some("wait"), Some(time), None, ..] => {
                let time = decimal(time).filter(|time| (0..=MAX_WAIT).contains(time));
                Ok(Some(Step::Wait(time.ok_or(Refusal::Wait)?)))
            }
            [Some("interrupt"), Some(place), Some(bits), Some(what), None] => {
                let (package, cpu) = self.place(place)?;
                let conditions = interrupt::parse(bits, what).ok_or(Refusal::Words)?;
                let unknown = u64::from(conditions.bits) & !mask(package.overflow.select_bits());
                if unknown != 0 {
                    return Err(Refusal::Bits(unknown));
                }
                Ok(Some(Step::Interrupt(package, cpu, conditions)))
            }
            [Some(unit), Some(place), Some(name), value, None] => {
                let (package, cpu) = self.place(place)?;
                let target = self.target(package, unit, name)?;
                let value = value.map(|value| number(value).ok_or(Refusal::Words));
                let value = value.transpose()?;
                let platform = self.machine.platform;
                match value.map(|value| value & !target.bits_of(platform, value)) {
                    Some(_) if target.bits() == 0 => return Err(Refusal::ReadOnly),
                    Some(unknown) if unknown != 0 => return Err(Refusal::Bits(unknown)),
                    _ => {}
                }
                Ok(Some(Step::Access(cpu, target, value)))
            }
            _ => Err(Refusal::Words),
        }
    }

    /// Parses a package, with the CPU on which a step runs.
    fn place(&self, word: &str) -> Result<(&Package, Cpu), Refusal> {
        let (number, cpu) = match word.split_once('@') {
            Some((number, cpu)) => (number, Some(cpu)),
            None => (word, None),
        };
        let package = decimal(number).and_then(|number| self.machine.package(number));
        let package = package.ok_or(Refusal::Package)?;
        let Some(cpu) = cpu else {
            return Ok((package, package.designated().ok_or(Refusal::Package)?));
        };
        let cpu = decimal(cpu).and_then(Cpu::new).ok_or(Refusal::Cpu)?;
        let is_of_package = cpu.is_online() && cpu.logical_package() == Some(package.number);
        is_of_package.then_some((package, cpu)).ok_or(Refusal::Cpu)
    }

    /// Finds a register.
    fn target<'a>(
        &'a self,
        package: &'a Package,
        unit: &str,
        name: &str,
    ) -> Result<Target<'a>, Refusal> {
        let platform = self.machine.platform;
        if unit == GLOBAL {
            let register = GlobalRegister::find(platform, name).ok_or(Refusal::Register)?;
            return Ok(Target::Global(package, register));
        }
        let mut boxes = package.boxes.iter();
        let uncore_box = boxes.find(|found| is_box(unit, found.name.kind, found.name.index));
        let uncore_box = uncore_box.filter(|uncore_box| uncore_box.absence().is_none());
        let uncore_box = uncore_box.ok_or(Refusal::Box)?;
        let register = find(uncore_box.kind(), platform.surveyed, name).ok_or(Refusal::Register)?;
        Ok(Target::Box(package, uncore_box, register))
    }

    /// Parses all steps of a text.
    fn steps<'a, 't>(&'a self, text: &'t [u8]) -> Result<KVec<Step<'a>>, Fault<'t>> {
        let mut steps = KVec::new();
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let refused = |refusal| Fault::Refused(number, line, refusal);
            let line = core::str::from_utf8(line).map_err(|_| refused(Refusal::Words))?;
            if let Some(step) = self.parse(line).map_err(refused)? {
                if steps.len() >= MAX_STEPS {
                    return Err(refused(Refusal::Steps));
                }
                let pushed = steps.push(step, GFP_KERNEL);
                pushed.map_err(|_| Fault::Error(ENOMEM))?;
            }
        }
        Ok(steps)
    }
}

/// A reason not to run an experiment.
enum Fault<'a> {
    /// A line, by its number from 1 on and its text, is refused.
    Refused(usize, &'a [u8], Refusal),
    Error(Error),
}

/// Runs a step.
///
/// # Errors
///
/// [`ENOMEM`] if the values of a box cannot be kept, before it is written.
fn run(saved: &mut Saved, platform: &Platform, step: &Step<'_>) -> Result<Outcome> {
    let (cpu, target, value) = match step {
        Step::Wait(time) => {
            fsleep(Delta::from_micros(*time));
            return Ok(Outcome::Waited);
        }
        Step::Interrupt(package, cpu, conditions) => {
            saved.keep_global(platform, package)?;
            let interrupted = package.overflow.try_interrupt(*cpu, conditions);
            let value = interrupted.map(|interrupted| interrupt::value(&interrupted));
            return Ok(value.map_or(Outcome::Fault, Outcome::Value));
        }
        &Step::Access(cpu, target, value) => (cpu, target, value),
    };
    if value.is_some() {
        // An overflow of any box can freeze its package.
        saved.keep_global(platform, target.package())?;
        if let Target::Box(package, at, register) = target {
            saved.keep_box(package, at, register)?;
        }
    }
    let accessed = smp::on_cpu(cpu, |here| target.access(here, value));
    Ok(accessed.unwrap_or(Outcome::Fault))
}

impl Print for Survey {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = self.session.lock();
        match &session.answer {
            Answer::Results(results) => results
                .iter()
                .try_for_each(|result| f.write_fmt(fmt!("{result}\n"))),
            Answer::Refused(number, line, refusal) => {
                let line = core::str::from_utf8(line).unwrap_or("?");
                f.write_fmt(fmt!("line {number}, {line}: {refusal}\n"))
            }
        }
    }
}

impl Dialog for Survey {
    fn begin(&self) -> Result {
        let mut obstacles = KVec::with_capacity(self.machine.packages.len(), GFP_KERNEL)?;
        if !self.machine.users.begin_survey() {
            return Err(EBUSY);
        }
        // A designated CPU that goes leaves and enters as well, and not in between.
        cpuhp::with_cpus_kept(|| {
            for package in &self.machine.packages {
                if let Some(cpu) = package.designated() {
                    let obstacle = package.overflow.leave(cpu);
                    let _ = obstacles.push_within_capacity((package.number, obstacle));
                }
            }
        });
        *self.session.lock() = Session {
            obstacles,
            ..Session::default()
        };
        Ok(())
    }

    fn take(&self, text: &[u8]) -> Result {
        let mut session = self.session.lock();
        let Session { saved, answer, .. } = &mut *session;
        let steps = match self.steps(text) {
            Ok(steps) => steps,
            Err(Fault::Refused(number, refused, refusal)) => {
                let mut line = KVec::new();
                line.extend_from_slice(refused, GFP_KERNEL)?;
                *answer = Answer::Refused(number, line, refusal);
                return Err(EINVAL);
            }
            Err(Fault::Error(error)) => return Err(error),
        };
        let mut results = KVec::with_capacity(steps.len(), GFP_KERNEL)?;
        for step in &steps {
            results.push_within_capacity(run(saved, self.machine.platform, step)?)?;
        }
        *answer = Answer::Results(results);
        Ok(())
    }

    fn end(&self) {
        let mut session = self.session.lock();
        session.saved.restore(&self.machine);
        cpuhp::with_cpus_kept(|| self.let_interrupt(&session.obstacles));
        *session = Session::default();
        self.machine.users.end_survey();
    }
}

impl Survey {
    /// Lets counters interrupt again, as before. No CPU comes or goes meanwhile.
    fn let_interrupt(&self, obstacles: &[(u32, Option<PollReason>)]) {
        for &(number, obstacle) in obstacles {
            if let Some(package) = self.machine.package(number) {
                if let Some(cpu) = package.designated() {
                    package.overflow.enter(cpu, obstacle);
                }
            }
        }
    }
}
