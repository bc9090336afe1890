// SPDX-License-Identifier: GPL-2.0

//! `enable`, `disable` and `status`: choose and show the driver that has the counters,
//! now and at the next boot.
//!
//! ```text
//! # uncore enable
//! uncore_rs has the uncore counters now, and at each boot
//! ```
//!
//! The last step puts the files for the next boot in place. If a step fails, the steps
//! before it are undone.

mod disable;
mod enable;
mod exporters;
mod status;

pub use disable::disable;
pub use enable::enable;
pub use status::Status;

pub use crate::boot::{Programs, FILE, GRUB_FILE, INSTALL, LOAD_FILE, PARAMETER};

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use crate::boot::Failure;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::root::Root;
use crate::system::{Driver, Host, System};

const CAP_SYS_MODULE: u32 = 16;

/// Runs `enable`. The user agrees to a boot parameter beforehand, or is asked.
pub fn run_enable(root: &Path, agrees: bool) -> Result<Outcome, Error> {
    change(root, |system, programs| {
        enable(system, programs, &|plan| agrees || is_agreed(plan))
    })
}

/// Asks on a terminal.
fn is_agreed(plan: &str) -> bool {
    if !io::stdin().is_terminal() {
        return false;
    }
    let mut answer = String::new();
    let asked = write!(io::stderr(), "{plan}Go on? [y/N] ");
    let read = asked.and_then(|()| io::stdin().read_line(&mut answer));
    read.is_ok() && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Runs `disable`.
pub fn run_disable(root: &Path) -> Result<Outcome, Error> {
    change(root, disable)
}

/// Runs `status`.
pub fn run_status(root: &Path) -> Result<Outcome, Error> {
    let system = System::read(root)?;
    Ok(Outcome::said(Status::new(&system)?.to_string()))
}

/// Changes the drivers of the running system.
fn change(
    root: &Path,
    how: impl FnOnce(&System, &Programs) -> Result<Outcome, Error>,
) -> Result<Outcome, Error> {
    let system = System::read(root)?;
    // A recorded one has no drivers to change.
    if !system.root.is_live() {
        return Err(Error::RecordedDrivers(system.root.path("")));
    }
    how(&system, &Programs::on_path())
}

/// Refuses a user who is not allowed to, before anything is changed.
fn require_privilege(host: &Host, command: &'static str) -> Result<(), Error> {
    if host.is_capable(CAP_SYS_MODULE) {
        Ok(())
    } else {
        Err(Error::Privilege(command))
    }
}

/// Refuses a driver with open events, which cannot be unloaded.
fn require_unused(driver: Option<Driver>, module: &'static str) -> Result<(), Error> {
    match driver.and_then(|driver| driver.events) {
        Some(events @ 1..) => Err(Error::EventsOpen { module, events }),
        _ => Ok(()),
    }
}

/// Unloads a driver. An event may have been opened since [`require_unused`].
fn unload(root: &Root, programs: &Programs, module: &'static str) -> Result<(), Error> {
    programs.unload(module).or_else(|failure| {
        require_unused(Driver::read(root, module), module)?;
        Err(failure.into_error("`dmesg` may say why"))
    })
}

/// Returns the error for a failure after which the earlier steps could not be undone.
fn not_undone(error: &Error, failure: Failure) -> Error {
    Error::NotUndone {
        error: error.to_string(),
        command: failure.command,
        said: failure.said,
    }
}
