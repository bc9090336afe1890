// SPDX-License-Identifier: GPL-2.0

//! Groups of a plan, opened on every box of every package.
//!
//! A package is read in one go, and has one time for all of its counts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use std::{fmt, io};

use uncore_metrics::{BoxReading, GroupReading, Misfit, Plan};

use super::places::Place;
use super::{Clock, Counts, CpuPin, Group, Hold};
use crate::encode::encode_term;
use crate::error::Error;
use crate::system::{Pmu, System};

/// Function that selects the groups of the plan for a box.
pub(crate) type Wanted<'a> = &'a dyn Fn(&Pmu, &Place, usize) -> bool;

/// Number of groups of a package from which moving to its CPU costs less than interrupting
/// it (Documentation/development/bench.rst).
const MANY: usize = 8;

/// All open groups.
pub(crate) struct Session {
    packages: Vec<OnPackage>,
    /// Events that cannot be counted, with the reason.
    pub(crate) notes: Vec<Note>,
}

/// Events that a box cannot count, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Note {
    pub(crate) box_type: String,
    pmu: String,
    package: u32,
    why: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pmu, package, why) = (&self.pmu, self.package, &self.why);
        write!(f, "not counted on {pmu} of package {package}: {why}")
    }
}

/// The boxes of a package.
struct OnPackage {
    package: u32,
    /// CPU that counts for the package.
    cpu: u32,
    clock: Clock,
    boxes: Vec<Counted>,
}

/// A box.
struct Counted {
    box_type: String,
    name: String,
    pmu: String,
    groups: BTreeMap<usize, (Group, Counts)>,
}

impl Session {
    /// Opens the groups of a plan that `is_wanted` selects, without starting them. Where one event
    /// with a filter keeps those with other filters away, all take turns.
    pub(crate) fn open(
        system: &System,
        places: &[Place],
        plan: &Plan,
        hold: Hold,
        is_wanted: Wanted,
    ) -> Result<Self, Error> {
        let mut session = Self {
            packages: Vec::new(),
            notes: Vec::new(),
        };
        for place in places {
            let _pin = CpuPin::to(place.cpu);
            let mut boxes = Vec::new();
            for pmu in system.pmus_on(place.cpu) {
                boxes.push(session.open_box(pmu, place, plan, hold, is_wanted)?);
            }
            session.packages.push(OnPackage {
                package: place.package,
                cpu: place.cpu,
                clock: Clock::default(),
                boxes,
            });
        }
        Ok(session)
    }

    fn open_box(
        &mut self,
        pmu: &Pmu,
        place: &Place,
        plan: &Plan,
        hold: Hold,
        is_wanted: Wanted,
    ) -> Result<Counted, Error> {
        let hold = if pmu.caps.has_one_criterion {
            Hold::InTurns
        } else {
            hold
        };
        let mut groups = BTreeMap::new();
        for (index, group) in plan.groups.iter().enumerate() {
            let is_meant = [&pmu.unit, &pmu.box_name()].contains(&&group.box_type);
            if !is_meant || !is_wanted(pmu, place, index) {
                continue;
            }
            let members = group.members.iter();
            let words = members.map(|term| encode_term(pmu, term, place.nodes));
            let words = match words.collect::<Result<Vec<_>, Misfit>>() {
                Ok(words) => words,
                Err(misfit) => {
                    self.note(pmu, place, &misfit.to_string());
                    continue;
                }
            };
            match Group::with(pmu, place.cpu, &words, hold) {
                Ok(group) => {
                    groups.insert(index, (group, Counts::default()));
                }
                // The box lacks something that others of its kind have, such as a filter.
                Err(refusal) if refusal.is_about_the_event() => {
                    self.note(pmu, place, &refusal.source.to_string());
                }
                Err(refusal) => {
                    let event = group.members.get(refusal.member);
                    let event = event.map(|term| term.event.clone()).unwrap_or_default();
                    return Err(refusal.of(pmu, place.cpu, &event));
                }
            }
        }
        Ok(Counted {
            box_type: pmu.unit.clone(),
            name: pmu.box_name(),
            pmu: pmu.name.clone(),
            groups,
        })
    }

