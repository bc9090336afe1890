// SPDX-License-Identifier: GPL-2.0

//! Test that counts agree with each other, by the relations of the platform.
//!
//! The formulas are planned as metrics are, and the groups are counted one after
//! the other, on all boxes of all packages at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use uncore_metrics::{
    BoxReading, Expr, GroupReading, Level, Metric, Misfit, NoValue, Outcome, Plan, Scope, Term,
    Unit,
};

use super::fixture::Fixture;
use super::ktap::Verdict;
use crate::counting::{plan, Hold, Note, Place, Session};
use crate::error::Error;
use crate::platform::Platform;
use crate::system::{Pmu, System};

/// By how much bounds give way for terms that were counted at different times.
const LEEWAY: f64 = 0.25;
/// By how much clocks of a name may differ.
const AGREEMENT: f64 = 0.1;
/// Maximum number of measurements.
const ATTEMPTS: u32 = 3;
/// Counting time of a group at first, in milliseconds. A delay of this program is a smaller part of
/// a longer one.
const TURN: u64 = 25;
/// How many times as long the next measurement counts.
const LONGER: u64 = 3;
/// In nanoseconds.
const SECOND: u64 = 1_000_000_000;

#[derive(Debug, Clone, Deserialize)]
struct Row {
    #[serde(rename = "box")]
    box_type: String,
    check: String,
    kind: Kind,
    formula: String,
    low: Option<f64>,
    high: Option<f64>,
    description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Ratio,
    Clock,
    Sent,
    Received,
    Given,
    Taken,
    Serial,
}

impl Row {
    /// Name of the relation and of its metric.
    fn name(&self) -> String {
        match self.kind {
            Kind::Sent => format!("{}.sent", self.check),
            Kind::Received => format!("{}.received", self.check),
            Kind::Given => format!("{}.given", self.check),
            Kind::Taken => format!("{}.taken", self.check),
            _ => self.check.clone(),
        }
    }

    /// Tells if it is one of the two sums that a relation compares.
    fn is_of_sums(&self) -> bool {
        self.is_first() || matches!(self.kind, Kind::Received | Kind::Taken)
    }

    /// Tells if it is the sum that the other one is a share of.
    fn is_first(&self) -> bool {
        matches!(self.kind, Kind::Sent | Kind::Given)
    }

    /// Returns whether a finding needs the relation.
    fn tells(&self, finding: &Finding) -> bool {
        let name = finding.verdict.name();
        let of_both = name.split_once('.').map(|(_, check)| check);
        name == of_box(&self.box_type, &self.check)
            || (self.is_of_sums() && of_both == Some(&*self.check))
            || (self.kind == Kind::Clock && name == of_clock(&self.check))
    }

    fn metric(&self) -> Result<Metric, Error> {
        let formula: Expr = self.formula.parse().map_err(|error| Error::Relation {
            check: of_box(&self.box_type, &self.check),
            what: format!("{error}"),
        })?;
        Ok(Metric {
            box_type: self.box_type.clone(),
            name: self.name(),
            formula,
            unit: Unit::Ratio,
            level: Level::Box,
            description: self.description.clone(),
        })
    }
}

/// Returns the relations of a platform.
fn rows(platform: &Platform) -> Result<Vec<Row>, Error> {
    Ok(uncore_metrics::rows(platform.relations.as_bytes())?)
}

/// Kinds of boxes whose counters do not start at once.
pub(super) fn serial(system: &System) -> Result<BTreeSet<String>, Error> {
    let rows = rows(system.platform()?)?.into_iter();
    let serial = rows.filter(|row| row.kind == Kind::Serial);
    Ok(serial.map(|row| row.box_type).collect())
}

/// Returns the term that the clock relation of each kind of box counts.
pub(super) fn clocks(system: &System) -> Result<BTreeMap<String, Term>, Error> {
    let mut clocks = BTreeMap::new();
    let rows = rows(system.platform()?)?.into_iter();
    for row in rows.filter(|row| row.kind == Kind::Clock) {
        let metric = row.metric()?;
        let term = metric.formula.terms().first().map(|&term| term.clone());
        clocks.extend(term.map(|term| (row.box_type, term)));
    }
    Ok(clocks)
}

/// Result of a measurement.
struct Measured<'a> {
    plan: &'a Plan,
    values: Vec<uncore_metrics::Outcome>,
    notes: BTreeSet<Note>,
    /// Kinds of boxes whose counters do not start at once.
    serial: &'a BTreeSet<String>,
}

