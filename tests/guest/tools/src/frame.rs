// SPDX-License-Identifier: GPL-2.0

//! Frames on the byte stream between the host and the agent: one byte for the kind,
//! four bytes of length (little endian), the payload.
//!
//! The host sends [`Kind::Run`], [`Kind::Mark`] or [`Kind::PowerOff`] and waits.
//! The agent sends [`Kind::Ready`] once. Then it answers a `Run` by any number of
//! `Stdout` and `Stderr` and one `Status`, a `Mark` by `Marked`, a `PowerOff` by
//! ending.

use std::io::{self, Read, Write};

/// Name of the virtio port.
pub const PORT: &str = "uncore.agent";

/// The longest payload; longer ones mean that the stream is out of step.
const LONGEST: usize = 16 << 20;

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To the agent: execute the payload by `sh -c`.
    Run,
    /// To the agent: write the payload to the kernel's log.
    Mark,
    /// To the agent: end, and with it the guest.
    PowerOff,
    /// From the agent: it listens. The payload is the reason why the driver could
    /// not be loaded, or empty.
    Ready,
    /// From the agent: the command wrote this to its standard output.
    Stdout,
    /// From the agent: the command wrote this to its standard error.
    Stderr,
    /// From the agent: the command ended, with this status as four bytes.
    Status,
    /// From the agent: the mark is in the log.
    Marked,
}

impl Kind {
    const LETTERS: [(Self, u8); 8] = [
        (Self::Run, b'r'),
        (Self::Mark, b'm'),
        (Self::PowerOff, b'p'),
        (Self::Ready, b'R'),
        (Self::Stdout, b'O'),
        (Self::Stderr, b'E'),
        (Self::Status, b'S'),
        (Self::Marked, b'M'),
    ];

    fn letter(self) -> u8 {
        let found = Self::LETTERS.iter().find(|(kind, _)| *kind == self);
        found.map_or(0, |(_, letter)| *letter)
    }

    fn from_letter(letter: u8) -> Option<Self> {
        let found = Self::LETTERS.iter().find(|(_, known)| *known == letter);
        found.map(|(kind, _)| *kind)
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The kind.
    pub kind: Kind,
    /// The content.
    pub payload: Vec<u8>,
}

impl Frame {
    /// A frame.
    pub fn new(kind: Kind, payload: impl Into<Vec<u8>>) -> Self {
        Self {
            kind,
            payload: payload.into(),
        }
    }

    /// The end of a command.
    pub fn status(status: i32) -> Self {
        Self::new(Kind::Status, status.to_le_bytes())
    }

    /// The status in a [`Kind::Status`] frame.
    pub fn to_status(&self) -> Option<i32> {
        let bytes = <[u8; 4]>::try_from(self.payload.as_slice()).ok()?;
        (self.kind == Kind::Status).then(|| i32::from_le_bytes(bytes))
    }

    /// Reads one frame. Fails if the stream ends, fails, or holds something else.
    pub fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let [letter, length @ ..] = head;
        let kind = Kind::from_letter(letter).ok_or_else(|| {
            let text = format!("a frame cannot begin with the byte {letter:#04x}");
            io::Error::new(io::ErrorKind::InvalidData, text)
        })?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST {
            let text = format!("a frame cannot be {length} bytes long");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload)?;
        Ok(Self { kind, payload })
    }

    /// Writes the frame. Fails if the stream fails, or the payload is longer than
    /// frames may be.
    pub fn write(&self, stream: &mut impl Write) -> io::Result<()> {
        let length = u32::try_from(self.payload.len()).ok();
        let length = length
            .filter(|_| self.payload.len() <= LONGEST)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "too long for a frame"))?;
        let mut bytes = vec![self.kind.letter()];
        bytes.extend(length.to_le_bytes());
        bytes.extend(&self.payload);
        stream.write_all(&bytes)?;
        stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_refused() {
        let noise = Frame::read(&mut b"[    0.1] Linux".as_slice());
        assert!(noise.expect_err("no frame").to_string().contains("0x5b"));
        let huge = Frame::read(&mut b"O\xff\xff\xff\xff".as_slice());
        assert!(huge
            .expect_err("too long")
            .to_string()
            .contains("4294967295"));
        let long = Frame::new(Kind::Stdout, vec![0; LONGEST + 1]);
        long.write(&mut Vec::new()).expect_err("too long");
    }
}
