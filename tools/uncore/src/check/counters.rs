// SPDX-License-Identifier: GPL-2.0

//! Test that all counters of a box count one clock equally, never backwards, and not
//! while they are stopped.

use std::time::{Duration, Instant};

use super::fixture::{name, Fixture};
use super::ktap::Verdict;
use crate::counting::{CpuPin, Group, Place};
use crate::system::Pmu;

/// Upper bound of a clock, in counts a second.
const FASTEST: f64 = 6e9;
/// Longest delay of a reading between its clock and its counter.
const DELAY: Duration = Duration::from_millis(250);
/// Time for which values of a running counter are read.
const WATCH: Duration = Duration::from_millis(30);

pub(super) fn check(fixture: &Fixture) -> Vec<Verdict> {
    let boxes: Vec<(&Pmu, &Place)> = fixture.boxes().collect();
    let units = fixture.by_unit(&boxes).into_iter();
    units
        .flat_map(|(unit, boxes)| {
            let mut equal = Verdict::new(format!("{unit}.equal"));
            let mut still = Verdict::new(format!("{unit}.still"));
            let mut onward = Verdict::new(format!("{unit}.onward"));
            for (pmu, place) in boxes {
                let _pin = CpuPin::to(place.cpu);
                let verdicts = [&mut equal, &mut still, &mut onward];
                if let Err(error) = examine(fixture, pmu, place, verdicts) {
                    equal.fault(format!("{}: {error}", name(pmu, place)));
                }
            }
            [equal, still, onward]
        })
        .collect()
}

fn examine(
    fixture: &Fixture,
    pmu: &Pmu,
    place: &Place,
    [equal, still, onward]: [&mut Verdict; 3],
) -> std::io::Result<()> {
    let clocks = fixture.full_group(pmu, place.cpu);
    let has_clock = clocks.is_some();
    let any = || Some(fixture.find_event(pmu, place.cpu)?.1);
    let Some(mut group) = clocks.or_else(any) else {
        return Ok(());
    };
    let name = name(pmu, place);

    fixture.wait(2);
    let before = group.read()?.values;
    still.expect(before.iter().all(|value| *value == 0), || {
        format!("{name}: counted {before:?} before it was started")
    });

    group.start()?;
    watch(&mut group, &name, onward)?;
    group.stop()?;
    let stopped = group.read()?.values;
    if has_clock {
        compare(&stopped, &name, fixture.serial.contains(&pmu.unit), equal);
    } else {
        equal.skip("the box has no clock event");
    }

    fixture.wait(2);
    let after = group.read()?.values;
    still.expect(after == stopped, || {
        format!("{name}: went on counting after it was stopped, from {stopped:?} to {after:?}")
    });
    Ok(())
}

/// Expects that counters of one clock counted, and counted the same.
fn compare(stopped: &[u64], name: &str, is_serial: bool, equal: &mut Verdict) {
    equal.expect(stopped.iter().all(|value| *value != 0), || {
        format!("{name}: a counter did not count: {stopped:?}")
    });
    let least = stopped.iter().min().copied().unwrap_or(0);
    let most = stopped.iter().max().copied().unwrap_or(0);
    // A counter that counts half as much is still found.
    let leeway = if is_serial { most / 4 } else { 0 };
    equal.expect(most - least <= leeway, || {
        format!("{name}: counters started and stopped together counted {stopped:?}")
    });
}

/// Reads a running group repeatedly.
fn watch(group: &mut Group, name: &str, onward: &mut Verdict) -> std::io::Result<()> {
    let start = Instant::now();
    let mut last = (start, group.read()?.values);
    while start.elapsed() < WATCH {
        let begin = last.0;
        let values = group.read()?.values;
        let now = Instant::now();
        let most = FASTEST * (now - begin + DELAY).as_secs_f64();
        for (before, value) in last.1.iter().zip(&values) {
            onward.expect(value >= before, || {
                format!("{name}: went back from {before} to {value}")
            });
            let step = value.saturating_sub(*before);
            onward.expect(as_float(step) <= most, || {
                format!("{name}: advanced by {step} in {:?}", now - begin)
            });
        }
        last = (now, values);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "compared with a rough bound")]
fn as_float(value: u64) -> f64 {
    value as f64
}