fn measure<'a>(
    fixture: &'a Fixture,
    rows: &[Row],
    plan: &'a Plan,
    time: u64,
) -> Result<Measured<'a>, Error> {
    let (system, boxes) = (fixture.system, fixture.some_boxes());
    let turns = turns(plan);
    // All boxes are needed for a sum: it is not known which ports are linked.
    let sums = rows.iter().filter(|row| row.is_of_sums());
    let summed: BTreeSet<&str> = sums.map(|row| row.box_type.as_str()).collect();
    let last = turns.values().copied().max().unwrap_or(0);
    let mut readings: BTreeMap<(u32, String), BoxReading> = BTreeMap::new();
    let mut notes = BTreeSet::new();
    for turn in 0..=last {
        let is_next = |pmu: &Pmu, place: &Place, group: usize| {
            let is_looked_at = |(known, there): &(&Pmu, &Place)| {
                known.name == pmu.name && there.package == place.package
            };
            turns.get(&group) == Some(&turn)
                && (summed.contains(pmu.unit.as_str()) || boxes.iter().any(is_looked_at))
        };
        let mut session = Session::open(system, &fixture.places, plan, Hold::InTurns, &is_next)?;
        notes.extend(session.notes.drain(..));
        session.start()?;
        fixture.wait(time);
        session.stop()?;
        for mut reading in session.read()? {
            reading.groups.values_mut().for_each(per_second);
            let key = (reading.package, reading.name.clone());
            let groups = std::mem::take(&mut reading.groups);
            readings.entry(key).or_insert(reading).groups.extend(groups);
        }
    }
    // Boxes without any group were not selected.
    let readings = readings.into_values();
    let readings: Vec<BoxReading> = readings
        .filter(|reading| !reading.groups.is_empty())
        .collect();
    Ok(Measured {
        values: plan.evaluate(&readings, Scope::Box),
        plan,
        notes,
        serial: &fixture.serial,
    })
}

/// Turns are not of the same length.
fn per_second(group: &mut GroupReading) {
    let second = u128::from(SECOND);
    let counted = u128::from(group.running.max(1));
    for value in &mut group.values {
        let rate = u128::from(*value) * second / counted;
        *value = u64::try_from(rate).unwrap_or(u64::MAX);
    }
    // A group that did not count at all stays one that did not.
    if group.running != 0 {
        (group.enabled, group.running) = (SECOND, SECOND);
    }
}

/// The place of each group among those of its kind of box.
fn turns(plan: &Plan) -> BTreeMap<usize, usize> {
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    let groups = plan.groups.iter().enumerate().map(|(index, group)| {
        let turn = next.entry(&group.box_type).or_default();
        *turn += 1;
        (index, *turn - 1)
    });
    groups.collect()
}

impl Measured<'_> {
    fn of<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a uncore_metrics::Outcome> {
        let name = row.name();
        let all = self.values.iter();
        all.filter(move |value| value.box_type == row.box_type && value.metric == name)
    }

    /// Says why the driver cannot count a relation, if it cannot.
    fn obstacle(&self, row: &Row, verdict: &mut Verdict) {
        let mut all = self.plan.unplanned.iter();
        let found = all.find(|unplanned| {
            unplanned.metric.box_type == row.box_type && unplanned.metric.name == row.name()
        });
        match found.map(|unplanned| &unplanned.misfit) {
            None => {}
            Some(None) => verdict.skip(format!("there is no {}", row.box_type)),
            Some(Some(misfit @ (Misfit::NoEvent(_) | Misfit::NoField(_)))) => {
                verdict.skip(misfit.to_string());
            }
            Some(Some(misfit)) => verdict.fault(misfit.to_string()),
        }
    }
}

/// All relations, those that are in doubt after another look at them alone.
pub(super) fn check(fixture: &Fixture) -> Result<Vec<Verdict>, Error> {
    let mut rows = rows(fixture.system.platform()?)?;
    rows.retain(|row| row.kind != Kind::Serial);
    let mut found = look(fixture, &rows, TURN)?;
    for attempt in 1..ATTEMPTS {
        let in_doubt: Vec<Row> = rows
            .iter()
            .filter(|row| found.iter().any(|one| one.is_in_doubt() && row.tells(one)))
            .cloned()
            .collect();
        if in_doubt.is_empty() {
            break;
        }
        for again in look(fixture, &in_doubt, TURN * LONGER.pow(attempt))? {
            let of_it = |one: &&mut Finding| one.verdict.name() == again.verdict.name();
            let first = found.iter_mut().find(of_it);
            if let Some(first) = first.filter(|first| first.is_in_doubt()) {
                *first = again;
            }
        }
    }
    Ok(found.into_iter().map(|one| one.verdict).collect())
}

/// Compares a measurement with one relation.
struct Finding {
    verdict: Verdict,
    /// True if a delay of this program can disturb the measurement.
    is_noisy: bool,
}

impl Finding {
    fn is_in_doubt(&self) -> bool {
        self.is_noisy && self.verdict.is_failure()
    }
}

