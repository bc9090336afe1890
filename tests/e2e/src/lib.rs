// SPDX-License-Identifier: GPL-2.0

//! Boots the emulated machine and runs commands in it.
//!
//! A [`Config`] says what to boot, a [`Guest`] is what runs: it takes any number
//! of commands, and tells what the kernel and the model complained about
//! meanwhile. The rest is for tests: what perf prints, and what it should.
//!
//! Below these: `emulator` (the process, whose command line is `qemu`), `agent`
//! (the channel to the guest), `log` and `splat` (the kernel's log).

mod agent;
pub mod bench;
pub mod catalogue;
mod config;
pub mod coverage;
mod dice;
pub mod differences;
mod emulator;
mod error;
pub mod expect;
pub mod failures;
mod faults;
pub mod fixture;
pub mod formats;
pub mod fuzz;
mod guest;
mod log;
mod notice;
pub mod perf;
mod process;
mod qemu;
pub mod soak;
mod splat;
pub mod storm;
mod table;
pub mod units;
pub mod user_page;
mod workspace;

pub use config::{Config, Driver, Flavour, Parts, MODULE, UNLOAD};
pub use error::Error;
pub use faults::Faults;
pub use guest::{shell, Guest, Output, Stream};
pub use qemu::Console;
