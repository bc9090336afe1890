// SPDX-License-Identifier: GPL-2.0

//! Commands that are about processors, their time and their work; the model has all
//! others.
//!
//! CPU is the number of a virtual processor, which is the guest kernel's as well.

use std::str::FromStr;
use std::time::Duration;

use crate::chipset::Source;

/// One command for processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// `nmi CPU`.
    Nmi(usize),
    /// `nmi serr` or `nmi iochk`.
    ExternalNmi(Source),
    /// `core-pmi CPU`.
    CorePmi(usize),
    /// `skip MILLISECONDS`.
    Skip(Duration),
    /// `interrupts`.
    Interrupts,
    /// `clear-interrupts`.
    ClearInterrupts,
    /// `cost`.
    Cost,
}

impl Command {
    /// Reads a line; nothing if it is for the model, or for it to refuse.
    pub(crate) fn parse(line: &str) -> Option<Result<Self, String>> {
        let mut words = line.split_whitespace();
        let (name, rest) = (words.next()?, words.collect::<Vec<_>>());
        match (name, &rest[..]) {
            ("nmi", ["serr"]) => Some(Ok(Self::ExternalNmi(Source::Serr))),
            ("nmi", ["iochk"]) => Some(Ok(Self::ExternalNmi(Source::Iochk))),
            ("nmi", rest) => Some(only(name, rest, CPU).map(Self::Nmi)),
            ("core-pmi", rest) => Some(only(name, rest, CPU).map(Self::CorePmi)),
            ("skip", rest) => Some(milliseconds(name, rest).map(Self::Skip)),
            ("interrupts", []) => Some(Ok(Self::Interrupts)),
            ("clear-interrupts", []) => Some(Ok(Self::ClearInterrupts)),
            ("cost", []) => Some(Ok(Self::Cost)),
            _ => None,
        }
    }
}

const CPU: &str = "a CPU number";

/// Parses the only word of a command.
fn only<T: FromStr>(name: &str, words: &[&str], wanted: &str) -> Result<T, String> {
    match words {
        [] => Err(format!("{name}: {wanted} is missing")),
        [word] => word
            .parse()
            .map_err(|_| format!("'{word}' is not {wanted}")),
        [_, extra, ..] => Err(format!("'{extra}' is one word too many")),
    }
}

/// Parses a jump of the clock. Its minimum is large enough that no clock goes back
/// when the guest switches from the emulator's clock. Its maximum is below the ten
/// minutes that the kernel's clock source can count between two reads.
fn milliseconds(name: &str, words: &[&str]) -> Result<Duration, String> {
    const WANTED: &str = "a number of milliseconds from 100 to 300000";
    match only(name, words, WANTED)? {
        time @ 100..=300_000 => Ok(Duration::from_millis(time)),
        other => Err(format!("'{other}' is not {WANTED}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_others_are_the_models() {
        for line in ["", "burst 5", "interrupts now", "nm 1"] {
            assert_eq!(Command::parse(line), None, "{line}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (line, text) in [
            ("nmi", "nmi: a CPU number is missing"),
            ("core-pmi x", "'x' is not a CPU number"),
            ("nmi 1 2", "'2' is one word too many"),
            (
                "skip 0",
                "'0' is not a number of milliseconds from 100 to 300000",
            ),
        ] {
            assert_eq!(Command::parse(line), Some(Err(text.to_owned())));
        }
    }
}
