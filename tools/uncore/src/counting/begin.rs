// SPDX-License-Identifier: GPL-2.0

//! Preparations before events are counted.

use super::{Group, Place};
use crate::encode::encode;
use crate::error::Error;
use crate::system::System;

/// Prepares counting on all boxes. Fails if the system is a recorded one, or this user
/// may not count.
pub(crate) fn begin(system: &System, places: &[Place]) -> Result<(), Error> {
    if !system.root.is_live() {
        return Err(Error::NotLive(system.root.path("")));
    }
    // If the limit stays, opening an event reports it.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    may_count(system, places)
}

fn may_count(system: &System, places: &[Place]) -> Result<(), Error> {
    for place in places {
        for pmu in system.pmus_on(place.cpu) {
            let mut events = pmu.events().iter();
            let Some(event) = events.find(|event| event.needs().next().is_none()) else {
                continue;
            };
            let words = encode(pmu, &[(event.name.clone(), None)]).words;
            return match Group::open(pmu, place.cpu, &[words]) {
                Ok(_) => Ok(()),
                Err(refusal) => Err(refusal.of(pmu, place.cpu, &event.name)),
            };
        }
    }
    Ok(())
}
