// SPDX-License-Identifier: GPL-2.0

//! What happens while the program waits: keys, signals, the end of an interval.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;

use super::keys::{keys, Key};
use crate::error::Error;

/// Event for which the program waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// The time is over.
    Time,
    Key(Key),
    /// The terminal has another size.
    Resize,
    /// The shell wants to go on.
    Suspend,
    /// The program runs again.
    Continue,
    /// The terminal is lost, or the user or the system wants no more.
    End,
}

/// Channel at which inputs arrive.
pub(super) struct Inputs {
    inputs: Receiver<Input>,
    sender: Sender<Input>,
}

impl Inputs {
    /// Catches the signals that end the program.
    pub(super) fn of_end() -> Result<Self, Error> {
        Self::of(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    }

    /// Catches all signals of a terminal, too, and reads its keys.
    pub(super) fn of_terminal() -> Result<Self, Error> {
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT];
        let inputs = Self::of(&signals)?;
        let sender = inputs.sender.clone();
        thread::spawn(move || read(&sender));
        Ok(inputs)
    }

    fn of(caught: &[i32]) -> Result<Self, Error> {
        let mut signals = Signals::new(caught).map_err(Error::Signals)?;
        let (sender, inputs) = mpsc::channel();
        let of_signals = sender.clone();
        thread::spawn(move || {
            let mut all = signals.forever().map(input);
            all.try_for_each(|input| of_signals.send(input))
        });
        Ok(Self { inputs, sender })
    }

    /// Waits until something happens: at the deadline, if there is one, the time is over.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Input {
        let Some(deadline) = deadline else {
            return self.inputs.recv().unwrap_or(Input::End);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        match self.inputs.recv_timeout(left) {
            Ok(input) => input,
            Err(RecvTimeoutError::Timeout) => Input::Time,
            Err(RecvTimeoutError::Disconnected) => Input::End,
        }
    }
}

const fn input(signal: i32) -> Input {
    match signal {
        SIGWINCH => Input::Resize,
        SIGTSTP => Input::Suspend,
        SIGCONT => Input::Continue,
        _ => Input::End,
    }
}

/// Reads keys until the terminal is lost.
fn read(sender: &Sender<Input>) {
    let mut sent = [0; 256];
    loop {
        let length = match rustix::io::read(io::stdin(), &mut sent) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        let keys = keys(sent.get(..length).unwrap_or_default()).into_iter();
        let sent = keys.map(Input::Key).try_for_each(|key| sender.send(key));
        if sent.is_err() {
            return;
        }
    }
    let _ = sender.send(Input::End);
}
