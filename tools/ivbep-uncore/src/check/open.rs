// SPDX-License-Identifier: GPL-2.0

//! Whether every named event can be opened and counts all the time.

use super::bench::{name, Bench};
use super::ktap::Verdict;
use crate::counting::{Group, Place, Refusal};
use crate::system::{Event, Pmu};

pub(super) fn check(bench: &Bench) -> Vec<Verdict> {
    bench.verdicts(&bench.some_boxes(), |pmu, place, verdict| {
        for event in pmu.events() {
            verdict.looked();
            if let Err(what) = counts(bench, pmu, place, event) {
                let name = name(pmu, place);
                verdict.fault(format!("{name}: {}: {what}", event.name));
            }
        }
        Ok(())
    })
}

fn counts(bench: &Bench, pmu: &Pmu, place: &Place, event: &Event) -> Result<(), String> {
    let mut group = open(bench, pmu, place, event).map_err(|refusal| refusal.source.to_string())?;
    let counted = group.start().and_then(|()| group.stop());
    let counts = counted.and_then(|()| group.read());
    let counts = counts.map_err(|error| error.to_string())?;
    if counts.running.is_zero() || counts.running != counts.enabled {
        return Err(format!(
            "was to count for {:?} and did for {:?}",
            counts.enabled, counts.running
        ));
    }
    Ok(())
}

/// An event that cannot be counted alone may need one that goes before it.
fn open(bench: &Bench, pmu: &Pmu, place: &Place, event: &Event) -> Result<Group, Refusal> {
    let wanted = bench.words(pmu, event);
    Group::open(pmu, place.cpu, &[wanted]).or_else(|refusal| {
        let mut others = pmu.events().iter().map(|other| bench.words(pmu, other));
        let together = others.find_map(|other| Group::open(pmu, place.cpu, &[other, wanted]).ok());
        together.ok_or(refusal)
    })
}
