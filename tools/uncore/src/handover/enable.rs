// SPDX-License-Identifier: GPL-2.0

//! `enable`: hands the counters from intel_uncore to the module.

use super::{not_undone, require_privilege, require_unused, unload};
use crate::boot::{self, Failure, Place, Programs, StagedFiles, PARAMETER};
use crate::doctor;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::root::Root;
use crate::system::{
    is_in_dkms, Absence, Driver, Host, Kernel, System, FORMER, FORMER_FILE, IN_TREE, MODULE,
};

const DONE: &str = "uncore_rs has the uncore counters now, and at each boot\n";
const SET: &str = "the boot parameter is set: after a reboot, uncore_rs has the uncore counters\n";
const ALREADY: &str = "uncore_rs has the uncore counters already, and at each boot\n";

/// Hands the counters to the module. Fails if a step fails. The steps before it are
/// undone.
///
/// If intel_uncore is part of the kernel, only a boot parameter keeps it out: `agrees` is asked whether
/// to set it, and the module has the counters after a reboot.
pub fn enable(
    system: &System,
    programs: &Programs,
    agrees: &dyn Fn(&str) -> bool,
) -> Result<Outcome, Error> {
    let host = Host::read(system)?;
    let loaded = Loaded::read(system);
    if loaded.is_ours_alone() && boot::is_written(&system.root, host.cpu.platform()) {
        return Ok(Outcome::said(ALREADY));
    }
    require_privilege(&host, "enable")?;
    if let Some(obstacle) = doctor::obstacle(system, &host) {
        return Err(Error::Obstacle {
            finding: obstacle.finding,
            remedy: obstacle.remedy.unwrap_or_default(),
        });
    }
    if loaded.theirs.is_some_and(|driver| driver.is_built_in) {
        return keep_out(system, &host, programs, agrees);
    }
    require_module(system, &host, programs)?;
    if !loaded.is_ours_alone() {
        require_unused(loaded.former, FORMER)?;
        require_unused(loaded.theirs, IN_TREE)?;
        require_unused(loaded.ours, MODULE)?;
    }
    // Fails where /etc cannot be written, before anything has changed.
    let staged = StagedFiles::new(&system.root, host.cpu.platform())?;
    let mut handover = Handover::new(&system.root, programs);
    handover.take(&loaded, &host)?;
    if let Err(error) = staged.publish(&system.root) {
        return Err(handover.undo(&loaded, error));
    }
    let mut outcome = Outcome::said(DONE);
    if let Err(error) = boot::remove_file(&system.root, FORMER_FILE) {
        outcome.notes.push(error.to_string());
        outcome.trouble = true;
    }
    Ok(outcome)
}

/// Sets the boot parameter that keeps out a driver in the kernel.
fn keep_out(
    system: &System,
    host: &Host,
    programs: &Programs,
    agrees: &dyn Fn(&str) -> bool,
) -> Result<Outcome, Error> {
    let root = &system.root;
    let machine = host.cpu.platform();
    let place = Place::of(root).ok_or(Error::BuiltIn)?;
    if place.is_set(root) && boot::is_written(root, machine) {
        return Ok(Outcome::said(SET));
    }
    require_module(system, host, programs)?;
    let plan = format!(
        "{IN_TREE} is part of this kernel. The boot parameter {PARAMETER} keeps it out, set by {}\n\
         A kernel that has no {MODULE} has no driver of the counters then.\n",
        place.plan(root)?
    );
    if !agrees(&plan) {
        return Err(Error::NotAgreed(plan));
    }
    let staged = StagedFiles::new(root, machine)?;
    if !place.is_set(root) {
        place.set(root, programs)?;
    }
    staged.publish(root)?;
    Ok(Outcome::said(format!("{plan}{SET}")))
}

/// Checks that the running kernel has the module, and lets DKMS build it if not.
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

/// The drivers that are loaded before the handover.
struct Loaded {
    former: Option<Driver>,
    theirs: Option<Driver>,
    ours: Option<Driver>,
}

impl Loaded {
    fn read(system: &System) -> Self {
        let driver = |name| Driver::read(&system.root, name);
        Self {
            former: driver(FORMER),
            theirs: driver(IN_TREE),
            ours: driver(MODULE),
        }
    }

    fn is_ours_alone(&self) -> bool {
        self.ours.is_some() && self.theirs.is_none() && self.former.is_none()
    }
}

/// A handover in progress.
struct Handover<'a> {
    root: &'a Root,
    programs: &'a Programs,
    /// Drivers that were unloaded, to be loaded again if a later step fails.
    unloaded: Vec<&'static str>,
}

impl<'a> Handover<'a> {
    fn new(root: &'a Root, programs: &'a Programs) -> Self {
        Self {
            root,
            programs,
            unloaded: Vec::new(),
        }
    }

    /// Unloads the other drivers and loads the module.
    fn take(&mut self, loaded: &Loaded, host: &Host) -> Result<(), Error> {
        if loaded.is_ours_alone() {
            return Ok(());
        }
        let others = [(loaded.former, FORMER), (loaded.theirs, IN_TREE)];
        for (_, name) in others.iter().filter(|(driver, _)| driver.is_some()) {
            unload(self.root, self.programs, name).map_err(|error| self.restore(error))?;
            self.unloaded.push(name);
        }
        // Beside another driver, the module did not get all counters.
        if loaded.ours.is_some() {
            unload(self.root, self.programs, MODULE).map_err(|error| self.restore(error))?;
        }
        self.programs.load(MODULE).map_err(|failure| {
            let remedy = remedy(&failure, host);
            self.restore(failure.into_error(remedy))
        })
    }

    /// Undoes `take` after a later step failed. Returns the error of that step.
    fn undo(&self, loaded: &Loaded, error: Error) -> Error {
        if loaded.ours.is_some() {
            return self.restore(error);
        }
        match self.programs.unload(MODULE) {
            Ok(()) => self.restore(error),
            Err(failure) => not_undone(&error, failure),
        }
    }

    /// Loads the other drivers again.
    fn restore(&self, error: Error) -> Error {
        for name in &self.unloaded {
            let loaded = if boot::Choice::read(self.root).is_some() {
                self.programs.load_past_file(name)
            } else {
                self.programs.load(name)
            };
            if let Err(failure) = loaded {
                return not_undone(&error, failure);
            }
        }
        error
    }
}

/// Returns the remedy if the module cannot be loaded.
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
        "`dmesg | grep uncore_rs` may say more"
    }
}
