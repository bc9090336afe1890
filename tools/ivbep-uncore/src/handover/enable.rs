// SPDX-License-Identifier: GPL-2.0

//! `enable`: from intel_uncore to the module.

use super::boot::{self, Draft};
use super::programs::{Failure, Programs};
use super::{not_undone, require_privilege, require_unused, BUSY};
use crate::doctor;
use crate::error::Error;
use crate::system::{is_in_dkms, Absence, Driver, Host, Kernel, System, IN_TREE, MODULE};
use crate::Outcome;

const DONE: &str = "ivbep_uncore has the uncore counters now, and at each boot\n";
const ALREADY: &str = "ivbep_uncore has the uncore counters already, and at each boot\n";

/// Hands the counters to the module.
///
/// # Errors
///
/// If that cannot be; then everything is as it was.
pub fn enable(system: &System, programs: &Programs) -> Result<Outcome, Error> {
    let host = Host::read(system)?;
    let driver = |name| Driver::read(&system.root, name);
    let (ours, theirs) = (driver(MODULE), driver(IN_TREE));
    if ours.is_some() && theirs.is_none() && boot::is_written(&system.root) {
        return Ok(Outcome::said(ALREADY));
    }
    require_privilege(&host, "enable")?;
    if let Some(obstacle) = doctor::obstacle(system, &host) {
        return Err(Error::Obstacle {
            finding: obstacle.finding,
            remedy: obstacle.remedy.unwrap_or_default(),
        });
    }
    if theirs.is_some_and(|driver| driver.is_built_in) {
        return Err(Error::BuiltIn);
    }
    require_module(system, &host, programs)?;
    if theirs.is_some() {
        require_unused(theirs, IN_TREE)?;
        require_unused(ours, MODULE)?;
    }
    // While nothing has changed yet: this fails where /etc cannot be written.
    let draft = Draft::new(&system.root)?;
    let handover = Handover {
        programs,
        ours: ours.is_some(),
        theirs: theirs.is_some(),
    };
    handover.take(&host)?;
    match draft.publish() {
        Ok(()) => Ok(Outcome::said(DONE)),
        Err(error) => Err(handover.undo(error)),
    }
}

/// The module is there for the running kernel, or can be built for it.
fn require_module(system: &System, host: &Host, programs: &Programs) -> Result<(), Error> {
    let root = &system.root;
    let release = host.release.clone().unwrap_or_default();
    let mut kernel = Kernel::read(root, release.clone());
    if kernel.module.is_err() && is_in_dkms(root) {
        programs.build(&release)?;
        kernel = Kernel::read(root, release);
    }
    match kernel.module {
        Ok(_) => Ok(()),
        Err(Absence { reason, remedy }) => Err(Error::NoModule {
            release: kernel.release,
            reason,
            remedy: remedy.unwrap_or_else(|| "boot another kernel".to_owned()),
        }),
    }
}

/// Who had the counters before.
struct Handover<'a> {
    programs: &'a Programs,
    ours: bool,
    theirs: bool,
}

impl Handover<'_> {
    /// Unloads intel_uncore and loads the module.
    fn take(&self, host: &Host) -> Result<(), Error> {
        if self.theirs {
            let unloaded = self.programs.unload(IN_TREE);
            unloaded.map_err(|failure| failure.into_error(BUSY))?;
        } else if self.ours {
            return Ok(());
        }
        // Beside intel_uncore, it cannot have had the counters to itself.
        if self.ours {
            if let Err(failure) = self.programs.unload(MODULE) {
                return Err(self.restore(failure.into_error(BUSY)));
            }
        }
        self.programs.load(MODULE).map_err(|failure| {
            let remedy = remedy(&failure, host);
            self.restore(failure.into_error(remedy))
        })
    }

    /// Takes the module away again, and says why that was necessary.
    fn undo(&self, error: Error) -> Error {
        if self.ours {
            return self.restore(error);
        }
        match self.programs.unload(MODULE) {
            Ok(()) => self.restore(error),
            Err(failure) => not_undone(&error, failure),
        }
    }

    /// Loads what was there before.
    fn restore(&self, error: Error) -> Error {
        if !self.theirs {
            return error;
        }
        match self.programs.load(IN_TREE) {
            Ok(()) => error,
            Err(failure) => not_undone(&error, failure),
        }
    }
}

/// What helps if the module cannot be loaded.
fn remedy(failure: &Failure, host: &Host) -> &'static str {
    let refusals = [
        "Key was rejected",
        "Required key",
        "Operation not permitted",
    ];
    let is_refused = refusals.iter().any(|words| failure.said.contains(words));
    if is_refused || host.demands_signatures() {
        doctor::SIGNING
    } else {
        "`dmesg | grep ivbep_uncore` may say more"
    }
}
