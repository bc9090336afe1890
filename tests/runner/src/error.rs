// SPDX-License-Identifier: GPL-2.0

//! Reasons why a machine cannot be used, in sentences.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use uncore_machine::TopologyError;

use crate::faults::Faults;

/// Reason why a machine cannot be booted or used.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "the message of a variant says what its fields are"
)]
pub enum Error {
    /// A file the machine is made of was not named.
    #[error("no {what} was named: set {variable}, or run this through make")]
    Unnamed {
        what: &'static str,
        variable: &'static str,
    },
    /// A file the machine is made of does not exist.
    #[error("there is no {what} at {path}")]
    Missing { what: &'static str, path: PathBuf },
    /// The options describe a machine that cannot exist.
    #[error("the machine cannot be built: {0}")]
    Topology(#[from] TopologyError),
    /// An option that only this library knows is wrong.
    #[error("the machine cannot be built: {0}")]
    Option(String),
    /// A system call for a file or a process failed.
    #[error("{what}: {source}")]
    System { what: String, source: io::Error },
    /// The driver did not load.
    #[error("the driver was not loaded: {reason}\n{log}")]
    Driver { reason: String, log: String },
    /// The guest did not answer in time.
    #[error("the guest did not {what} within {} s\n{log}", .limit.as_secs())]
    Timeout {
        what: String,
        limit: Duration,
        faults: Faults,
        log: String,
    },
    /// The emulator ended, or the channel to the guest broke.
    #[error("the guest is gone: {reason}\n{log}")]
    Gone {
        reason: String,
        faults: Faults,
        log: String,
    },
}

impl Error {
    /// Returns a function for `map_err`.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |source| Self::System { what, source }
    }
}
