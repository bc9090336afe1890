// SPDX-License-Identifier: GPL-2.0

//! Whether a counter that overflows again and again counts what one beside it
//! counts that does not, and whether the interrupts come.

use super::bench::{name, Bench};
use super::ktap::Verdict;
use super::relations;
use crate::counting::{Group, Place};
use crate::error::Error;
use crate::system::Pmu;

/// Often, and not so often that the driver throttles: a few hundred a second.
const INTERVAL: u64 = 8_000_000;
/// How often it overflows at least.
const WRAPS: u64 = 4;
/// For how long it counts, in milliseconds, until it is looked at, and how often.
const TURN: u64 = 20;
const PATIENCE: u32 = 100;

pub(super) fn check(bench: &Bench) -> Result<Vec<Verdict>, Error> {
    let serial = relations::serial()?;
    let boxes = bench.some_boxes();
    Ok(bench.verdicts(&boxes, |pmu, place, verdict| {
        verdict.skip("its counters do not interrupt");
        wraps(bench, pmu, place, serial.contains(&pmu.unit), verdict)
    }))
}

fn wraps(
    bench: &Bench,
    pmu: &Pmu,
    place: &Place,
    is_serial: bool,
    verdict: &mut Verdict,
) -> std::io::Result<()> {
    let mode = pmu.caps.overflow.as_deref().unwrap_or_default();
    if !mode.starts_with("pmi") && !mode.contains(": pmi") {
        return Ok(());
    }
    // Where one counter only has a clock, there is none to compare it with.
    let mut groups = bench.clocks(pmu).into_iter().filter_map(|plain| {
        let mut often = plain;
        let interval = pmu.format("interval")?;
        interval.put(&mut often, INTERVAL).ok()?;
        Group::open(pmu, place.cpu, &[plain, often]).ok()
    });
    let Some(mut group) = groups.next() else {
        return Ok(());
    };
    let before = interrupts(bench, place);
    group.start()?;
    for _ in 0..PATIENCE {
        bench.wait(TURN);
        let values = group.read()?.values;
        if values.iter().all(|value| *value > WRAPS * INTERVAL) {
            break;
        }
    }
    group.stop()?;
    let name = name(pmu, place);
    if let [plain, often] = group.read()?.values.as_slice() {
        let leeway = if is_serial { plain / 4 } else { 0 };
        verdict.expect(plain.abs_diff(*often) <= leeway, || {
            format!("{name}: counted {often} where overflows interrupt, {plain} beside it")
        });
        verdict.expect(*plain > WRAPS * INTERVAL, || {
            format!("{name}: stands still at {plain}")
        });
    }
    let after = interrupts(bench, place);
    if let (Some((taken, missed)), Some((taken_now, missed_now))) = (before, after) {
        verdict.expect(taken_now > taken, || format!("{name}: no interrupt came"));
        verdict.expect(missed_now == missed, || {
            format!(
                "{name}: {} overflows without interrupt",
                missed_now - missed
            )
        });
    }
    Ok(())
}

/// How many interrupts a package has had, and how many did not come, as the
/// driver tells those who may know.
fn interrupts(bench: &Bench, place: &Place) -> Option<(u64, u64)> {
    let map = bench.system.map().ok()?;
    let package = map.package_on(place.cpu)?;
    let overflows = bench.system.overflows().ok()?;
    let mut overflows = overflows.iter();
    let overflow = overflows.find(|overflow| overflow.package == package.number)?;
    Some((
        overflow.tally("taken"),
        overflow.tally("caught_by_watchdog"),
    ))
}
