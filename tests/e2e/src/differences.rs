// SPDX-License-Identifier: GPL-2.0

//! Questions that the kernel's own driver answers wrong on the emulated machine, and ours
//! right. The right answer follows from the traffic definition.
//! Documentation/admin-guide/perf/differences.rst has the answers.

pub(crate) mod ask;
pub(crate) mod cases;

pub use cases::cases;

use crate::fixture::{on, probe::Probe, Session};
use crate::platform::Processor;
use ask::{right, Asked, REFUSED};
use std::fmt;
use uncore_catalogue::readings_with;
use uncore_runner::{Config, Driver};

/// Question to both drivers.
pub struct Case {
    /// Text of the question.
    pub question: &'static str,
    machine: Machine,
    request: Request,
}

/// Request to a driver.
enum Request {
    /// An event, which must count what the traffic definition says.
    Count(fn() -> Probe),
    /// The way to ask for what must be refused.
    Refuse(fn(&mut Asked) -> String),
    /// The right answer, and the way to ask.
    Other(fn() -> String, fn(&mut Asked) -> String),
}

/// Machine to ask on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machine {
    /// The usual machine.
    Usual,
    /// The usual machine, on which the question loads the driver.
    Unloaded,
    /// A machine with the third QPI port of an E7.
    Large,
    /// The usual machine with a kernel that cannot access extended configuration space.
    WithoutMmconfig,
    /// A Broadwell-EP with the counters of the IRP where the kernel's own driver has them.
    KernelIrp,
    /// A Broadwell-EP without C-Box 2, and with two cores.
    Sparse,
    /// A Broadwell-EP without C-Box 2, and with three cores.
    SparseWithThreeCores,
    /// A Broadwell-EP with memory on two channels of each controller.
    HalfOfTheMemory,
    /// A Broadwell-EP that counts sent packets as well.
    BothDirections,
    /// A client with four cores and three C-Boxes.
    FewerCboxes,
    /// A machine of whose packages the second has one core, and one C-Box.
    FewerCores,
}

/// Answers to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Text of the question.
    pub question: &'static str,
    /// Right answer.
    pub right: String,
    /// Answer of the kernel's own driver.
    pub in_tree: String,
    /// Answer of our driver.
    pub ours: String,
}

impl fmt::Display for Answers {
    /// Formats them as a row of the page's table, without its number and its remark.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            question,
            right,
            in_tree,
            ours,
        } = self;
        write!(
            f,
            "     - {question}: **{right}**\n     - {in_tree}\n     - {ours}"
        )
    }
}

/// Returns a machine under the reading with a difference.
fn under(config: Config, difference: &str) -> Config {
    let readings = readings_with(difference, Processor::current().name());
    config.with("reading", &readings[0])
}

impl Case {
    const fn new(question: &'static str, request: Request) -> Self {
        Self {
            question,
            machine: Machine::Usual,
            request,
        }
    }

    /// An event to count. Of a machine without a driver, it is the first that the driver programs.
    pub(crate) const fn count(question: &'static str, probe: fn() -> Probe) -> Self {
        Self::new(question, Request::Count(probe))
    }

    /// A request to refuse.
    pub(crate) const fn refuse(question: &'static str, ask: fn(&mut Asked) -> String) -> Self {
        Self::new(question, Request::Refuse(ask))
    }

    /// A question with another answer.
    pub(crate) const fn other(
        question: &'static str,
        right: fn() -> String,
        ask: fn(&mut Asked) -> String,
    ) -> Self {
        Self::new(question, Request::Other(right, ask))
    }

    /// The question on another machine than the usual one.
    pub(crate) const fn on(self, machine: Machine) -> Self {
        Self { machine, ..self }
    }

    /// Returns the right answer.
    fn right(&self) -> String {
        match self.request {
            Request::Count(probe) => right(&probe()),
            Request::Refuse(_) => REFUSED.to_owned(),
            Request::Other(right, _) => right(),
        }
    }

    /// Asks both drivers.
    pub fn answers(&self) -> Answers {
        let answer = |driver| on(&self.config(driver), |session| self.answer(session, driver));
        Answers {
            question: self.question,
            right: self.right(),
            in_tree: answer(Driver::IntelUncore),
            ours: answer(Driver::UncoreRs),
        }
    }

    fn config(&self, driver: Driver) -> Config {
        let config = Config::of(driver);
        match self.machine {
            Machine::Usual => config,
            Machine::Unloaded => Config {
                driver: Driver::None,
                ..config
            },
            Machine::WithoutMmconfig => Config {
                append: "pci=nommconf".to_owned(),
                ..config
            },
            Machine::KernelIrp => under(config, "IrpOfKernel"),
            Machine::Sparse => config.with("cbox-mask", "00000b"),
            Machine::SparseWithThreeCores => config.with("cbox-mask", "00000b").with("cores", "3"),
            Machine::HalfOfTheMemory => {
                // Clocks that stand still show nothing.
                config.with("dimms", "33").with("free-run", "on")
            }
            Machine::BothDirections => under(config, "SentPackets"),
            Machine::FewerCboxes => config.with("cores", "4"),
            Machine::FewerCores => config.with("cores", "2:1").with("cboxes", "2:1"),
            // Without the third link: there the kernel's own driver reads past the end of
            // its table.
            Machine::Large => config.with("part", "ex").with("hidden", "12.5"),
        }
    }

    fn answer(&self, session: &mut Session, driver: Driver) -> String {
        let asked = &mut Asked::new(session, driver);
        let answer = match self.request {
            Request::Count(probe) if self.machine == Machine::Unloaded => asked.first(&probe()),
            Request::Count(probe) => asked.count(&probe()),
            Request::Refuse(ask) | Request::Other(_, ask) => ask(asked),
        };
        if driver == Driver::IntelUncore {
            // Forgets what the machine and the kernel have to say of that driver.
            session.faults();
        }
        answer
    }
}
