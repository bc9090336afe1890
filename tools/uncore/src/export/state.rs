// SPDX-License-Identifier: GPL-2.0

//! All that a scrape returns: sums, what is counted now, and the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use uncore_metrics::{Interval, Metric};

use super::family::{Family, Kind, Value};
use super::names;
use super::totals::{Place, Totals};
use crate::overview;

/// All that is known of the machine and its counters.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Facts about the program and the driver.
    pub(super) build: Vec<(&'static str, String)>,
    /// Metrics that are counted, in the order of the overview.
    pub(super) metrics: Vec<Metric>,
    /// Boxes that are or were there, by package and name.
    pub(super) boxes: BTreeMap<BoxId, Presence>,
    /// NUMA nodes of each package.
    pub(super) nodes: BTreeMap<u32, Vec<u32>>,
    /// Events that lost their counter to another tool, by package; `None` if this user may not
    /// know.
    pub(super) tampered: Option<BTreeMap<u32, u64>>,
    /// Duration of the last reading.
    pub(super) duration: Duration,
    totals: Totals,
    /// Places that the last reading had.
    fresh: BTreeSet<Place>,
    /// Share of the time in which each box was counted, in the last interval.
    counted: BTreeMap<BoxId, f64>,
    is_counting: bool,
}

/// A box of a package, in the order of kinds and indexes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BoxId {
    package: u32,
    kind: String,
    /// Length of the name, so that 10 follows 9.
    length: usize,
    name: String,
}

/// Presence of a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Presence {
    /// Kind of the box.
    pub(super) kind: String,
    /// Name of its PMU.
    pub(super) pmu: String,
    /// True if it is there now.
    pub(super) is_there: bool,
}

impl BoxId {
    pub(super) fn new(package: u32, name: &str) -> Self {
        Self {
            package,
            kind: overview::kind(name).to_owned(),
            length: name.len(),
            name: name.to_owned(),
        }
    }
}

impl State {
    /// Adds an interval that has ended.
    pub(super) fn add(&mut self, interval: &Interval) {
        self.is_counting = true;
        self.fresh.clear();
        self.counted.clear();
        for outcome in &interval.outcomes {
            let (Some(package), Some(name)) = (outcome.package, &outcome.box_name) else {
                continue;
            };
            let of_box = self.counted.entry(BoxId::new(package, name)).or_insert(1.0);
            *of_box = of_box.min(outcome.counted);
            if let Ok(amount) = outcome.value {
                let place = Place {
                    metric: outcome.metric.clone(),
                    package,
                    box_name: name.clone(),
                };
                self.totals.add(place.clone(), amount);
                self.fresh.insert(place);
            }
        }
    }

    /// Notes that nothing is counted from now on. The sums stay.
    pub(super) fn stop(&mut self) {
        self.is_counting = false;
        self.fresh.clear();
        self.counted.clear();
    }

