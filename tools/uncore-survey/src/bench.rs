// SPDX-License-Identifier: GPL-2.0

//! Places where experiments run.

use std::collections::BTreeMap;
use std::io;

use crate::machine::number;

/// Result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Value that was read.
    Value(u64),
    /// The value was written, or the time has passed.
    Done,
    /// The hardware refused the access.
    Fault,
}

/// A reason why an experiment did not run.
#[derive(Debug)]
pub enum Refusal {
    /// A step is refused, in these words.
    Step(String),
    /// The survey cannot go on.
    Error(io::Error),
}

/// Register of a QPI link in a function of its device that the module does not use.
#[derive(Debug)]
pub struct LinkRegister {
    /// Name.
    pub name: &'static str,
    /// Number of the function.
    pub function: u8,
    /// Offset in its configuration space.
    pub offset: u16,
}

/// Times of the steps of a run, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// The longest access, with what came before it.
    pub access: u64,
    /// All waits.
    pub waits: u64,
}

/// A place where experiments run.
pub trait Bench {
    /// Runs the steps, each on a line, and returns a result for each.
    fn run(&mut self, steps: &[String]) -> Result<Vec<Answer>, Refusal>;

    /// Returns how long the steps of the last run took. An interrupt or another program can stretch
    /// any of them.
    fn times(&self) -> Times;

    /// Reads a register of a link, if its function is there. `place` is a function of the link's
    /// device.
    fn of_link(&mut self, link: &str, place: &str, register: &LinkRegister) -> Option<u32>;
}

/// No machine: it notes which registers would be touched, and answers 0.
#[derive(Debug, Default)]
pub struct Dry {
    /// Bits that would be written, by box and register; none for registers that are only read.
    pub touched: BTreeMap<(String, String), Option<u64>>,
}

impl Bench for Dry {
    fn run(&mut self, steps: &[String]) -> Result<Vec<Answer>, Refusal> {
        let answers = steps.iter().map(|step| self.note(step));
        Ok(answers.collect())
    }

    fn times(&self) -> Times {
        Times::default()
    }

    fn of_link(&mut self, link: &str, _: &str, register: &LinkRegister) -> Option<u32> {
        let key = (link.to_owned(), register.name.to_owned());
        self.touched.entry(key).or_default();
        None
    }
}

impl Dry {
    fn note(&mut self, step: &str) -> Answer {
        let words: Vec<&str> = step.split(' ').collect();
        let (unit, register, value) = match words.as_slice() {
            [unit, _, register] => (unit, register, None),
            [unit, _, register, value] => (unit, register, Some(value)),
            _ => return Answer::Done,
        };
        let key = ((*unit).to_owned(), (*register).to_owned());
        let written = self.touched.entry(key).or_default();
        let Some(value) = value else {
            return Answer::Value(0);
        };
        *written = Some(written.unwrap_or(0) | number(value).unwrap_or(0));
        Answer::Done
    }
}