/// Measures these relations, each group for so many milliseconds.
fn look(fixture: &Fixture, rows: &[Row], time: u64) -> Result<Vec<Finding>, Error> {
    let metrics = rows.iter().map(Row::metric).collect::<Result<_, _>>()?;
    let plan = plan(fixture.system, &fixture.places, metrics);
    Ok(judge(rows, &measure(fixture, rows, &plan, time)?))
}

/// Compares a measurement with all relations.
fn judge(rows: &[Row], measured: &Measured<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut find = |verdict, is_noisy| found.push(Finding { verdict, is_noisy });
    for row in rows.iter().filter(|row| !row.is_of_sums()) {
        let is_noisy = row.kind == Kind::Clock
            || measured.serial.contains(&row.box_type)
            || measured.of(row).any(|outcome| outcome.apart);
        find(ratio(row, measured), is_noisy);
    }
    let clocks = rows.iter().filter(|row| row.kind == Kind::Clock);
    let clocks: BTreeSet<&str> = clocks.map(|row| row.check.as_str()).collect();
    for clock in clocks {
        find(agree(clock, rows, measured), true);
    }
    for row in rows.iter().filter(|row| row.is_first()) {
        find(sums(row, rows, measured), true);
    }
    found
}

/// The name of a relation of one kind of box.
fn of_box(box_type: &str, check: &str) -> String {
    format!("{box_type}.{check}")
}

/// The name of the relation of all boxes that have a clock.
fn of_clock(clock: &str) -> String {
    format!("agreement.{clock}")
}

/// Returns the package of a value, which every value of a box has.
fn package(outcome: &Outcome) -> u32 {
    outcome.package.unwrap_or_default()
}

fn ratio(row: &Row, measured: &Measured<'_>) -> Verdict {
    let mut verdict = Verdict::new(of_box(&row.box_type, &row.check));
    measured.obstacle(row, &mut verdict);
    let notes = measured.notes.iter();
    let of_type = notes.filter(|note| note.box_type == row.box_type);
    of_type.for_each(|note| verdict.fault(note.to_string()));
    for outcome in measured.of(row) {
        let leeway = if outcome.apart { LEEWAY } else { 0.0 };
        let low = row.low.unwrap_or(0.0) * (1.0 - leeway);
        let high = row.high.unwrap_or(f64::MAX) * (1.0 + leeway);
        let place = outcome.box_name.as_deref().unwrap_or(&row.box_type);
        let place = format!("{place} of package {}", package(outcome));
        match outcome.value {
            Ok(value) => verdict.expect((low..=high).contains(&value), || {
                format!("{place}: {}: {value}, not {low} to {high}", row.description)
            }),
            // There was no traffic to compare.
            Err(NoValue::ZeroDenominator) => verdict.skip("there was no such traffic"),
            Err(why) => verdict.fault(format!("{place}: {why}")),
        }
    }
    verdict
}

/// Tests that all boxes of a package with a clock have an equal clock.
fn agree(clock: &str, rows: &[Row], measured: &Measured<'_>) -> Verdict {
    let mut verdict = Verdict::new(of_clock(clock));
    let mut speeds: BTreeMap<u32, Vec<(String, f64)>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.check == clock) {
        for outcome in measured.of(row) {
            if let (Ok(value), Some(name)) = (outcome.value, &outcome.box_name) {
                let of_package = speeds.entry(package(outcome)).or_default();
                of_package.push((name.clone(), value));
            }
        }
    }
    for (package, mut speeds) in speeds {
        speeds.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((_, middle)) = speeds.get(speeds.len() / 2).cloned() else {
            continue;
        };
        for (name, speed) in speeds {
            verdict.expect(is_near(speed, middle), || {
                format!(
                    "{name} of package {package}: {speed:.0} Hz, the other boxes {middle:.0} Hz"
                )
            });
        }
    }
    verdict
}

/// Compares what the boxes of a row do with what those of the other row of the relation do.
fn sums(first: &Row, rows: &[Row], measured: &Measured<'_>) -> Verdict {
    let mut verdict = Verdict::new(of_box(&first.box_type, &first.check));
    let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
    let mut share = Share::default();
    for row in rows
        .iter()
        .filter(|row| row.is_of_sums() && row.check == first.check)
    {
        measured.obstacle(row, &mut verdict);
        let sums = if row.is_first() {
            &mut sent
        } else {
            share = Share(row.low, row.high);
            &mut received
        };
        for outcome in measured.of(row) {
            if let Ok(value) = outcome.value {
                let of = match row.kind {
                    Kind::Sent | Kind::Received => package(outcome),
                    _ => 0,
                };
                *sums.entry(of).or_insert(0.0) += value;
            }
        }
    }
    if first.kind == Kind::Sent {
        compare(&sent, &received, share, &mut verdict);
    } else if let (Some(given), Some(taken)) = (sent.get(&0), received.get(&0)) {
        verdict.expect(share.has(*given, *taken), || {
            format!(
                "{}: {taken:.0} a second, against {given:.0}",
                first.description
            )
        });
    } else {
        verdict.skip("one of both is not counted");
    }
    verdict
}

