// SPDX-License-Identifier: GPL-2.0

//! When an interval ends: by the clock, by the end of a command, by a signal.

use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::Error;

/// Reason for which an interval ended.
#[derive(Debug)]
pub(super) enum End {
    /// Its time was over.
    Time,
    /// The user or the system wants no more.
    Signal,
    /// The command ended.
    Command(std::io::Result<ExitStatus>),
}

/// Tells when intervals end.
pub(super) struct Pace {
    ends: Receiver<End>,
    sender: Sender<End>,
}

impl Pace {
    /// Catches signals: from now on they end an interval, not the program.
    pub(super) fn new() -> Result<Self, Error> {
        let (sender, ends) = mpsc::channel();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(Error::Signals)?;
        let of_signals = sender.clone();
        thread::spawn(move || {
            for _ in signals.forever() {
                if of_signals.send(End::Signal).is_err() {
                    return;
                }
            }
        });
        Ok(Self { ends, sender })
    }

    /// Starts a command, whose end will end an interval.
    pub(super) fn follow(&self, words: &[String]) -> Result<(), Error> {
        let Some((program, arguments)) = words.split_first() else {
            return Ok(());
        };
        let started = Command::new(program).args(arguments).spawn();
        let mut child: Child = started.map_err(|source| Error::Command {
            program: program.clone(),
            source,
        })?;
        let sender = self.sender.clone();
        thread::spawn(move || sender.send(End::Command(child.wait())));
        Ok(())
    }

    /// Waits for the end of an interval: at `deadline`, if there is one.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> End {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // `self` holds a sender, so the channel is never closed.
        match self.ends.recv_timeout(left.unwrap_or(Duration::MAX)) {
            Ok(end) => end,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => End::Time,
        }
    }
}
