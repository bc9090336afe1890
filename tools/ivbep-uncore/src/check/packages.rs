// SPDX-License-Identifier: GPL-2.0

//! Whether the boxes of one package count on while those of another are started
//! and stopped.

use super::bench::{name, Bench};
use super::ktap::Verdict;
use crate::counting::Place;
use crate::system::Pmu;

pub(super) fn check(bench: &Bench) -> Vec<Verdict> {
    let boxes: Vec<(&Pmu, &Place)> = bench.boxes().collect();
    bench.verdicts(&boxes, |pmu, place, verdict| {
        verdict.skip("one package only has it");
        let other = boxes
            .iter()
            .find(|(same, there)| same.name == pmu.name && there.package != place.package);
        other.map_or(Ok(()), |(_, other)| {
            apart(bench, pmu, place, other, verdict)
        })
    })
}

fn apart(
    bench: &Bench,
    pmu: &Pmu,
    place: &Place,
    other: &Place,
    verdict: &mut Verdict,
) -> std::io::Result<()> {
    let open = |place: &Place| bench.full_group(pmu, place.cpu);
    let (Some(mut ours), Some(mut theirs)) = (open(place), open(other)) else {
        return Ok(());
    };
    let mut readings = Vec::new();
    ours.start()?;
    bench.wait(1);
    readings.push(ours.read()?.values);
    let silent = theirs.read()?.values;
    theirs.start()?;
    bench.wait(1);
    readings.push(ours.read()?.values);
    theirs.stop()?;
    readings.push(ours.read()?.values);
    bench.wait(1);
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
            "{}: stood still or went back as {} was started and stopped: {readings:?}",
            name(pmu, place),
            name(pmu, other)
        )
    });
    Ok(())
}