    fn note(&mut self, pmu: &Pmu, place: &Place, why: &str) {
        let note = Note {
            box_type: pmu.unit.clone(),
            pmu: pmu.name.clone(),
            package: place.package,
            why: why.to_owned(),
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Starts all groups.
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        self.packages.iter_mut().try_for_each(|package| {
            let _pin = package.pin();
            package.clock.start(Instant::now());
            package.each(|_, group, _| group.start())
        })
    }

    /// Stops all groups.
    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        self.packages.iter_mut().try_for_each(|package| {
            let _pin = package.pin();
            package.clock.stop(Instant::now());
            package.each(|_, group, _| group.stop())
        })
    }

    /// Returns the counts since the last call.
    pub(crate) fn read(&mut self) -> Result<Vec<BoxReading>, Error> {
        let (readings, errors) = self.read_each();
        errors.into_iter().next().map_or(Ok(readings), Err)
    }

    /// Returns the counts of those boxes that can be read, and why others cannot.
    pub(crate) fn read_each(&mut self) -> (Vec<BoxReading>, Vec<Error>) {
        let (mut readings, mut errors) = (Vec::new(), Vec::new());
        for package in &mut self.packages {
            let _pin = package.pin();
            let seconds = package.clock.lap(Instant::now()).as_secs_f64();
            for counted in &mut package.boxes {
                match counted.read(package.package, seconds) {
                    Ok(reading) => readings.push(reading),
                    Err(error) => errors.push(error),
                }
            }
        }
        (readings, errors)
    }
}

impl OnPackage {
    /// Moves this thread to the CPU that counts for the package if there are many groups: each
    /// of them would interrupt that CPU otherwise.
    fn pin(&self) -> Option<CpuPin> {
        let groups: usize = self.boxes.iter().map(|counted| counted.groups.len()).sum();
        (groups >= MANY).then(|| CpuPin::to(self.cpu))
    }

    /// Calls a function with each group and its earlier counts.
    fn each(
        &mut self,
        act: fn(usize, &mut Group, &mut Counts) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut boxes = self.boxes.iter_mut();
        boxes.try_for_each(|counted| counted.each(act))
    }
}

impl Counted {
    fn read(&mut self, package: u32, seconds: f64) -> Result<BoxReading, Error> {
        let mut groups = BTreeMap::new();
        self.each(|index, group, before| {
            let now = match group.read() {
                // The kernel has ended a pinned group. What it has counted stays.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    group.start()?;
                    before.clone()
                }
                now => now?,
            };
            groups.insert(index, now.since(before));
            *before = now;
            Ok(())
        })?;
        Ok(BoxReading {
            package,
            box_type: self.box_type.clone(),
            name: self.name.clone(),
            seconds,
            groups,
        })
    }

    /// Calls a function with each group and its earlier counts.
    fn each(
        &mut self,
        mut act: impl FnMut(usize, &mut Group, &mut Counts) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut groups = self.groups.iter_mut();
        let acted = groups.try_for_each(|(index, (group, before))| act(*index, group, before));
        acted.map_err(|source| Error::Count {
            pmu: self.pmu.clone(),
            source,
        })
    }
}

impl Counts {
    fn since(&self, before: &Self) -> GroupReading {
        let earlier = before.values.iter().copied().chain(std::iter::repeat(0));
        let values = self.values.iter().zip(earlier);
        let nanoseconds = |now: Duration, before: Duration| {
            let passed = now.saturating_sub(before).as_nanos();
            u64::try_from(passed).unwrap_or(u64::MAX)
        };
        GroupReading {
            values: values
                .map(|(now, before)| now.saturating_sub(before))
                .collect(),
            enabled: nanoseconds(self.enabled, before.enabled),
            running: nanoseconds(self.running, before.running),
        }
    }
}
