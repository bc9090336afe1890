// SPDX-License-Identifier: GPL-2.0

//! `doctor`: everything that stands between a user and a right number.
//!
//! ```text
//! $ ivbep-uncore doctor
//! pass     hypervisor     none
//! failure  module         ivbep_uncore is not loaded, though it is installed
//!                         > modprobe ivbep_uncore
//! ```
//!
//! The checks are in the order of causes: a failure may follow from those
//! before it, so that the first is the one to see to.

mod boxes;
mod installed;
mod kernel;
mod module;
mod user;

use std::fmt;
use std::process::Command;

use serde::Serialize;

use crate::error::Error;
use crate::system::{Host, System};
use crate::table;
pub(crate) use kernel::SIGNING;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All is well.
    Pass,
    /// Something to know.
    Warning,
    /// Something that keeps the user from a right number.
    Failure,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it ended.
    pub status: Status,
    /// What was found.
    pub finding: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Check {
    fn pass(name: &'static str, finding: impl Into<String>) -> Self {
        Self {
            name,
            status: Status::Pass,
            finding: finding.into(),
            remedy: None,
        }
    }

    fn warning(name: &'static str, finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            status: Status::Warning,
            remedy: Some(remedy.into()),
            ..Self::pass(name, finding)
        }
    }

    fn failure(name: &'static str, finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            status: Status::Failure,
            ..Self::warning(name, finding, remedy)
        }
    }
}

/// What checks look at.
struct Patient<'a> {
    system: &'a System,
    host: Host,
    perf: Option<&'a str>,
}

impl Patient<'_> {
    fn is_module_loaded(&self) -> bool {
        let module = format!("sys/module/{}", crate::system::MODULE);
        self.host.has_module(crate::system::MODULE)
            || self.system.root.has(&module)
            || !self.system.pmus.is_empty()
    }
}

/// All checks.
#[derive(Debug, Serialize)]
pub struct Report {
    /// In the order of causes.
    pub checks: Vec<Check>,
}

impl Report {
    /// Looks at a system. `perf` is what `perf --version` says.
    ///
    /// # Errors
    ///
    /// If the processor or the modules cannot be read.
    pub fn new(system: &System, perf: Option<&str>) -> Result<Self, Error> {
        let patient = Patient {
            host: Host::read(system)?,
            system,
            perf,
        };
        let mut checks = vec![
            kernel::processor(&patient),
            kernel::hypervisor(&patient),
            kernel::version(&patient),
            kernel::lockdown(&patient),
        ];
        checks.extend(kernel::signatures(&patient));
        checks.push(kernel::other_driver(&patient));
        let blocked = checks.iter().find(|check| check.status == Status::Failure);
        let blocked = blocked.map(|check| check.name);
        checks.push(module::loaded(&patient, blocked));
        if patient.is_module_loaded() {
            checks.push(module::pmus(&patient));
            checks.push(module::files(&patient));
            checks.extend(boxes::checks(&patient));
            checks.extend(module::overflow(&patient));
        }
        checks.push(user::permissions(&patient));
        checks.push(user::programs(&patient));
        checks.push(user::perf(&patient));
        checks.extend(installed::checks(&patient));
        Ok(Self { checks })
    }

    /// The first failure: what to see to.
    #[must_use]
    pub fn cause(&self) -> Option<&Check> {
        let mut checks = self.checks.iter();
        checks.find(|check| check.status == Status::Failure)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            let status = match check.status {
                Status::Pass => "pass",
                Status::Warning => "warning",
                Status::Failure => "failure",
            };
            let head = format!("{status:8} {:15}", check.name);
            f.write_str(&table::paragraph(&head, &check.finding))?;
            if let Some(remedy) = &check.remedy {
                f.write_str(&table::paragraph(&format!("{:24}> ", ""), remedy))?;
            }
        }
        match self.cause() {
            Some(cause) => write!(
                f,
                "\n{}",
                table::paragraph("To be seen to first: ", &cause.finding)
            ),
            None => writeln!(f, "\nNothing keeps you from counting."),
        }
    }
}

/// What keeps the module from this machine and kernel, whatever is installed.
pub(crate) fn obstacle(system: &System, host: &Host) -> Option<Check> {
    let patient = Patient {
        host: host.clone(),
        system,
        perf: None,
    };
    let mut checks = [kernel::processor, kernel::hypervisor, kernel::version]
        .into_iter()
        .map(|check| check(&patient));
    checks.find(|check| check.status == Status::Failure)
}

/// What the perf on PATH says its version is.
#[must_use]
pub fn perf_version() -> Option<String> {
    let output = Command::new("perf").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}
