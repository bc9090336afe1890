// SPDX-License-Identifier: GPL-2.0

//! Why a machine is of no use, in sentences.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use ivbep_machine::TopologyError;

use crate::faults::Faults;

/// Why a machine cannot be booted or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file the machine is made of was not named.
    #[error("no {what} was named: set {variable}, or run this through make")]
    Unnamed {
        /// Which part.
        what: &'static str,
        /// The environment variable for it.
        variable: &'static str,
    },
    /// A file the machine is made of is not there.
    #[error("there is no {what} at {path}")]
    Missing {
        /// Which part.
        what: &'static str,
        /// Where it was said to be.
        path: PathBuf,
    },
    /// The machine cannot be like that.
    #[error("the machine cannot be built: {0}")]
    Topology(#[from] TopologyError),
    /// An option that only this library knows is wrong.
    #[error("the machine cannot be built: {0}")]
    Option(String),
    /// A file or a process could not be had.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// What the system says.
        source: io::Error,
    },
    /// The driver did not load.
    #[error("the driver was not loaded: {reason}\n{log}")]
    Driver {
        /// What the kernel says.
        reason: String,
        /// The end of the kernel's log.
        log: String,
    },
    /// Nothing came in time.
    #[error("the guest did not {what} within {} s\n{log}", .limit.as_secs())]
    Timeout {
        /// What it should have done.
        what: String,
        /// How long it had.
        limit: Duration,
        /// What was complained about before.
        faults: Faults,
        /// The end of the kernel's log.
        log: String,
    },
    /// The emulator ended, or the channel to the guest broke.
    #[error("the guest is gone: {reason}\n{log}")]
    Gone {
        /// What was seen.
        reason: String,
        /// What was complained about before.
        faults: Faults,
        /// The end of the emulator's messages and of the kernel's log.
        log: String,
    },
    /// The kernel or the model complained.
    #[error("{0}")]
    Faults(Faults),
}

impl Error {
    /// For `map_err`.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |source| Self::System { what, source }
    }
}
