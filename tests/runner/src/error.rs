// SPDX-License-Identifier: GPL-2.0

//! Reasons why a machine cannot be used, in sentences.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use uncore_machine::TopologyError;

use crate::faults::Faults;

/// Reason why a machine cannot be booted or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file the machine is made of was not named.
    #[error("no {what} was named: set {variable}, or run this through make")]
    Unnamed {
        /// Name of the part.
        what: &'static str,
        /// Environment variable for the part.
        variable: &'static str,
    },
    /// A file the machine is made of does not exist.
    #[error("there is no {what} at {path}")]
    Missing {
        /// Name of the part.
        what: &'static str,
        /// Path that was given.
        path: PathBuf,
    },
    /// The options describe a machine that cannot exist.
    #[error("the machine cannot be built: {0}")]
    Topology(#[from] TopologyError),
    /// An option that only this library knows is wrong.
    #[error("the machine cannot be built: {0}")]
    Option(String),
    /// A system call for a file or a process failed.
    #[error("{what}: {source}")]
    System {
        /// Operation that failed.
        what: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The driver did not load.
    #[error("the driver was not loaded: {reason}\n{log}")]
    Driver {
        /// Error message of the kernel.
        reason: String,
        /// The end of the kernel's log.
        log: String,
    },
    /// The guest did not answer in time.
    #[error("the guest did not {what} within {} s\n{log}", .limit.as_secs())]
    Timeout {
        /// Expected action of the guest.
        what: String,
        /// Time limit.
        limit: Duration,
        /// Earlier complaints of the kernel and the model.
        faults: Faults,
        /// The end of the kernel's log.
        log: String,
    },
    /// The emulator ended, or the channel to the guest broke.
    #[error("the guest is gone: {reason}\n{log}")]
    Gone {
        /// Description of the failure.
        reason: String,
        /// Earlier complaints of the kernel and the model.
        faults: Faults,
        /// The end of the emulator's messages and of the kernel's log.
        log: String,
    },
    /// The kernel or the model complained.
    #[error("{0}")]
    Faults(Faults),
}

impl Error {
    /// Returns a function for `map_err`.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |source| Self::System { what, source }
    }
}
