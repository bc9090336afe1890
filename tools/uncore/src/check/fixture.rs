// SPDX-License-Identifier: GPL-2.0

//! Boxes and events that the parts of the check use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use uncore_metrics::{Catalogue, CatalogueError, Term};

use super::ktap::Verdict;
use crate::counting::{begin, places, CpuPin, Group, Place};
use crate::encode::{encode, encode_term};
use crate::error::Error;
use crate::system::{tampered, Event, Pmu, System, Value, Words};

/// Longest allowed exit latency of idle states: deeper states stop clocks.
const LATENCY_US: i32 = 10;
/// Event of every box that has a clock event.
const CLOCK: &str = "clockticks";
/// Value for a field without a known value.
const SOME_VALUE: u64 = 1;

/// Machine under test, and the depth of the test.
pub(super) struct Fixture<'a> {
    pub(super) system: &'a System,
    pub(super) places: Vec<Place>,
    pub(super) quick: bool,
    /// Values that metrics give to fields, by kind of box and field.
    values: BTreeMap<(String, String), u64>,
    /// Clock of each kind of box.
    clocks: BTreeMap<String, Term>,
    /// Kinds of boxes whose counters do not start at once.
    pub(super) serial: BTreeSet<String>,
    /// Events of each package whose registers were found changed before the check, if this user
    /// may know.
    tampered: Option<BTreeMap<u32, u64>>,
    /// Open file that prevents deep idle states.
    _awake: Option<File>,
}

impl<'a> Fixture<'a> {
    /// Makes the fixture of a machine. `clocks` has what the relations count as the clock of each
    /// kind of box, `serial` the kinds whose counters do not start at once.
    pub(super) fn new(
        system: &'a System,
        quick: bool,
        clocks: BTreeMap<String, Term>,
        serial: BTreeSet<String>,
    ) -> Result<Self, Error> {
        let places = places(system)?;
        begin(system, &places)?;
        Ok(Self {
            system,
            places,
            quick,
            values: values(system.platform()?.name)?,
            clocks,
            serial,
            tampered: found_changed(system),
            _awake: awake(),
        })
    }

    /// Returns the events of each package whose registers the driver has found changed since the
    /// check began, if this user may know.
    pub(super) fn tampered(&self) -> Option<BTreeMap<u32, u64>> {
        let (before, mut events) = (self.tampered.as_ref()?, found_changed(self.system)?);
        for (package, number) in &mut events {
            *number = number.saturating_sub(before.get(package).copied().unwrap_or(0));
        }
        Some(events)
    }

    /// Returns every box of every package.
    pub(super) fn boxes(&self) -> impl Iterator<Item = (&'a Pmu, &Place)> {
        let system = self.system;
        self.places.iter().flat_map(move |place| {
            let of_place = system.pmus_on(place.cpu);
            of_place.map(move |pmu| (pmu, place))
        })
    }

    /// Returns every box, or with `--quick` the first of each kind in a package.
    pub(super) fn some_boxes(&self) -> Vec<(&'a Pmu, &Place)> {
        let mut boxes: Vec<(&Pmu, &Place)> = Vec::new();
        for (pmu, place) in self.boxes() {
            let known = boxes
                .iter()
                .any(|(other, there)| other.unit == pmu.unit && there.package == place.package);
            if !self.quick || !known {
                boxes.push((pmu, place));
            }
        }
        boxes
    }

