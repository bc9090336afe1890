// SPDX-License-Identifier: GPL-2.0

//! Starts the emulator so that it ends when this process does.
//!
//! QEMU asks the kernel for a signal when its parent ends, and the kernel takes
//! the *thread* that started it for the parent. Tests run on threads that end
//! early, so one thread that never ends starts all of them.

use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{channel, Sender};
use std::sync::OnceLock;

/// A command to start and where to send the result.
type Request = (Command, Sender<io::Result<Child>>);

/// Starts a program whose parent is a thread that never ends.
pub(crate) fn spawn(command: Command) -> io::Result<Child> {
    static STARTER: OnceLock<Sender<Request>> = OnceLock::new();
    let starter = STARTER.get_or_init(start_thread);
    let (sender, receiver) = channel();
    let gone = |_| io::Error::other("the thread that starts programs is gone");
    starter
        .send((command, sender))
        .map_err(|error| gone(error.to_string()))?;
    receiver.recv().map_err(|error| gone(error.to_string()))?
}

fn start_thread() -> Sender<Request> {
    let (sender, receiver) = channel::<Request>();
    std::thread::spawn(move || {
        for (mut command, answer) in receiver {
            // The receiver is gone: the child has no owner.
            if let Err(unwanted) = answer.send(command.spawn()) {
                drop(unwanted.0.map(|mut child| child.kill()));
            }
        }
    });
    sender
}