/// Bounds of what is received, as shares of what is sent.
#[derive(Debug, Clone, Copy, Default)]
struct Share(Option<f64>, Option<f64>);

impl Share {
    fn has(self, sent: f64, received: f64) -> bool {
        let Self(low, high) = self;
        low.is_none_or(|low| received >= sent * low)
            && high.is_none_or(|high| received <= sent * high)
    }
}

/// Compares what packages send with what the other packages receive, which must be this share
/// of it. With more than two packages, only the sums of all can be compared.
fn compare(
    sent: &BTreeMap<u32, f64>,
    received: &BTreeMap<u32, f64>,
    share: Share,
    verdict: &mut Verdict,
) {
    verdict.skip("there are no links between packages");
    if sent.len() < 2 {
        return;
    }
    if sent.len() == 2 {
        for (package, amount) in sent {
            let others = received.iter().filter(|(other, _)| *other != package);
            let others: f64 = others.map(|(_, amount)| amount).sum();
            verdict.expect(share.has(*amount, others), || {
                format!("package {package} sends {amount} in a clock, the other receives {others}")
            });
        }
        return;
    }
    let (all, back): (f64, f64) = (sent.values().sum(), received.values().sum());
    verdict.expect(share.has(all, back), || {
        format!("all packages send {all} in a clock and receive {back}")
    });
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= AGREEMENT * one.abs().max(other.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::PLATFORMS;

    fn finding(name: &str) -> Finding {
        Finding {
            verdict: Verdict::new(name),
            is_noisy: true,
        }
    }

    #[test]
    fn rows_that_tell_a_finding_are_its_own_or_all_of_a_clock() {
        let rows = rows(&PLATFORMS[0]).expect("the file is right");
        let telling = |name: &str| -> Vec<String> {
            let rows = rows.iter().filter(|row| row.tells(&finding(name)));
            rows.map(|row| format!("{}.{}", row.box_type, row.name()))
                .collect()
        };
        assert_eq!(telling("cbox.uclk"), ["cbox.uclk"]);
        assert_eq!(
            telling("qpi.data_flits"),
            ["qpi.data_flits.sent", "qpi.data_flits.received"]
        );
        let agreement = telling("agreement.uclk");
        assert!(agreement.contains(&"cbox.uclk".to_owned()), "{agreement:?}");
        assert!(agreement.contains(&"ha.uclk".to_owned()), "{agreement:?}");
        let of_clock = |name: &String| name.split('.').nth(1) == Some("uclk");
        assert!(agreement.iter().all(of_clock), "{agreement:?}");
    }

    #[test]
    fn every_row_is_a_relation() {
        for platform in &PLATFORMS {
            let rows = rows(platform).expect("the file is right");
            assert!(rows.len() > 10, "{}", platform.name);
            let mut names = BTreeSet::new();
            for row in rows.iter().filter(|row| row.kind != Kind::Serial) {
                row.metric().expect("a formula");
                // A finding is known by its name when it is looked at again.
                let is_second = row.is_of_sums() && !row.is_first();
                let name = of_box(&row.box_type, &row.check);
                assert!(
                    is_second || names.insert(name),
                    "{}: {row:?}",
                    platform.name
                );
                let bounds = row.low.zip(row.high);
                let is_bounded = bounds.is_some_and(|(low, high)| low <= high);
                let is_fit = match row.kind {
                    Kind::Ratio | Kind::Clock => is_bounded,
                    // At the other end may be more, where the part counts it too often.
                    Kind::Received | Kind::Taken => {
                        row.low.is_some() && (is_bounded || row.high.is_none())
                    }
                    Kind::Sent | Kind::Given | Kind::Serial => bounds.is_none(),
                };
                assert!(is_fit, "{}: {row:?}", platform.name);
            }
        }
    }

    #[test]
    fn what_is_received_is_a_share_of_what_is_sent() {
        let sent = BTreeMap::from([(0, 100.0), (1, 10.0)]);
        let is_wrong = |of_0: f64, of_1: f64, share: Share| {
            let received = BTreeMap::from([(0, of_0), (1, of_1)]);
            let mut verdict = Verdict::new("link");
            compare(&sent, &received, share, &mut verdict);
            verdict.is_failure()
        };
        let (near, at_least) = (Share(Some(0.9), Some(1.1)), Share(Some(0.9), None));
        assert!(!is_wrong(10.0, 100.0, near));
        assert!(is_wrong(100.0, 10.0, near));
        assert!(is_wrong(10.0, 150.0, near));
        assert!(!is_wrong(10.0, 150.0, at_least));
        assert!(is_wrong(10.0, 80.0, at_least));
    }
}
