// SPDX-License-Identifier: GPL-2.0

//! Where the kernel's own driver and ours differ: the same questions put to
//! both on the emulated machine, and the page that the answers make.
//!
//! The page is Documentation/admin-guide/perf/differences.rst. It is printed
//! from a run by `cargo run -p ivbep-e2e --bin differences`, and a test
//! compares the two. What is right follows from the traffic definition.

mod ask;
mod cases;
mod known;
mod page;

pub use cases::cases;
pub use page::page;

use crate::fixture::{on, Session};
use crate::{Config, Driver};
use ask::Asked;

/// A question, and what is wrong in the kernel's own driver.
pub struct Case {
    /// Which of the known defects it shows, see [`known`].
    pub known: u8,
    /// What is asked, for the page.
    pub question: &'static str,
    /// What goes wrong there, for the page.
    pub defect: &'static str,
    machine: Machine,
    /// The right answer.
    right: fn() -> String,
    /// Puts it to a driver.
    ask: fn(&mut Asked) -> String,
}

/// The machine to ask on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Machine {
    /// The usual one.
    Usual,
    /// The same, but the driver is loaded by the question.
    Unloaded,
    /// With the third QPI port of an E7.
    Large,
    /// The usual one with a kernel that has no access to extended configuration
    /// space.
    WithoutMmconfig,
}

/// The answers to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Which of the known defects it shows.
    pub known: u8,
    /// What is asked.
    pub question: &'static str,
    /// What goes wrong.
    pub defect: &'static str,
    /// The right answer.
    pub right: String,
    /// The answer of the kernel's own driver.
    pub in_tree: String,
    /// The answer of ours.
    pub ours: String,
}

impl Case {
    /// Puts the question to both drivers.
    #[must_use]
    pub fn answers(&self) -> Answers {
        let answer = |driver| on(&self.config(driver), |session| self.answer(session, driver));
        Answers {
            known: self.known,
            question: self.question,
            defect: self.defect,
            right: (self.right)(),
            in_tree: answer(Driver::IntelUncore),
            ours: answer(Driver::IvbepUncore),
        }
    }

    fn config(&self, driver: Driver) -> Config {
        let config = Config {
            driver,
            ..Config::default()
        };
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
            // Without the third link, at which the kernel's own driver reads
            // past its table.
            Machine::Large => config.with("part", "ex").with("hidden", "12.5"),
        }
    }

    fn answer(&self, session: &mut Session, driver: Driver) -> String {
        if driver == Driver::IntelUncore {
            session.tolerate_violations();
        }
        (self.ask)(&mut Asked::new(session, driver))
    }
}
