// SPDX-License-Identifier: GPL-2.0

//! The machine as the parts of the check use it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use ivbep_metrics::Catalogue;

use super::ktap::Verdict;
use crate::counting::{begin, places, Group, Place, Visit};
use crate::encode::encode;
use crate::error::Error;
use crate::system::{Event, Pmu, System, Value, Words};

/// Idle states that take longer to leave stop clocks: not while we compare them.
const LATENCY_US: i32 = 10;
/// The event every box has.
const CLOCK: &str = "clockticks";
/// What a field is set to that has to be.
const SOME_VALUE: u64 = 1;

/// The machine, and how thoroughly it is checked.
pub(super) struct Bench<'a> {
    pub(super) system: &'a System,
    pub(super) places: Vec<Place>,
    pub(super) quick: bool,
    /// Values that fields of a kind of box have in some metric.
    values: BTreeMap<(String, String), u64>,
    /// Keeps deep idle states away while it is open.
    _awake: Option<File>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(system: &'a System, quick: bool) -> Result<Self, Error> {
        let places = places(system)?;
        begin(system, &places)?;
        Ok(Self {
            system,
            places,
            quick,
            values: values()?,
            _awake: awake(),
        })
    }

    /// Every box of every package.
    pub(super) fn boxes(&self) -> impl Iterator<Item = (&'a Pmu, &Place)> {
        let system = self.system;
        self.places.iter().flat_map(move |place| {
            let of_place = system.pmus_on(place.cpu);
            of_place.map(move |pmu| (pmu, place))
        })
    }

    /// The same, but if there is little time the first of each kind only.
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

    /// The boxes of some list, by kind.
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

    /// A verdict for each kind of box, from a look at each box.
    pub(super) fn verdicts(
        &self,
        boxes: &[(&Pmu, &Place)],
        look: impl Fn(&Pmu, &Place, &mut Verdict) -> io::Result<()>,
    ) -> Vec<Verdict> {
        let units = self.by_unit(boxes).into_iter().map(|(unit, boxes)| {
            let mut verdict = Verdict::new(unit);
            for (pmu, place) in boxes {
                let _visit = Visit::to(place.cpu);
                if let Err(error) = look(pmu, place, &mut verdict) {
                    verdict.fault(format!("{}: {error}", name(pmu, place)));
                }
            }
            verdict
        });
        units.collect()
    }

    /// The words of the clock, if the box has it.
    pub(super) fn clock(&self, pmu: &Pmu) -> Option<Words> {
        Some(self.words(pmu, pmu.event(CLOCK)?))
    }

    /// The words of all its clocks: general counters may have one of their own.
    pub(super) fn clocks(&self, pmu: &Pmu) -> Vec<Words> {
        let clocks = pmu
            .events()
            .iter()
            .filter(|event| event.name.contains(CLOCK));
        clocks.map(|event| self.words(pmu, event)).collect()
    }

    /// A group of as many counters as can count the same clock.
    pub(super) fn full_group(&self, pmu: &Pmu, cpu: u32) -> Option<Group> {
        let most = usize::try_from(pmu.caps.counters.unwrap_or(1).max(1)).unwrap_or(1);
        let (sizes, clocks) = ((1..=most).rev(), self.clocks(pmu));
        let mut all = sizes.flat_map(|size| clocks.iter().map(move |words| vec![*words; size]));
        all.find_map(|group| Group::open(pmu, cpu, &group).ok())
    }

    /// The words of a named event; fields it asks for get a value that makes sense.
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

    /// Waits, longer if there is time.
    pub(super) fn wait(&self, milliseconds: u64) {
        let factor = if self.quick { 1 } else { 4 };
        thread::sleep(Duration::from_millis(milliseconds * factor));
    }
}

fn values() -> Result<BTreeMap<(String, String), u64>, Error> {
    let mut values = BTreeMap::new();
    for metric in Catalogue::built_in()?.metrics(&[0])? {
        for term in metric.formula.terms() {
            for (field, value) in &term.settings {
                if let ivbep_metrics::Value::Number(number) = value {
                    values.insert((metric.box_type.clone(), field.clone()), *number);
                }
            }
        }
    }
    Ok(values)
}

/// As long as the file is open, no processor sleeps deeply. Users may not always
/// open it, and then a clock that stands still is found to be slow.
fn awake() -> Option<File> {
    let mut file = OpenOptions::new()
        .write(true)
        .open("/dev/cpu_dma_latency")
        .ok()?;
    file.write_all(&LATENCY_US.to_ne_bytes()).ok()?;
    Some(file)
}

/// A box, for the report.
pub(super) fn name(pmu: &Pmu, place: &Place) -> String {
    format!("{} of package {}", pmu.box_name(), place.package)
}
