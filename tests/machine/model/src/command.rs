// SPDX-License-Identifier: GPL-2.0

//! The text commands: grammar only; `control.rs` carries them out.
//!
//! Words are separated by blanks. Numbers are decimal or 0x hexadecimal,
//! functions are `BUS:DEV.FN` in hexadecimal.

use thiserror::Error;

use crate::faults::PmiMode;
use crate::Function;

/// One command line, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    Burst(u64),
    FreeRun(bool),
    Violations,
    ClearViolations,
    Hide(Function),
    Show(Function),
    FailMsr(u8, u32),
    HealMsr(u8, u32),
    PokeMsr(u8, u32, u64),
    PeekMsr(u8, u32),
    PokeConfig(Function, u16, u32),
    PeekConfig(Function, u16),
    Preload(Preload),
    Pmi(PmiMode),
    Log(bool),
    TakeLog,
    State,
}

/// `preload PKG BOX COUNTER VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preload {
    pub(crate) package: u8,
    pub(crate) pmon: String,
    pub(crate) counter: String,
    pub(crate) value: u64,
}

/// Why a command line was refused; each names the offending word.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    /// No words at all.
    #[error("empty command")]
    Empty,
    /// No such command.
    #[error("unknown command '{0}'")]
    Unknown(String),
    /// The line ends too early.
    #[error("{command}: {what} is missing")]
    Missing {
        /// The command.
        command: String,
        /// What should follow.
        what: &'static str,
    },
    /// The line goes on.
    #[error("'{0}' is one word too many")]
    Extra(String),
    /// A word is not what is wanted there.
    #[error("'{word}' is not {wanted}")]
    Bad {
        /// The word.
        word: String,
        /// What is wanted.
        wanted: &'static str,
    },
    /// The machine has nothing of that name.
    #[error("the machine has no {what} '{name}'")]
    NoSuch {
        /// What it would be.
        what: &'static str,
        /// The name, as in the command.
        name: String,
    },
    /// A value with bits above the counter's width.
    #[error("'{value:#x}' does not fit {width} bits")]
    TooWide {
        /// The value.
        value: u64,
        /// Bits of the counter.
        width: u32,
    },
}

impl Command {
    pub(crate) fn parse(line: &str) -> Result<Self, CommandError> {
        let mut words = line.split_whitespace();
        let name = words.next().ok_or(CommandError::Empty)?;
        let mut rest = Words { name, words };
        let command = rest.command()?;
        match rest.words.next() {
            None => Ok(command),
            Some(extra) => Err(CommandError::Extra(extra.to_owned())),
        }
    }
}

/// The words behind the command's name.
struct Words<'a> {
    name: &'a str,
    words: std::str::SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn command(&mut self) -> Result<Command, CommandError> {
        Ok(match self.name {
            "burst" => Command::Burst(self.number("a number of cycles")?),
            "free-run" => Command::FreeRun(self.switch()?),
            "violations" => Command::Violations,
            "clear-violations" => Command::ClearViolations,
            "hide" => Command::Hide(self.function()?),
            "show" => Command::Show(self.function()?),
            "fail-msr" => Command::FailMsr(self.package()?, self.msr()?),
            "heal-msr" => Command::HealMsr(self.package()?, self.msr()?),
            "poke-msr" => Command::PokeMsr(self.package()?, self.msr()?, self.value()?),
            "peek-msr" => Command::PeekMsr(self.package()?, self.msr()?),
            "poke-config" => {
                let (function, offset) = (self.function()?, self.offset()?);
                Command::PokeConfig(function, offset, self.number("a 32-bit value")?)
            }
            "peek-config" => Command::PeekConfig(self.function()?, self.offset()?),
            "preload" => Command::Preload(self.preload()?),
            "pmi" => Command::Pmi(self.pmi_mode()?),
            "log" => self.log()?,
            "state" => Command::State,
            other => return Err(CommandError::Unknown(other.to_owned())),
        })
    }

    fn word(&mut self, what: &'static str) -> Result<&'a str, CommandError> {
        self.words.next().ok_or_else(|| CommandError::Missing {
            command: self.name.to_owned(),
            what,
        })
    }

    fn number<T: TryFrom<u64>>(&mut self, wanted: &'static str) -> Result<T, CommandError> {
        let word = self.word(wanted)?;
        let value = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        let value = value.and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| bad(word, wanted))
    }

    fn package(&mut self) -> Result<u8, CommandError> {
        self.number("a package number")
    }

    fn msr(&mut self) -> Result<u32, CommandError> {
        self.number("an MSR address")
    }

    fn value(&mut self) -> Result<u64, CommandError> {
        self.number("a 64-bit value")
    }

    fn offset(&mut self) -> Result<u16, CommandError> {
        const WANTED: &str = "an offset (a multiple of 4 below 0x1000)";
        let offset = self.number(WANTED)?;
        if offset % 4 == 0 && offset < 0x1000 {
            Ok(offset)
        } else {
            Err(bad(&format!("{offset:#x}"), WANTED))
        }
    }

    fn function(&mut self) -> Result<Function, CommandError> {
        const WANTED: &str = "a PCI function (BUS:DEV.FN)";
        let word = self.word(WANTED)?;
        Function::parse(word).ok_or_else(|| bad(word, WANTED))
    }

    fn switch(&mut self) -> Result<bool, CommandError> {
        const WANTED: &str = "on or off";
        match self.word(WANTED)? {
            "on" => Ok(true),
            "off" => Ok(false),
            other => Err(bad(other, WANTED)),
        }
    }

    fn log(&mut self) -> Result<Command, CommandError> {
        const WANTED: &str = "on, off or take";
        match self.word(WANTED)? {
            "on" => Ok(Command::Log(true)),
            "off" => Ok(Command::Log(false)),
            "take" => Ok(Command::TakeLog),
            other => Err(bad(other, WANTED)),
        }
    }

    fn pmi_mode(&mut self) -> Result<PmiMode, CommandError> {
        const WANTED: &str = "drop, delay N, repeat or normal";
        match self.word(WANTED)? {
            "normal" => Ok(PmiMode::Normal),
            "drop" => Ok(PmiMode::Drop),
            "delay" => Ok(PmiMode::Delay(self.number("a number of cycles")?)),
            "repeat" => Ok(PmiMode::Repeat),
            other => Err(bad(other, WANTED)),
        }
    }

    fn preload(&mut self) -> Result<Preload, CommandError> {
        Ok(Preload {
            package: self.package()?,
            pmon: self.word("a box")?.to_owned(),
            counter: self.word("a counter")?.to_owned(),
            value: self.value()?,
        })
    }
}

fn bad(word: &str, wanted: &'static str) -> CommandError {
    CommandError::Bad {
        word: word.to_owned(),
        wanted,
    }
}
