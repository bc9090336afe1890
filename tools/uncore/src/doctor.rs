// SPDX-License-Identifier: GPL-2.0

//! `doctor`: finds everything that prevents right counts.
//!
//! ```text
//! $ uncore doctor
//! pass     hypervisor     none
//! failure  module         uncore_rs is not loaded, though it is installed
//!                         > modprobe uncore_rs
//! ```
//!
//! The checks are in the order of causes: a failure may follow from an earlier
//! one, so the first failure is the one to fix.

mod boxes;
mod kernel;
mod module;
mod snoop;
mod user;

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::Serialize;

use crate::cli::Doctor;
use crate::error::Error;
use crate::outcome::{json, Outcome};
use crate::system::{Host, System, FORMER, MODULE};
use crate::table;
pub(crate) use kernel::SIGNING;

/// Runs all checks on the system under a directory.
pub fn run(root: &Path, arguments: &Doctor) -> Result<Outcome, Error> {
    let system = System::read(root)?;
    let perf = system.root.is_live().then(perf_version).flatten();
    let report = Report::new(&system, perf.as_deref())?;
    let text = if arguments.json {
        json(&report)?
    } else {
        report.to_string()
    };
    Ok(Outcome::said(text).with_trouble(report.cause().is_some()))
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing is wrong.
    Pass,
    /// Something the user should know.
    Warning,
    /// Something that prevents right counts.
    Failure,
}

/// One check and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Name of the check.
    pub name: &'static str,
    /// Result.
    pub status: Status,
    /// Finding, as a sentence.
    pub finding: String,
    /// Remedy for the finding.
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

/// System that the checks look at.
struct Target<'a> {
    system: &'a System,
    host: Host,
    perf: Option<&'a str>,
}

impl Target<'_> {
    /// Adds the checks of the module and of what keeps it from loading.
    fn check_module(&self, checks: &mut Vec<Check>) -> Result<(), Error> {
        checks.push(kernel::lockdown(self));
        checks.extend(kernel::signatures(self));
        checks.push(kernel::other_driver(self));
        checks.extend(kernel::former_driver(self));
        let blocked = checks.iter().find(|check| check.status == Status::Failure);
        let blocked = blocked.map(|check| check.name);
        checks.push(module::loaded(self, blocked));
        if self.is_module_loaded() {
            checks.push(module::pmus(self));
            checks.push(module::files(self));
            checks.extend(boxes::checks(self));
            checks.extend(module::overflow(self));
            checks.extend(snoop::check(self));
            checks.extend(module::doubts(self)?);
        }
        Ok(())
    }

    fn is_module_loaded(&self) -> bool {
        let has_pmus = !self.system.pmus.is_empty() && !self.is_former_loaded();
        self.has_module(MODULE) || has_pmus
    }

    /// Returns whether the module is loaded in a version before 0.2.0.
    fn is_former_loaded(&self) -> bool {
        self.has_module(FORMER)
    }

    fn has_module(&self, name: &str) -> bool {
        self.host.has_module(name) || self.system.root.has(&format!("sys/module/{name}"))
    }
}

/// Results of all checks.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Checks in the order of causes.
    pub checks: Vec<Check>,
}

impl Report {
    /// Runs the checks. `perf` is the output of `perf --version`.
    pub fn new(system: &System, perf: Option<&str>) -> Result<Self, Error> {
        let target = Target {
            host: Host::read(system)?,
            system,
            perf,
        };
        let processor = kernel::processor(&target);
        let is_supported = processor.status != Status::Failure;
        let mut checks = vec![
            kernel::version(&target),
            processor,
            kernel::hypervisor(&target),
        ];
        if is_supported {
            target.check_module(&mut checks)?;
        }
        checks.push(user::permissions(&target));
        checks.push(user::programs(&target));
        checks.extend(user::survey(&target));
        checks.push(user::perf(&target));
        if is_supported {
            checks.extend(module::installed(&target));
        }
        Ok(Self { checks })
    }

    /// Returns the first failure, which is the one to fix.
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
                table::paragraph("Fix this first: ", &cause.finding)
            ),
            None => writeln!(f, "\nNo check failed: you can count."),
        }
    }
}

/// Returns what prevents the module from running on this machine and kernel, whatever
/// is installed.
pub(crate) fn obstacle(system: &System, host: &Host) -> Option<Check> {
    let target = Target {
        host: host.clone(),
        system,
        perf: None,
    };
    let mut checks = [kernel::processor, kernel::hypervisor, kernel::version]
        .into_iter()
        .map(|check| check(&target));
    checks.find(|check| check.status == Status::Failure)
}

/// Returns the version text of the perf on PATH.
pub fn perf_version() -> Option<String> {
    let output = Command::new("perf").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}
