// SPDX-License-Identifier: GPL-2.0

//! Places where experiments run.

use std::collections::BTreeMap;
use std::io;

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

impl Answer {
    /// Parses a line of the module's answer.
    pub fn parse(line: &str) -> Option<Self> {
        match line {
            "written" | "waited" => Some(Self::Done),
            "fault" => Some(Self::Fault),
            _ => {
                let digits = line.strip_prefix("0x")?;
                u64::from_str_radix(digits, 16).ok().map(Self::Value)
            }
        }
    }
}

/// A reason why an experiment did not run.
#[derive(Debug)]
pub enum Refusal {
    /// The module refuses a step, in these words.
    Step(String),
    /// The module cannot be asked.
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

/// A place where experiments run.
pub trait Bench {
    /// Runs the steps, each on a line, and returns a result for each.
    fn run(&mut self, steps: &[String]) -> Result<Vec<Answer>, Refusal>;

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
            ["interrupt", ..] => {
                for register in ["LVTPC", "IA32_DEBUGCTL"] {
                    let key = ("each CPU".to_owned(), register.to_owned());
                    self.touched.insert(key, Some(u64::MAX));
                }
                return Answer::Value(0);
            }
            [unit, _, register] => (unit, register, None),
            [unit, _, register, value] => (unit, register, Some(value)),
            _ => return Answer::Done,
        };
        let key = ((*unit).to_owned(), (*register).to_owned());
        let written = self.touched.entry(key).or_default();
        let Some(value) = value else {
            return Answer::Value(0);
        };
        if let Some(Answer::Value(value)) = Answer::parse(value) {
            *written = Some(written.unwrap_or(0) | value);
        }
        Answer::Done
    }
}
