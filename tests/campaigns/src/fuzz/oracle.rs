// SPDX-License-Identifier: GPL-2.0

//! Oracle: the answers that the kernel must give.
//!
//! Written from the specification, the user's page and perf_event_open(2), with the help
//! of the catalogue and the tests' other expectations, never from the driver. A
//! [`PerfModel`] takes the operations of a case one after the other, tracks the open
//! events, and returns the required answers:
//!
//! - `form`: demands of perf on any attribute;
//! - `request`, `event`, `filters`: events that a box can count;
//! - `groups`: events that can be counted at the same time;
//! - `perf_model`: descriptors, groups, mappings and redirections of the open events.

mod event;
mod filters;
mod form;
mod groups;
mod perf_model;
mod reason;
mod request;

pub(super) use perf_model::{PerfModel, NO_PROCESS};
pub(crate) use reason::Reason;

use std::fmt;

/// A required answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Success.
    Done,
    /// The request must be refused, for these reasons.
    Refused(Vec<Reason>),
    /// One of these errnos.
    Errno(&'static [i32]),
    /// This number of bytes; or none, for a pinned event that lost its counter.
    Bytes(u64, MayEnd),
    /// Too little room for what was to be read; or no bytes, as above.
    NoRoom(MayEnd),
    /// Remnant of a group that was read as one: success, or too little room.
    Remnant,
}

/// True if perf may have stopped the event for good.
pub(super) type MayEnd = bool;

/// An answer of the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// An errno, or 0.
    Errno(i32),
    /// The number of bytes that were read, and their contents.
    Read(u64, Vec<u64>),
}

impl Answer {
    /// Parses a word of `perf-ops`.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let Some((bytes, words)) = word.split_once(':') else {
            let errno: i32 = word.parse().ok()?;
            return Some(Self::Errno(-errno));
        };
        let words = words.split(',').filter(|word| !word.is_empty());
        let words = words.map(|word| u64::from_str_radix(word, 16).ok());
        Some(Self::Read(
            bytes.parse().ok()?,
            words.collect::<Option<_>>()?,
        ))
    }
}

const ENOSPC: i32 = 28;

impl Expected {
    /// Returns whether the answer is the expected one.
    pub(super) fn is(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Self::Done, Answer::Errno(errno)) => *errno == 0,
            (Self::Refused(reasons), Answer::Errno(errno)) => {
                let mut reasons = reasons.iter();
                reasons.any(|reason| reason.errnos().contains(errno))
            }
            (Self::Errno(errnos), Answer::Errno(errno)) => errnos.contains(errno),
            (Self::Bytes(expected, may_end), Answer::Read(bytes, _)) => {
                expected == bytes || *may_end && *bytes == 0
            }
            (Self::NoRoom(may_end), Answer::Read(bytes, _)) => *may_end && *bytes == 0,
            (Self::Remnant | Self::NoRoom(_), Answer::Errno(errno)) => *errno == ENOSPC,
            (Self::Remnant, Answer::Read(..)) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("success"),
            Self::Refused(reasons) => {
                let reasons: Vec<&str> = reasons.iter().map(|reason| reason.words()).collect();
                write!(f, "a refusal: {}", reasons.join("; "))
            }
            Self::Errno(errnos) => write!(f, "errno {errnos:?}"),
            Self::Bytes(bytes, _) => write!(f, "{bytes} bytes"),
            Self::NoRoom(_) => write!(f, "errno {ENOSPC}"),
            Self::Remnant => f.write_str("what is left of a group"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Errno(0) => f.write_str("success"),
            Self::Errno(errno) => write!(f, "{}", std::io::Error::from_raw_os_error(*errno)),
            Self::Read(bytes, words) => write!(f, "{bytes} bytes: {words:x?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(Answer::parse("-22"), Some(Answer::Errno(22)));
        assert_eq!(Answer::parse("0"), Some(Answer::Errno(0)));
        let read = Answer::Read(16, vec![0x1f, 2]);
        assert_eq!(Answer::parse("16:1f,2"), Some(read));
        assert_eq!(Answer::parse("0:"), Some(Answer::Read(0, vec![])));
        assert_eq!(Answer::parse("no"), None);
    }

    #[test]
    fn any_of_the_reasons_may_be_given() {
        let refused = Expected::Refused(vec![Reason::Sampling, Reason::Event]);
        for (errno, is) in [(95, true), (22, true), (2, false), (0, false)] {
            assert_eq!(refused.is(&Answer::Errno(errno)), is);
        }
        assert!(!Expected::Done.is(&Answer::Errno(22)));
    }

    #[test]
    fn only_what_must_always_count_may_be_given_up() {
        let (nothing, all) = (Answer::Read(0, vec![]), Answer::Read(8, vec![1]));
        assert!(Expected::Bytes(8, false).is(&all));
        assert!(!Expected::Bytes(8, false).is(&nothing));
        assert!(Expected::Bytes(8, true).is(&nothing));
        let full = Answer::Errno(ENOSPC);
        for may_end in [false, true] {
            assert!(Expected::NoRoom(may_end).is(&full));
            assert!(!Expected::NoRoom(may_end).is(&all));
            assert_eq!(Expected::NoRoom(may_end).is(&nothing), may_end);
        }
    }
}
