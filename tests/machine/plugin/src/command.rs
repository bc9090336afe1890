// SPDX-License-Identifier: GPL-2.0

//! Commands that are about processors; the model has all others.
//!
//! CPU is the number of a virtual processor, which is the guest kernel's as well.

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// `nmi CPU`.
    Nmi(usize),
    /// `core-pmi CPU`.
    CorePmi(usize),
    /// `interrupts`.
    Interrupts,
    /// `clear-interrupts`.
    ClearInterrupts,
}

impl Command {
    /// Reads a line; nothing if it is for the model, or for it to refuse.
    pub(crate) fn parse(line: &str) -> Option<Result<Self, String>> {
        let mut words = line.split_whitespace();
        let (name, rest) = (words.next()?, words.collect::<Vec<_>>());
        match (name, &rest[..]) {
            ("nmi", rest) => Some(cpu(name, rest).map(Self::Nmi)),
            ("core-pmi", rest) => Some(cpu(name, rest).map(Self::CorePmi)),
            ("interrupts", []) => Some(Ok(Self::Interrupts)),
            ("clear-interrupts", []) => Some(Ok(Self::ClearInterrupts)),
            _ => None,
        }
    }
}

fn cpu(name: &str, words: &[&str]) -> Result<usize, String> {
    match words {
        [] => Err(format!("{name}: a CPU number is missing")),
        [word] => word
            .parse()
            .map_err(|_| format!("'{word}' is not a CPU number")),
        [_, extra, ..] => Err(format!("'{extra}' is one word too many")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_about_processors_are_known() {
        for (line, command) in [
            ("nmi 3", Command::Nmi(3)),
            (" core-pmi  0 ", Command::CorePmi(0)),
            ("interrupts", Command::Interrupts),
            ("clear-interrupts", Command::ClearInterrupts),
        ] {
            assert_eq!(Command::parse(line), Some(Ok(command)), "{line}");
        }
    }

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
        ] {
            assert_eq!(Command::parse(line), Some(Err(text.to_owned())));
        }
    }
}
