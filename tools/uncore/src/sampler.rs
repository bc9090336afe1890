// SPDX-License-Identifier: GPL-2.0

//! From open counters to intervals of metrics, for all commands that count.
//!
//! All groups of a package are read in one go, on the CPU that counts for it. Each package has
//! the time of its own reading, by which its rates are divided.

use std::time::{Duration, Instant};

use uncore_metrics::{BoxReading, Interval, Metric, NoValue, Plan, Scope};

use crate::counting::{self, Clock, Energy, Hold, Place, Session};
use crate::error::Error;
use crate::overview::{kind, unique};
use crate::system::System;
use crate::table::counted;

/// Metrics that are counted on all boxes of some packages.
pub(crate) struct Sampler {
    plan: Plan,
    session: Session,
    energy: Energy,
    clock: Clock,
    /// Time from the start to the last reading.
    end: Duration,
    /// Time between the last two readings.
    length: Duration,
    readings: Vec<BoxReading>,
}

impl Sampler {
    /// Opens the counters of metrics, without starting them. What other programs hold takes away the
    /// metrics that need it, and no others. Fails if this user may not count.
    pub(crate) fn open(
        system: &System,
        places: &[Place],
        metrics: Vec<Metric>,
        hold: Hold,
    ) -> Result<Self, Error> {
        counting::begin(system, places)?;
        let plan = counting::plan(system, places, metrics);
        let plan = match hold {
            Hold::InTurns => plan.split(),
            Hold::Always => plan,
        };
        Ok(Self {
            session: Session::open(system, places, &plan, hold, &|_, _, _| true)?,
            energy: Energy::default(),
            plan,
            clock: Clock::default(),
            end: Duration::ZERO,
            length: Duration::ZERO,
            readings: Vec::new(),
        })
    }

    /// Counts the energy of the packages, too, where the kernel does.
    pub(crate) fn with_energy(mut self, system: &System, places: &[Place]) -> Self {
        self.energy = Energy::open(system, places);
        self
    }

    /// The groups of events that are counted, and the metrics that cannot be.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Describes what cannot be counted, on this machine or on some boxes. If the user named
    /// metrics, more is worth a note.
    pub(crate) fn notes(&self, were_asked_for: bool) -> Vec<String> {
        let of_boxes = self.session.notes.iter().map(ToString::to_string);
        let left_out = left_out(&self.plan, were_asked_for).into_iter();
        left_out.chain(of_boxes).collect()
    }

    /// Starts to count.
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        self.clock.start(Instant::now());
        self.energy.start();
        self.session.start()
    }

    /// Stops counting. One more reading returns what was counted until now.
    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        self.clock.stop(Instant::now());
        self.session.stop()
    }

    /// Reads all counters, which ends an interval. Lost time does not shorten the next one.
    pub(crate) fn read(&mut self) -> Result<(), Error> {
        self.lap();
        self.readings = self.session.read()?;
        Ok(())
    }

    /// Reads the counters of those boxes that can be read, which ends an interval. Returns why
    /// others cannot.
    pub(crate) fn read_each(&mut self) -> Vec<Error> {
        self.lap();
        let (readings, errors) = self.session.read_each();
        self.readings = readings;
        errors
    }

    fn lap(&mut self) {
        self.length = self.clock.lap(Instant::now());
        self.end += self.length;
        self.energy.read();
    }

    /// Returns whether any event was counted in the interval that the last reading ended.
    pub(crate) fn has_counted(&self) -> bool {
        let groups = self.readings.iter().flat_map(|one| one.groups.values());
        groups.into_iter().any(|group| group.running > 0)
    }

    /// The interval that the last reading ended, with the values of boxes, packages or the
    /// machine.
    pub(crate) fn interval(&self, scope: Scope) -> Interval {
        let seconds = self.length.as_secs_f64();
        let mut outcomes = self.plan.evaluate(&self.readings, scope);
        outcomes.extend(self.energy.outcomes(seconds, scope));
        Interval {
            end: self.end.as_secs_f64(),
            seconds,
            outcomes,
        }
    }
}

/// Number of boxes that a note names.
const NAMED: usize = 8;

/// Says what found no counter in an interval with the values of boxes. `None` if all was counted.
pub(crate) fn uncounted(interval: &Interval) -> Option<String> {
    let outcomes = interval.outcomes.iter();
    let lost = outcomes.filter(|one| one.value == Err(NoValue::NotCounted));
    let lost: Vec<_> = lost.collect();
    let metrics = unique(lost.iter().map(|one| one.metric.as_str()));
    let mut boxes = unique(lost.iter().filter_map(|one| one.box_name.as_deref()));
    boxes.sort_by_key(|name| (kind(name), name.len(), *name));
    let mut named = boxes
        .iter()
        .take(NAMED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if let Some(more @ 1..) = boxes.len().checked_sub(NAMED) {
        named = format!("{named} and {}", counted(more, "other box", "other boxes"));
    }
    (!lost.is_empty()).then(|| {
        let metrics = metrics.join(", ");
        format!("not counted: {metrics} of {named}: there was no free counter")
    })
}

/// Describes metrics that this machine cannot count. If the user named metrics, also
/// describes those of boxes that are not there, or whose terms are counted at different times.
fn left_out(plan: &Plan, were_asked_for: bool) -> Vec<String> {
    let full = |metric: &Metric| format!("{}.{}", metric.box_type, metric.name);
    let none = plan.unplanned.iter().filter_map(|unplanned| {
        let absent = || format!("there is no {}", unplanned.metric.box_type);
        let why = match &unplanned.misfit {
            Some(misfit) => misfit.to_string(),
            None if were_asked_for => absent(),
            None => return None,
        };
        Some(format!("left out: {}: {why}", full(&unplanned.metric)))
    });
    let apart = plan.metrics.iter().filter_map(|planned| {
        let why = planned.apart.as_ref()?;
        let name = full(&planned.metric);
        Some(format!(
            "{name}: its terms are counted at different times: {why}"
        ))
    });
    none.chain(apart.filter(|_| were_asked_for)).collect()
}
