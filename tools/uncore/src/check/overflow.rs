// SPDX-License-Identifier: GPL-2.0

//! Test that a counter with overflow interrupts counts the same as one without, and that
//! the interrupts arrive.

use super::fixture::{name, Fixture};
use super::ktap::Verdict;
use crate::counting::{Group, Place};
use crate::system::{lacks_interrupts, Overflow, Pmu};

/// Interval for a few hundred overflows in a second, for which the driver does not pause.
const INTERVAL: u64 = 8_000_000;
/// Minimum number of overflows.
const WRAPS: u64 = 4;
/// Time between two readings in milliseconds, and the maximum number of readings.
const TURN: u64 = 20;
const PATIENCE: u32 = 100;
/// Maximum number of starts, for counters that do not start and stop at once: a guest can lose its
/// processor between two of them.
const ATTEMPTS: u32 = 3;

/// Tallies of pauses, and of overflows without an interrupt.
const PAUSED: &str = "paused";
const MISSED: &str = "caught_by_timer";
/// Reason to compare nothing: the driver limits for how long interrupts freeze a package.
const PAUSE: &str = "interrupts are paused";

pub(super) fn check(fixture: &Fixture) -> Vec<Verdict> {
    fixture.verdicts(&fixture.some_boxes(), |pmu, place, verdict| {
        let looked = wraps(fixture, pmu, place, verdict);
        verdict.skip("its counters have no interrupts");
        looked
    })
}

fn wraps(
    fixture: &Fixture,
    pmu: &Pmu,
    place: &Place,
    verdict: &mut Verdict,
) -> std::io::Result<()> {
    // A box where only one counter has a clock cannot be tested.
    let mut groups = fixture.clocks(pmu).into_iter().filter_map(|plain| {
        let mut often = plain;
        let interval = pmu.format("interval")?;
        interval.put(&mut often, INTERVAL).ok()?;
        Group::open(pmu, place.cpu, &[plain, often]).ok()
    });
    let Some(mut group) = groups.next() else {
        let has_intervals = pmu.format("interval").is_some();
        let overflow = detection(fixture, place);
        let mode = overflow.as_ref().map(|overflow| &overflow.mode);
        if overflow.as_ref().is_some_and(Overflow::is_paused) {
            verdict.skip(PAUSE);
        } else if let Some(mode) = mode.filter(|mode| has_intervals && lacks_interrupts(mode)) {
            verdict.fault(format!("{}: {mode}", name(pmu, place)));
        }
        return Ok(());
    };
    let before = detection(fixture, place);
    let is_serial = fixture.serial.contains(&pmu.unit);
    let is_near = |values: &[u64]| match values {
        [plain, often] => plain.abs_diff(*often) <= if is_serial { plain / 4 } else { 0 },
        _ => true,
    };
    let is_in_doubt = |values: &[u64]| is_serial && !is_near(values);
    let mut values = Vec::new();
    for _ in 0..ATTEMPTS {
        group.start()?;
        for _ in 0..PATIENCE {
            fixture.wait(TURN);
            let values = group.read()?.values;
            let enough = values.iter().all(|value| *value > WRAPS * INTERVAL);
            if enough && !is_in_doubt(&values) {
                break;
            }
        }
        group.stop()?;
        values = group.read()?.values;
        if !is_in_doubt(&values) {
            break;
        }
    }
    let after = detection(fixture, place);
    let was_paused = before
        .as_ref()
        .zip(after.as_ref())
        .is_some_and(|(before, after)| {
            before.is_paused() || after.is_paused() || after.tally(PAUSED) != before.tally(PAUSED)
        });
    if was_paused {
        verdict.skip(PAUSE);
        return Ok(());
    }
    let name = name(pmu, place);
    if let [plain, often] = values.as_slice() {
        verdict.expect(is_near(&values), || {
            format!("{name}: counted {often} with overflow interrupts, {plain} without")
        });
        verdict.expect(*plain > WRAPS * INTERVAL, || {
            format!("{name}: stopped at {plain}")
        });
    }
    if let (Some(before), Some(after)) = (before, after) {
        verdict.expect(after.tally("taken") > before.tally("taken"), || {
            format!("{name}: no interrupt arrived")
        });
        let missed = after.tally(MISSED) - before.tally(MISSED);
        verdict.expect(missed == 0, || {
            format!("{name}: {missed} overflows without an interrupt")
        });
    }
    Ok(())
}

/// Returns the overflow detection of a package, if this user may read it.
fn detection(fixture: &Fixture, place: &Place) -> Option<Overflow> {
    let map = fixture.system.map().ok()?;
    let package = map.package_on(place.cpu)?;
    let overflows = fixture.system.overflows().ok()?;
    let mut overflows = overflows.into_iter();
    overflows.find(|overflow| overflow.package == package.number)
}
