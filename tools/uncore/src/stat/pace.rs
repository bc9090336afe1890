// SPDX-License-Identifier: GPL-2.0

//! When an interval ends: by the clock, by the end of a command, by a signal.

use std::process::{Command, ExitStatus};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::Error;
use crate::waiting::Waiting;

/// Reason for which an interval ended before its time was over.
#[derive(Debug)]
pub(super) enum End {
    /// The user or the system wants no more.
    Signal,
    /// The command ended.
    Command(std::io::Result<ExitStatus>),
}

/// Catches signals: from now on they end an interval, not the program.
pub(super) fn ends() -> Result<Waiting<End>, Error> {
    Waiting::for_signals(&[SIGINT, SIGTERM, SIGHUP], |_| End::Signal)
}

/// Starts a command, whose end will end an interval.
pub(super) fn follow(ends: &Waiting<End>, words: &[String]) -> Result<(), Error> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(());
    };
    let started = Command::new(program).args(arguments).spawn();
    let mut child = started.map_err(|source| Error::Command {
        program: program.clone(),
        source,
    })?;
    let sender = ends.sender();
    thread::spawn(move || sender.send(End::Command(child.wait())));
    Ok(())
}
