// SPDX-License-Identifier: GPL-2.0

//! `disable`: gives the counters back to intel_uncore.

use super::exporters::Exporters;
use super::{not_undone, require_privilege, require_unused, unload};
use crate::boot::{self, Place, Programs, PARAMETER};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::system::{
    module_file, module_is_built_in, Driver, Host, System, FORMER, IN_TREE, MODULE,
};

/// Gives the counters back to intel_uncore. Fails if a driver cannot be unloaded, or
/// the file cannot be removed. The drivers are then loaded again. Exporters let go of the counters,
/// until the module is loaded.
pub fn disable(system: &System, programs: &Programs) -> Result<Outcome, Error> {
    let root = &system.root;
    let host = Host::read(system)?;
    let loaded: Vec<(&'static str, Driver)> = [FORMER, MODULE]
        .into_iter()
        .filter_map(|name| Some((name, Driver::read(root, name)?)))
        .collect();
    let release = host.release.as_deref().unwrap_or_default();
    let place = Place::of(root).filter(|place| place.may_be_set(root, release));
    let is_set = place.is_some_and(|place| place.is_set(root));
    if loaded.is_empty() && !is_set && !boot::is_there(root) {
        return Ok(Outcome::said(format!(
            "{MODULE} does not have the uncore counters, now or at the next boot\n"
        )));
    }
    require_privilege(&host, "disable")?;
    let exporters = Exporters::release(root);
    for (name, _) in &loaded {
        require_unused(Driver::read(root, name), name)?;
    }
    for (name, _) in &loaded {
        unload(root, programs, name)?;
    }
    if let Err(error) = boot::remove(root) {
        for (name, _) in &loaded {
            if let Err(failure) = programs.load(name) {
                return Err(not_undone(&error, failure));
            }
        }
        return Err(error);
    }
    exporters.leave();
    if let Some(place) = place {
        place.take_back(root, programs)?;
    }
    Ok(
        if place.is_some() && module_is_built_in(root, release, IN_TREE) {
            Outcome::said(format!(
                "the boot parameter is no longer set: after a reboot, {IN_TREE} has the uncore \
             counters\n"
            ))
        } else {
            give(system, &host, programs)
        },
    )
}

/// Loads intel_uncore, if this kernel has it as a module.
fn give(system: &System, host: &Host, programs: &Programs) -> Outcome {
    let root = &system.root;
    let release = host.release.as_deref().unwrap_or_default();
    let is_there = Driver::read(root, IN_TREE).is_some();
    if !is_there && module_is_built_in(root, release, IN_TREE) {
        return Outcome::said(format!(
            "nothing has the uncore counters: boot without {PARAMETER}, which keeps {IN_TREE} out\n"
        ));
    }
    if !is_there && module_file(root, release, IN_TREE).is_none() {
        return Outcome::said(format!(
            "nothing has the uncore counters: Linux {release} has no {IN_TREE}\n"
        ));
    }
    let loaded = if is_there {
        Ok(())
    } else {
        programs.load(IN_TREE)
    };
    match loaded {
        Ok(()) => Outcome::said(format!(
            "{IN_TREE} has the uncore counters now, and at each boot\n"
        )),
        Err(failure) => Outcome {
            text: "nothing has the uncore counters now\n".to_owned(),
            notes: vec![failure
                .into_error("`dmesg` may say more; the next boot tries again")
                .to_string()],
            trouble: true,
            ..Outcome::default()
        },
    }
}
