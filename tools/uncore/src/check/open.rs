// SPDX-License-Identifier: GPL-2.0

//! Test that every named event can be opened and counts all the time.

use super::fixture::{name, Fixture};
use super::ktap::Verdict;
use crate::counting::{Group, Place, Refusal};
use crate::system::{Event, Pmu};

pub(super) fn check(fixture: &Fixture) -> Vec<Verdict> {
    fixture.verdicts(&fixture.some_boxes(), |pmu, place, verdict| {
        for event in pmu.events() {
            verdict.looked();
            if let Err(what) = counts(fixture, pmu, place, event) {
                let name = name(pmu, place);
                verdict.fault(format!("{name}: {}: {what}", event.name));
            }
        }
        Ok(())
    })
}

fn counts(fixture: &Fixture, pmu: &Pmu, place: &Place, event: &Event) -> Result<(), String> {
    let mut group =
        open(fixture, pmu, place, event).map_err(|refusal| refusal.source.to_string())?;
    let counted = group.start().and_then(|()| group.stop());
    let counts = counted.and_then(|()| group.read());
    let counts = counts.map_err(|error| error.to_string())?;
    if counts.running.is_zero() || counts.running != counts.enabled {
        return Err(format!(
            "counted for {:?} of {:?}",
            counts.running, counts.enabled
        ));
    }
    Ok(())
}

/// Opens an event, with another one before it if it cannot be counted alone.
fn open(fixture: &Fixture, pmu: &Pmu, place: &Place, event: &Event) -> Result<Group, Refusal> {
    let wanted = fixture.words(pmu, event);
    Group::open(pmu, place.cpu, &[wanted]).or_else(|refusal| {
        let mut others = pmu.events().iter().map(|other| fixture.words(pmu, other));
        let together = others.find_map(|other| Group::open(pmu, place.cpu, &[other, wanted]).ok());
        together.ok_or(refusal)
    })
}
