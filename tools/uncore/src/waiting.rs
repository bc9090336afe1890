// SPDX-License-Identifier: GPL-2.0

//! Waits of a command that counts: for the end of a time, a signal, and what its threads see.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use signal_hook::iterator::Signals;

use crate::error::Error;

/// Channel at which happenings arrive.
pub(crate) struct Waiting<T> {
    happened: Receiver<T>,
    sender: Sender<T>,
}

impl<T: Send + 'static> Waiting<T> {
    /// Catches signals: from now on each is a happening, and none ends the program.
    pub(crate) fn for_signals(caught: &[i32], happening: fn(i32) -> T) -> Result<Self, Error> {
        let mut signals = Signals::new(caught).map_err(Error::Signals)?;
        let (sender, happened) = mpsc::channel();
        let of_signals = sender.clone();
        thread::spawn(move || {
            let mut all = signals.forever().map(happening);
            all.try_for_each(|one| of_signals.send(one))
        });
        Ok(Self { happened, sender })
    }

    /// Returns where a thread sends what it sees.
    pub(crate) fn sender(&self) -> Sender<T> {
        self.sender.clone()
    }

    /// Waits until something happens; `None` at the deadline, if there is one.
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> Option<T> {
        // `self` holds a sender, so the channel is never closed.
        match deadline {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                self.happened.recv_timeout(left).ok()
            }
            None => self.happened.recv().ok(),
        }
    }
}