    /// Sets the boxes that are there now, of these packages, kinds, names and PMUs. A box that
    /// another package has, or had before, is known to be missing.
    pub(super) fn set_boxes<'a>(
        &mut self,
        now: impl Iterator<Item = (u32, &'a str, String, &'a str)>,
    ) {
        for presence in self.boxes.values_mut() {
            presence.is_there = false;
        }
        for (package, kind, name, pmu) in now {
            let presence = Presence {
                kind: kind.to_owned(),
                pmu: pmu.to_owned(),
                is_there: true,
            };
            self.boxes.insert(BoxId::new(package, &name), presence);
        }
        let packages: BTreeSet<u32> = self.boxes.keys().map(|id| id.package).collect();
        let known: Vec<_> = self
            .boxes
            .iter()
            .map(|(id, it)| (id.clone(), it.clone()))
            .collect();
        for package in packages {
            for (id, presence) in &known {
                let here = BoxId {
                    package,
                    ..id.clone()
                };
                let presence = Presence {
                    is_there: false,
                    ..presence.clone()
                };
                self.boxes.entry(here).or_insert(presence);
            }
        }
    }

    /// Returns all families.
    pub(super) fn families(&self) -> Vec<Family> {
        let mut families = vec![self.build(), self.counting(), self.sockets()];
        families.extend(self.places());
        families.extend([self.presence(), self.counted(), self.tampered()]);
        families.extend(self.metrics.iter().map(|metric| self.metric(metric)));
        let help = "Time that the last reading of all counters took";
        let seconds = Value::Real(self.duration.as_secs_f64());
        let duration = Family::new("uncore_scrape_duration_seconds", Kind::Gauge, help);
        families.push(duration.with(Vec::new(), seconds));
        families
    }

    fn build(&self) -> Family {
        let help = "Versions of the exporter and of the driver, and the kind of the processor";
        let family = Family::new("uncore_build", Kind::Info, help);
        family.with(self.build.clone(), Value::Whole(1))
    }

    fn counting(&self) -> Family {
        let help = "1 while the exporter counts, 0 while it has no counters";
        let family = Family::new("uncore_counting", Kind::Gauge, help);
        family.with(Vec::new(), self.is_counting.into())
    }

    fn sockets(&self) -> Family {
        let help = "NUMA nodes of each socket";
        let mut family = Family::new("uncore_socket", Kind::Info, help);
        for (package, nodes) in &self.nodes {
            let nodes: Vec<String> = nodes.iter().map(u32::to_string).collect();
            let labels = vec![names::socket(*package), ("nodes", nodes.join(","))];
            family = family.with(labels, Value::Whole(1));
        }
        family
    }

    /// The boxes of the parts that have a label of their own.
    fn places(&self) -> Vec<Family> {
        let mut families = Vec::new();
        for (part, label) in names::OWN_LABELS {
            let name = if part == label {
                names::family(label)
            } else {
                names::family(&format!("{part}_{label}"))
            };
            let help = format!("Box and PMU of each {label}");
            let mut family = Family::new(name, Kind::Info, help);
            let own = self
                .metrics
                .iter()
                .filter(|one| names::part(&one.name) == part);
            let kinds: BTreeSet<&str> = own.map(|metric| metric.box_type.as_str()).collect();
            for (id, presence) in &self.boxes {
                let mut labels = names::labels(part, id.package, &id.name);
                if presence.is_there && kinds.contains(presence.kind.as_str()) {
                    labels.push(("box", id.name.clone()));
                    labels.push(("pmu", presence.pmu.clone()));
                    family = family.with(labels, Value::Whole(1));
                }
            }
            families.push(family);
        }
        families
    }

    fn presence(&self) -> Family {
        let help = "1 if the box is there, 0 if another socket has it or it was there before";
        let mut family = Family::new("uncore_box_present", Kind::Gauge, help);
        for (id, presence) in &self.boxes {
            let labels = names::of_box(id.package, &id.name);
            family = family.with(labels, presence.is_there.into());
        }
        family
    }

    fn counted(&self) -> Family {
        let help = "Share of the time since the reading before in which the box was counted";
        let mut family = Family::new("uncore_counted_ratio", Kind::Gauge, help);
        for (id, share) in &self.counted {
            let labels = names::of_box(id.package, &id.name);
            family = family.with(labels, Value::Real(*share));
        }
        family
    }

    fn tampered(&self) -> Family {
        let help = "Events that lost their counter because another tool changed its registers";
        let mut family = Family::new("uncore_tampered", Kind::Counter, help);
        for (package, events) in self.tampered.iter().flatten() {
            let labels = vec![names::socket(*package)];
            family = family.with(labels, Value::Whole((*events).into()));
        }
        family
    }

    /// The sums of a metric. What was not counted in the last interval is left out: a sum that
    /// stands still would look like a machine that does nothing.
    fn metric(&self, metric: &Metric) -> Family {
        let Metric {
            box_type,
            name,
            formula,
            description,
            unit,
            ..
        } = metric;
        let (part, what) = overview::split(name).unwrap_or_default();
        let is_of_part = |one: &&Metric| names::part(&one.name) == part;
        let has_others = self.metrics.iter().filter(is_of_part).count() > 1;
        let peak = if has_others && overview::is_peak(*unit, what) {
            ". It grows by what is possible: compare its rate() with that of what moves"
        } else {
            ""
        };
        let difference = if formula.has_difference() {
            ". It is left out while it would go back"
        } else {
            ""
        };
        let help = format!("{description}{peak}{difference}. Events of {box_type}: {formula}");
        let mut family = Family::new(names::family(name), Kind::Counter, help);
        let of_metric = self.fresh.iter().filter(|place| place.metric == *name);
        let mut places: Vec<&Place> = of_metric.collect();
        places.sort_by_key(|place| BoxId::new(place.package, &place.box_name));
        for place in places {
            if let Some(sum) = self.totals.get(place) {
                let labels = names::labels(name, place.package, &place.box_name);
                family = family.with(labels, Value::Whole(sum));
            }
        }
        family
    }
}

#[cfg(test)]
mod tests;
