// SPDX-License-Identifier: GPL-2.0

//! The host's end of the channel to the guest's agent.

use std::io::{self, Read, Write};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::time::Instant;

use guest_tools::frame::{Frame, Kind};

/// Host side of the connection to the guest's agent.
pub(crate) struct Agent {
    commands: Box<dyn Write + Send>,
    frames: Receiver<io::Result<Frame>>,
}

/// Reason why no frame was received.
#[derive(Debug)]
pub(crate) enum Silence {
    /// The deadline has passed.
    Late,
    /// The channel is closed, for this reason.
    Gone(String),
}

impl Agent {
    /// Connects to an agent that reads requests from `commands` and writes its frames to
    /// `answers`.
    pub(crate) fn new(
        commands: impl Write + Send + 'static,
        mut answers: impl Read + Send + 'static,
    ) -> Self {
        let (sender, frames) = channel();
        // Ends with the stream, or when the receiver is gone.
        std::thread::spawn(move || loop {
            let frame = Frame::read(&mut answers);
            let end = frame.is_err();
            if sender.send(frame).is_err() || end {
                break;
            }
        });
        Self {
            commands: Box::new(commands),
            frames,
        }
    }

    /// Sends a request.
    pub(crate) fn send(&mut self, kind: Kind, text: &str) -> Result<(), Silence> {
        let sent = Frame::new(kind, text).write(&mut self.commands);
        sent.map_err(|error| Silence::Gone(format!("a request could not be sent: {error}")))
    }

    /// Returns the next frame, or the reason why none came before `deadline`.
    pub(crate) fn receive(&self, deadline: Instant) -> Result<Frame, Silence> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.frames.recv_timeout(left) {
            Ok(Ok(frame)) => Ok(frame),
            Ok(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(Silence::Gone("the emulator ended".to_owned()))
            }
            Ok(Err(error)) => Err(Silence::Gone(format!("the channel broke: {error}"))),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Silence::Gone("the emulator had ended before".to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    fn agent(bytes: &'static [u8]) -> Agent {
        Agent::new(io::sink(), bytes)
    }

    #[test]
    fn frames_come_in_order_and_then_the_end() {
        let agent = agent(b"R\0\0\0\0O\x02\0\0\0ab");
        assert_eq!(agent.receive(soon()).expect("first").kind, Kind::Ready);
        assert_eq!(agent.receive(soon()).expect("second").payload, b"ab");
        for reason in ["the emulator ended", "the emulator had ended before"] {
            let silence = agent.receive(soon()).expect_err("nothing left");
            assert!(matches!(silence, Silence::Gone(why) if why == reason));
        }
    }

    #[test]
    fn noise_breaks_the_channel() {
        let silence = agent(b"[    0.0] Linux")
            .receive(soon())
            .expect_err("no frame");
        assert!(matches!(silence, Silence::Gone(why) if why.contains("broke")));
    }

    #[test]
    fn waiting_ends() {
        let (reader, _writer) = UnixStream::pair().expect("a pair of sockets");
        let agent = Agent::new(io::sink(), reader);
        let silence = agent.receive(Instant::now() + Duration::from_millis(20));
        assert!(matches!(
            silence.expect_err("nothing was sent"),
            Silence::Late
        ));
    }
}
