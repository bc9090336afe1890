// SPDX-License-Identifier: GPL-2.0

//! Test that the boxes of one package count on while boxes of another are started and
//! stopped.

use super::fixture::{name, Fixture};
use super::ktap::Verdict;
use crate::counting::Place;
use crate::system::Pmu;

pub(super) fn check(fixture: &Fixture) -> Vec<Verdict> {
    let boxes: Vec<(&Pmu, &Place)> = fixture.boxes().collect();
    fixture.verdicts(&boxes, |pmu, place, verdict| {
        let other = boxes
            .iter()
            .find(|(same, there)| same.name == pmu.name && there.package != place.package);
        if let Some((_, other)) = other {
            apart(fixture, pmu, place, other, verdict)
        } else {
            verdict.skip("only one package has the box");
            Ok(())
        }
    })
}

fn apart(
    fixture: &Fixture,
    pmu: &Pmu,
    place: &Place,
    other: &Place,
    verdict: &mut Verdict,
) -> std::io::Result<()> {
    let open = |place: &Place| fixture.full_group(pmu, place.cpu);
    let (Some(mut ours), Some(mut theirs)) = (open(place), open(other)) else {
        verdict.skip("the box has no clock event");
        return Ok(());
    };
    let mut readings = Vec::new();
    ours.start()?;
    fixture.wait(1);
    readings.push(ours.read()?.values);
    let silent = theirs.read()?.values;
    theirs.start()?;
    fixture.wait(1);
    readings.push(ours.read()?.values);
    theirs.stop()?;
    readings.push(ours.read()?.values);
    fixture.wait(1);
    readings.push(ours.read()?.values);
    ours.stop()?;
    verdict.expect(silent.iter().all(|value| *value == 0), || {
        format!(
            "{}: counted {silent:?} when {} was started",
            name(pmu, other),
            name(pmu, place)
        )
    });
    let rises = readings.windows(2).all(|pair| match pair {
        [before, after] => before
            .iter()
            .zip(after)
            .all(|(before, after)| before < after),
        _ => false,
    });
    verdict.expect(rises, || {
        format!(
            "{}: stopped or went back when {} was started and stopped: {readings:?}",
            name(pmu, place),
            name(pmu, other)
        )
    });
    Ok(())
}
