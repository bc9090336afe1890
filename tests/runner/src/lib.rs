// SPDX-License-Identifier: GPL-2.0

//! Boots the emulated machine and runs commands in it.
//!
//! A [`Config`] describes the kernel, the driver and the machine. A [`Guest`] is a booted
//! machine: it runs any number of commands, and reports warnings of the kernel and
//! violations that the model recorded meanwhile.
//!
//! Below these: `emulator` (the process, whose command line is `qemu`), `agent`
//! (the channel to the guest), `sleep` (what wakes it), `log` and `splat` (the kernel's log).

mod agent;
mod config;
mod emulator;
mod error;
mod faults;
mod guest;
mod log;
mod process;
mod qemu;
mod sleep;
mod splat;
mod workspace;

pub use config::{Config, Driver, Flavour, Parts, MODULE, UNLOAD};
pub use error::Error;
pub use faults::Faults;
pub use guest::{shell, Guest, Output, Stream};
pub use qemu::Console;
