// SPDX-License-Identifier: GPL-2.0

//! `enable`, `disable` and `status`: which driver has the counters, now and at
//! the next boot.
//!
//! ```text
//! # ivbep-uncore enable
//! ivbep_uncore has the uncore counters now, and at each boot
//! ```
//!
//! Each step can be undone until the last one, the file for the next boot, is
//! in its place: a step that fails leaves everything as it was.

mod boot;
mod disable;
mod enable;
mod programs;
mod status;

pub use boot::FILE;
pub use disable::disable;
pub use enable::enable;
pub use programs::Programs;
pub use status::Status;

use crate::error::Error;
use crate::system::{Driver, Host, System};
use programs::Failure;

const CAP_SYS_MODULE: u32 = 16;

/// What helps if a driver is not unloaded.
const BUSY: &str = "end all programs that count, then try again";

/// Drivers can be changed in the running system only.
///
/// # Errors
///
/// If it is another one.
pub fn require_live(system: &System) -> Result<(), Error> {
    if system.root.is_live() {
        Ok(())
    } else {
        Err(Error::RecordedDrivers(system.root.path("")))
    }
}

/// A user who may not do it is told so before anything is tried.
fn require_privilege(host: &Host, command: &'static str) -> Result<(), Error> {
    if host.is_capable(CAP_SYS_MODULE) {
        Ok(())
    } else {
        Err(Error::Privilege(command))
    }
}

/// A driver with open events cannot be unloaded.
fn require_unused(driver: Option<Driver>, module: &'static str) -> Result<(), Error> {
    match driver.and_then(|driver| driver.events) {
        Some(events @ 1..) => Err(Error::EventsOpen { module, events }),
        _ => Ok(()),
    }
}

/// Not even what was before can be had.
fn not_undone(error: &Error, failure: Failure) -> Error {
    Error::NotUndone {
        error: error.to_string(),
        command: failure.command,
        said: failure.said,
    }
}
