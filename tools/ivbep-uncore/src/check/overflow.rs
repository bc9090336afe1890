// SPDX-License-Identifier: GPL-2.0

//! Whether a counter that overflows again and again counts what one beside it
//! counts that does not, and whether the interrupts come.

use super::bench::{name, Bench, CLOCK};
use super::ktap::Verdict;
use crate::counting::{Group, Place};
use crate::system::Pmu;

/// Often, and not so often that the driver throttles: a few hundred a second.
const INTERVAL: u64 = 8_000_000;
/// How often it overflows at least.
const WRAPS: u64 = 4;
/// For how long it counts, in milliseconds, until it is looked at, and how often.
const TURN: u64 = 20;
const PATIENCE: u32 = 100;

pub(super) fn check(bench: &Bench) -> Vec<Verdict> {
    let boxes = bench.some_boxes();
    let mut verdicts: Vec<Verdict> = bench
        .by_unit(&boxes)
        .into_iter()
        .map(|(unit, boxes)| {
            let mut verdict = Verdict::new(unit);
            verdict.skip("its counters do not interrupt");
            for (pmu, place) in boxes {
                if let Err(error) = wraps(bench, pmu, place, &mut verdict) {
                    verdict.fault(format!("{}: {error}", name(pmu, place)));
                }
            }
            verdict
        })
        .collect();
    verdicts.push(in_time(bench));
    verdicts
}

fn wraps(bench: &Bench, pmu: &Pmu, place: &Place, verdict: &mut Verdict) -> std::io::Result<()> {
    let mode = pmu.caps.overflow.as_deref().unwrap_or_default();
    if !mode.starts_with("pmi") && !mode.contains(": pmi") {
        return Ok(());
    }
    // Where one counter only has a clock, there is none to compare it with.
    let clocks = pmu.events.iter().filter(|event| event.name.contains(CLOCK));
    let mut groups = clocks.filter_map(|event| {
        let plain = bench.words(pmu, event);
        let mut often = plain;
        let interval = pmu.format("interval")?;
        interval.put(&mut often, INTERVAL).ok()?;
        Group::open(pmu, place.cpu, &[plain, often]).ok()
    });
    let Some(mut group) = groups.next() else {
        return Ok(());
    };
    group.start()?;
    for _ in 0..PATIENCE {
        bench.wait(TURN);
        if group
            .read()?
            .values
            .iter()
            .all(|value| *value > WRAPS * INTERVAL)
        {
            break;
        }
    }
    group.stop()?;
    let values = group.read()?.values;
    if let [plain, often] = values.as_slice() {
        // Not all boxes start their counters at once.
        verdict.expect(plain.abs_diff(*often) < INTERVAL / 2, || {
            format!(
                "{}: counted {often} where overflows interrupt, {plain} beside it",
                name(pmu, place)
            )
        });
        verdict.expect(*plain > WRAPS * INTERVAL, || {
            format!("{}: stands still at {plain}", name(pmu, place))
        });
    }
    Ok(())
}

/// Whether interrupts come, and the watchdog has nothing to find.
fn in_time(bench: &Bench) -> Verdict {
    let mut verdict = Verdict::new("in_time");
    let before = match bench.system.overflows() {
        Ok(overflows) => overflows,
        Err(error) => {
            verdict.skip(error.to_string());
            return verdict;
        }
    };
    verdict.skip("overflows are found by reading the counters");
    let boxes = bench.some_boxes();
    for (pmu, place) in &boxes {
        let ignored = &mut Verdict::new("");
        // What is counted was looked at before.
        let _ = wraps(bench, pmu, place, ignored);
    }
    let after = bench.system.overflows().unwrap_or_default();
    for (before, after) in before.iter().zip(&after) {
        if !after.mode.starts_with("pmi") {
            continue;
        }
        let rise = |name: &str| after.tally(name).saturating_sub(before.tally(name));
        let (taken, missed) = (rise("taken"), rise("caught_by_watchdog"));
        verdict.expect(taken > 0, || {
            format!("package {}: no interrupt came", after.package)
        });
        verdict.expect(missed == 0, || {
            format!(
                "package {}: {missed} overflows without interrupt",
                after.package
            )
        });
    }
    verdict
}
