// SPDX-License-Identifier: GPL-2.0

//! A connection: it reads a request, writes the answer, and waits until the client has seen that.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use rustix::event::PollFlags;

use super::listener::Stream;
use super::request::{self, Parsed, Reply, Request};
use super::PATIENCE;

/// Number of bytes that are read after the request. They are dropped: a connection that is closed
/// with bytes unread takes the answer away from the client.
const SPARE: usize = 64 << 10;
/// Number of bytes that are read at once.
const CHUNK: usize = 4 << 10;

/// A connection with a client.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    deadline: Instant,
    step: Step,
}

#[derive(Debug)]
enum Step {
    /// The request comes; this much is there.
    Read(Vec<u8>),
    /// The answer goes; this much of it is gone.
    Write(Vec<u8>, usize),
    /// Bytes of the client are dropped until it closes its side, but no more than these.
    Drain(usize),
}

impl Connection {
    pub(super) fn new(stream: Stream, deadline: Instant) -> Self {
        Self {
            stream,
            deadline,
            step: Step::Read(Vec::new()),
        }
    }

    /// The time at which its client has lost it.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the events that it waits for.
    pub(super) fn awaits(&self) -> PollFlags {
        match self.step {
            Step::Read(_) | Step::Drain(_) => PollFlags::IN,
            Step::Write(..) => PollFlags::OUT,
        }
    }

    /// Does what can be done now. Returns false at the end.
    pub(super) fn go_on(
        &mut self,
        now: Instant,
        answer: &mut dyn FnMut(&Request) -> Reply,
    ) -> bool {
        match self.advance(now, answer) {
            Ok(()) => false,
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ),
        }
    }

    /// Goes on until the end, or until it would have to wait.
    fn advance(
        &mut self,
        now: Instant,
        answer: &mut dyn FnMut(&Request) -> Reply,
    ) -> io::Result<()> {
        let mut chunk = [0; CHUNK];
        loop {
            match &mut self.step {
                Step::Read(received) => {
                    let length = self.stream.read(&mut chunk)?;
                    if length == 0 {
                        return Ok(());
                    }
                    received.extend_from_slice(chunk.get(..length).unwrap_or_default());
                    let (reply, is_head) = match request::parse(received) {
                        Parsed::Partial => continue,
                        Parsed::Request(request) => (answer(&request), request.is_head),
                        Parsed::Refused(reply) => (reply, false),
                    };
                    self.deadline = now + PATIENCE;
                    self.step = Step::Write(reply.bytes(is_head), 0);
                }
                Step::Write(reply, gone) => {
                    let rest = reply.get(*gone..).unwrap_or_default();
                    if rest.is_empty() {
                        self.stream.end()?;
                        self.step = Step::Drain(SPARE);
                        continue;
                    }
                    let length = self.stream.write(rest)?;
                    if length == 0 {
                        return Ok(());
                    }
                    *gone += length;
                }
                Step::Drain(left) => {
                    let length = self.stream.read(&mut chunk)?;
                    if length == 0 || length >= *left {
                        return Ok(());
                    }
                    *left -= length;
                }
            }
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