    /// Groups a list of boxes by kind.
    pub(super) fn by_unit<'b>(
        &self,
        boxes: &[(&'b Pmu, &'b Place)],
    ) -> Vec<(String, Vec<(&'b Pmu, &'b Place)>)> {
        let units = self.system.units().into_iter().map(|unit| {
            let of_unit = boxes.iter().filter(|(pmu, _)| pmu.unit == unit);
            (unit.to_owned(), of_unit.copied().collect())
        });
        units.collect()
    }

    /// Returns a verdict for each kind of box, after a test of each box.
    pub(super) fn verdicts(
        &self,
        boxes: &[(&Pmu, &Place)],
        look: impl Fn(&Pmu, &Place, &mut Verdict) -> io::Result<()>,
    ) -> Vec<Verdict> {
        let units = self.by_unit(boxes).into_iter().map(|(unit, boxes)| {
            let mut verdict = Verdict::new(unit);
            for (pmu, place) in boxes {
                let _pin = CpuPin::to(place.cpu);
                if let Err(error) = look(pmu, place, &mut verdict) {
                    verdict.fault(format!("{}: {error}", name(pmu, place)));
                }
            }
            verdict
        });
        units.collect()
    }

    /// Returns the config words of a clock of the box, if it has one.
    pub(super) fn clock(&self, pmu: &Pmu) -> Option<Words> {
        let named = pmu.event(CLOCK).map(|event| self.words(pmu, event));
        named.or_else(|| self.derived_clock(pmu))
    }

    /// Returns the config words of all clocks: general counters may have their own.
    pub(super) fn clocks(&self, pmu: &Pmu) -> Vec<Words> {
        let clocks = pmu
            .events()
            .iter()
            .filter(|event| event.name.contains(CLOCK));
        let named = clocks.map(|event| self.words(pmu, event));
        named.chain(self.derived_clock(pmu)).collect()
    }

    /// Returns the config words of what the relations count as the clock.
    fn derived_clock(&self, pmu: &Pmu) -> Option<Words> {
        let nodes = self.places.first()?.nodes;
        encode_term(pmu, self.clocks.get(&pmu.unit)?, nodes).ok()
    }

    /// Opens the largest possible group of counters of one clock.
    pub(super) fn full_group(&self, pmu: &Pmu, cpu: u32) -> Option<Group> {
        let most = usize::try_from(pmu.caps.counters.unwrap_or(1).max(1)).unwrap_or(1);
        let (sizes, clocks) = ((1..=most).rev(), self.clocks(pmu));
        let mut all = sizes.flat_map(|size| clocks.iter().map(move |words| vec![*words; size]));
        all.find_map(|group| Group::open(pmu, cpu, &group).ok())
    }

    /// Returns the config words of some event that can be opened, and opens it.
    pub(super) fn find_event(&self, pmu: &Pmu, cpu: u32) -> Option<(Words, Group)> {
        let mut all = pmu.events().iter().map(|event| self.words(pmu, event));
        all.find_map(|words| Some((words, Group::open(pmu, cpu, &[words]).ok()?)))
    }

    /// Returns the config words of a named event, with a valid value in required fields.
    pub(super) fn words(&self, pmu: &Pmu, event: &Event) -> Words {
        let asked = event.terms.iter().filter(|term| term.value == Value::Asked);
        let asked = asked.map(|term| {
            let known = self.values.get(&(pmu.unit.clone(), term.field.clone()));
            let value = known.copied().unwrap_or(SOME_VALUE);
            (term.field.clone(), Some(value.to_string()))
        });
        let terms: Vec<_> = [(event.name.clone(), None)]
            .into_iter()
            .chain(asked)
            .collect();
        encode(pmu, &terms).words
    }

    /// Waits, four times as long without `--quick`.
    pub(super) fn wait(&self, milliseconds: u64) {
        let factor = if self.quick { 1 } else { 4 };
        thread::sleep(Duration::from_millis(milliseconds * factor));
    }
}

/// Returns the values that metrics of a platform give to fields.
fn values(platform: &str) -> Result<BTreeMap<(String, String), u64>, Error> {
    let mut values = BTreeMap::new();
    let catalogue = match Catalogue::of(platform) {
        Err(CatalogueError::NoMetrics(_)) => return Ok(values),
        catalogue => catalogue?,
    };
    for metric in catalogue.metrics(&[0])? {
        for term in metric.formula.terms() {
            for (field, value) in &term.settings {
                if let uncore_metrics::Value::Number(number) = value {
                    values.insert((metric.box_type.clone(), field.clone()), *number);
                }
            }
        }
    }
    Ok(values)
}

fn found_changed(system: &System) -> Option<BTreeMap<u32, u64>> {
    Some(tampered(&system.overflows().ok()?))
}

/// Opens the file that prevents deep idle states while it is open. If the user may not
/// open it, the test can find clocks that are too slow.
fn awake() -> Option<File> {
    let mut file = OpenOptions::new()
        .write(true)
        .open("/dev/cpu_dma_latency")
        .ok()?;
    file.write_all(&LATENCY_US.to_ne_bytes()).ok()?;
    Some(file)
}

/// Returns the name of a box in the report.
pub(super) fn name(pmu: &Pmu, place: &Place) -> String {
    format!("{} of package {}", pmu.box_name(), place.package)
}
