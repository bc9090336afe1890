// SPDX-License-Identifier: GPL-2.0

//! Refused requests: the lines of `rejections` in debugfs.

use super::event::number;
use super::{Word, Words};

/// A refused event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The box, without the prefix: `cbox_0`.
    pub box_name: String,
    /// Reason, as a sentence.
    pub reason: String,
    /// Errno that perf got.
    pub errno: String,
    /// Config words of the request.
    pub words: Words,
    /// The line itself.
    pub line: String,
}

impl Rejection {
    /// Reads `[   12.345678] cbox_3: umask … [EINVAL config=0x1237 …] 4 times`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once(']')?;
        let (box_name, rest) = rest.split_once(": ")?;
        let (reason, rest) = rest.rsplit_once(" [")?;
        let (bracket, _) = rest.split_once(']')?;
        let mut parts = bracket.split(' ');
        let errno = parts.next()?.to_owned();
        let mut words = Words::default();
        for part in parts {
            let (name, value) = part.split_once('=')?;
            words.set(Word::of(name)?, number(value)?);
        }
        Some(Self {
            box_name: box_name.trim().to_owned(),
            reason: reason.to_owned(),
            errno,
            words,
            line: line.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "[    7.412389] cbox_0: a [b]: c [EINVAL config=0x235 config1=0x10 config2=0x0] 4 times";

    #[test]
    fn reads_a_line() {
        let rejection = Rejection::parse(LINE).expect("a rejection");
        assert_eq!(rejection.box_name, "cbox_0");
        assert_eq!(rejection.reason, "a [b]: c");
        assert_eq!(rejection.errno, "EINVAL");
        assert_eq!(rejection.words.to_string(), "config=0x235,config1=0x10");
    }

    #[test]
    fn survives_every_cut() {
        for end in 0..LINE.len() {
            let _ = Rejection::parse(&LINE[..end]);
            let _ = Rejection::parse(&LINE[end..]);
        }
    }
}
