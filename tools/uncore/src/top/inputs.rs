// SPDX-License-Identifier: GPL-2.0

//! Keys and signals, which come while the program waits.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};

use super::keys::{keys, Key};
use crate::error::Error;
use crate::waiting::Waiting;

/// Event for which the program waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
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

/// Catches the signals that end the program.
pub(super) fn of_end() -> Result<Waiting<Input>, Error> {
    Waiting::for_signals(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT], input)
}

/// Catches all signals of a terminal, too, and reads its keys.
pub(super) fn of_terminal() -> Result<Waiting<Input>, Error> {
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT];
    let inputs = Waiting::for_signals(&signals, input)?;
    let sender = inputs.sender();
    thread::spawn(move || read(&sender));
    Ok(inputs)
}

fn input(signal: i32) -> Input {
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
