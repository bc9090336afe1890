// SPDX-License-Identifier: GPL-2.0

//! The words of a command line, and how mistakes in them are named.
//!
//! Words are separated by blanks. Numbers are decimal or 0x hexadecimal,
//! functions are `BUS:DEV.FN` in hexadecimal.

use std::fmt;
use std::str::SplitWhitespace;

use thiserror::Error;

use crate::{Function, Platform};

/// Reason to refuse a command line, with the offending word.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CommandError(pub(crate) String);

impl CommandError {
    /// Returns the error for something that the machine lacks.
    pub(crate) fn no_such(what: &str, name: impl fmt::Display) -> Self {
        Self(format!("the machine has no {what} '{name}'"))
    }

    /// Returns the error for a word that is not valid at its place.
    pub(crate) fn bad(word: &str, wanted: &str) -> Self {
        Self(format!("'{word}' is not {wanted}"))
    }

    /// Returns the error for a value with bits above the counter's width.
    pub(crate) fn too_wide(value: u64, width: u32) -> Self {
        Self(format!("'{value:#x}' does not fit {width} bits"))
    }
}

/// The words behind the command's name.
pub(crate) struct Words<'a> {
    name: &'a str,
    /// The platform of the machine that gets the command.
    pub(crate) platform: Platform,
    rest: SplitWhitespace<'a>,
}

impl<'a> Words<'a> {
    /// The command's name and the words behind it.
    pub(crate) fn split(
        line: &'a str,
        platform: Platform,
    ) -> Result<(Self, &'a str), CommandError> {
        let mut rest = line.split_whitespace();
        let name = rest.next();
        let name = name.ok_or_else(|| CommandError("empty command".to_owned()))?;
        let all = Self {
            name,
            platform,
            rest,
        };
        Ok((all, name))
    }

    pub(crate) fn optional_word(&mut self) -> Option<&'a str> {
        self.rest.next()
    }

    /// Insists that there are no more words.
    pub(crate) fn end(&mut self) -> Result<(), CommandError> {
        match self.rest.next() {
            None => Ok(()),
            Some(extra) => Err(CommandError(format!("'{extra}' is one word too many"))),
        }
    }

    pub(crate) fn word(&mut self, what: &'static str) -> Result<&'a str, CommandError> {
        let word = self.rest.next();
        word.ok_or_else(|| CommandError(format!("{}: {what} is missing", self.name)))
    }

    /// Takes one of several words and returns its value.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        wanted: &'static str,
        choices: &[(&str, T)],
    ) -> Result<T, CommandError> {
        let word = self.word(wanted)?;
        let found = choices.iter().find(|(name, _)| *name == word);
        let (_, value) = found.ok_or_else(|| CommandError::bad(word, wanted))?;
        Ok(*value)
    }

    pub(crate) fn parse_number<T: TryFrom<u64>>(word: &str) -> Option<T> {
        let value = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        value.and_then(|value| T::try_from(value).ok())
    }

    pub(crate) fn number<T: TryFrom<u64>>(
        &mut self,
        wanted: &'static str,
    ) -> Result<T, CommandError> {
        let word = self.word(wanted)?;
        Self::parse_number(word).ok_or_else(|| CommandError::bad(word, wanted))
    }

    pub(crate) fn cycles(&mut self) -> Result<u64, CommandError> {
        self.number("a number of cycles")
    }

    pub(crate) fn package(&mut self) -> Result<u8, CommandError> {
        self.number("a package number")
    }

    pub(crate) fn msr(&mut self) -> Result<u32, CommandError> {
        self.number("an MSR address")
    }

    pub(crate) fn value(&mut self) -> Result<u64, CommandError> {
        self.number("a 64-bit value")
    }

    pub(crate) fn offset(&mut self) -> Result<u16, CommandError> {
        const WANTED: &str = "an offset (a multiple of 4 below 0x1000)";
        let offset = self.number(WANTED)?;
        if offset % 4 == 0 && offset < 0x1000 {
            Ok(offset)
        } else {
            Err(CommandError::bad(&format!("{offset:#x}"), WANTED))
        }
    }

    pub(crate) fn function(&mut self) -> Result<Function, CommandError> {
        const WANTED: &str = "a PCI function (BUS:DEV.FN)";
        let word = self.word(WANTED)?;
        Function::parse(word).ok_or_else(|| CommandError::bad(word, WANTED))
    }
}
