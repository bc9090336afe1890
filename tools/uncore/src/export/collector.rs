// SPDX-License-Identifier: GPL-2.0

//! The counters behind a scrape: opens them, reads them, and lets them go.
//!
//! They are let go when a signal asks for it, and taken again when another signal does, or when
//! the module has been loaded anew. Meanwhile the sums stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use uncore_metrics::{sparing, Catalogue, Descriptions, Interval, Metric, NoValue, Scope};

use super::state::State;
use crate::counting::{self, Hold, Place};
use crate::error::Error;
use crate::root::Root;
use crate::sampler::Sampler;
use crate::system::{self, debug_file, Overflow, System, MODULE};
use crate::terminal::say;

/// Shortest time between two tries to take the counters again.
const RETRY: Duration = Duration::from_secs(1);

/// CPUs that are online.
const ONLINE: &str = "sys/devices/system/cpu/online";

/// The counters and what they have counted.
pub(super) struct Collector<'a> {
    root: &'a Path,
    /// True if no counter is left to others.
    takes_all: bool,
    /// Sums of what has been counted.
    pub(super) state: State,
    /// Notes on what is not counted, for people.
    pub(super) notes: Vec<String>,
    /// Boxes that should be counted and are not.
    pub(super) lost: Vec<String>,
    counters: Counters,
    /// Reason why they could not be taken, the last time.
    failure: Option<String>,
    /// Shortest time between two readings. A scrape that comes sooner gets the one before.
    shortest: Duration,
    /// Time of the last reading.
    last: Option<Instant>,
}

/// State of the counters.
enum Counters {
    Held(Box<Held>),
    /// They were let go, when this was the module's number.
    Released(Option<u64>),
    /// They could not be taken at this time.
    Lost(Instant),
}

/// Counters that count.
struct Held {
    sampler: Sampler,
    /// CPUs that were online, and the boxes there.
    online: Option<String>,
    boxes: Vec<(u32, String)>,
}

impl<'a> Collector<'a> {
    /// Takes the counters. Fails if this user may not count, or others have them; without the module
    /// only if it is not to wait for it.
    pub(super) fn new(
        root: &'a Path,
        takes_all: bool,
        shortest: Duration,
        waits: bool,
    ) -> Result<Self, Error> {
        let mut collector = Self {
            root,
            takes_all,
            state: State::default(),
            notes: Vec::new(),
            lost: Vec::new(),
            counters: Counters::Lost(Instant::now()),
            failure: None,
            shortest,
            last: None,
        };
        match collector.take() {
            Err(error @ (Error::NoPmus(_) | Error::Loading | Error::Unloading))
                if waits && Root::new(root)?.is_live() =>
            {
                collector.fail(&error);
                return Ok(collector);
            }
            taken => taken?,
        }
        // The kernel has ended a group at once if it found no counters for it.
        collector.read();
        match collector.lost.len() {
            0 => Ok(collector),
            held => Err(Error::Held(held)),
        }
    }

    /// Reads the counters, unless that was just done.
    pub(super) fn scrape(&mut self) {
        let now = Instant::now();
        let passed = self.last.map(|last| now.saturating_duration_since(last));
        if passed.is_some_and(|passed| passed < self.shortest) {
            return;
        }
        self.look();
        if !self.read() || self.has_changed() {
            self.try_to_take();
        }
        self.state.tampered = tampered(self.root);
        self.state.duration = now.elapsed();
    }

    /// Lets go of the counters, until [`Collector::resume`] or until the module is another one.
    pub(super) fn release(&mut self) {
        self.read();
        self.counters = Counters::Released(module_number(self.root));
        self.state.stop();
        self.lost.clear();
        say("the counters are let go");
    }

    /// Takes the counters again.
    pub(super) fn resume(&mut self) {
        if !self.is_counting() {
            self.try_to_take();
        }
    }

    /// Returns whether the counters are there.
    pub(super) fn is_counting(&self) -> bool {
        self.held().is_some()
    }

    /// Looks whether the counters can be taken again: the module is another one, or they were
    /// lost.
    pub(super) fn look(&mut self) {
        match self.counters {
            Counters::Released(before) => {
                let now = module_number(self.root);
                if now.is_some() && now != before {
                    self.try_to_take();
                }
            }
            Counters::Lost(since) if since.elapsed() >= RETRY => self.try_to_take(),
            Counters::Lost(_) | Counters::Held(_) => {}
        }
    }

    /// Returns whether CPUs came or went, and boxes with them.
    fn has_changed(&mut self) -> bool {
        let now = online(self.root);
        let Counters::Held(held) = &mut self.counters else {
            return false;
        };
        if held.online == now {
            return false;
        }
        let there = System::read(self.root).and_then(|system| {
            let places = counting::places(&system)?;
            Ok(boxes(&system, &places))
        });
        let is_same = there.is_ok_and(|there| there == held.boxes);
        if is_same {
            held.online = now;
        }
        !is_same
    }

    fn held(&self) -> Option<&Held> {
        match &self.counters {
            Counters::Held(held) => Some(held),
            Counters::Released(_) | Counters::Lost(_) => None,
        }
    }

    /// Reads the counters. Returns false if some boxes cannot be read any more.
    fn read(&mut self) -> bool {
        self.last = Some(Instant::now());
        let Counters::Held(held) = &mut self.counters else {
            return true;
        };
        let errors = held.sampler.read_each();
        let interval = held.sampler.interval(Scope::Box);
        self.state.add(&interval);
        self.tell(lost(&interval));
        for error in &errors {
            say(&error.to_string());
        }
        errors.is_empty()
    }

    /// Tells which boxes are not counted, if these are other ones than before.
    fn tell(&mut self, lost: Vec<String>) {
        let new: Vec<&String> = lost.iter().filter(|one| !self.lost.contains(one)).collect();
        if !new.is_empty() {
            let holders = Root::new(self.root).map(|root| system::holders(&root));
            let holders = holders.unwrap_or_default();
            for one in new {
                say(&format!("{one}{holders}"));
            }
        }
        self.lost = lost;
    }

    fn try_to_take(&mut self) {
        self.counters = Counters::Lost(Instant::now());
        match self.take() {
            Ok(()) => {
                say("the counters are taken");
                self.failure = None;
            }
            Err(error) => {
                self.state.stop();
                self.lost.clear();
                self.fail(&error);
            }
        }
    }

    /// Tells why the counters could not be taken, unless it is why they could not be before.
    fn fail(&mut self, error: &Error) {
        let failure = error.to_string();
        if self.failure.as_ref() != Some(&failure) {
            say(&failure);
        }
        self.failure = Some(failure);
    }

    fn take(&mut self) -> Result<(), Error> {
        let online = online(self.root);
        let system = System::with_pmus(self.root)?;
        let places = counting::places(&system)?;
        let (metrics, left_out) = metrics(&system, &places, self.takes_all)?;
        let mut sampler = Sampler::open(&system, &places, metrics, Hold::Always)?;
        self.notes = left_out.iter().map(spared).collect();
        self.notes.extend(sampler.notes(false));
        self.describe(&system, &places, &sampler)?;
        sampler.start()?;
        self.counters = Counters::Held(Box::new(Held {
            sampler,
            online,
            boxes: boxes(&system, &places),
        }));
        Ok(())
    }

    /// Sets what is known of the machine.
    fn describe(
        &mut self,
        system: &System,
        places: &[Place],
        sampler: &Sampler,
    ) -> Result<(), Error> {
        let planned = sampler.plan().metrics.iter();
        self.state.metrics = planned.map(|planned| planned.metric.clone()).collect();
        let version = system.root.text(&format!("sys/module/{MODULE}/version"));
        self.state.build = vec![
            ("version", crate::version::VERSION.to_owned()),
            ("driver", version.unwrap_or_default()),
            ("platform", system.platform()?.name.to_owned()),
        ];
        let nodes = system.numa_nodes()?;
        self.state.nodes = places
            .iter()
            .map(|place| {
                let own = nodes.get(&place.package.to_string()).into_iter().flatten();
                (place.package, own.copied().collect())
            })
            .collect();
        let there = places.iter().flat_map(|place| {
            let pmus = system.pmus_on(place.cpu);
            pmus.map(|pmu| {
                (
                    place.package,
                    pmu.unit.as_str(),
                    pmu.box_name(),
                    pmu.name.as_str(),
                )
            })
        });
        self.state.set_boxes(there);
        Ok(())
    }
}

/// The metrics to count, and those that are left out so that each box has a counter for others.
pub(super) fn metrics(
    system: &System,
    places: &[Place],
    takes_all: bool,
) -> Result<(Vec<Metric>, Vec<Metric>), Error> {
    let nodes = counting::own_nodes(places);
    let platform = system.platform()?.name;
    let descriptions = Descriptions::of(platform)?;
    let all = Catalogue::overview(platform)?.metrics(&nodes)?;
    let all = all.into_iter().filter(|metric| {
        let mut units = system.pmus.iter().map(|pmu| &pmu.unit);
        units.any(|unit| *unit == metric.box_type)
    });
    let all = all.map(|metric| described(metric, descriptions));
    if takes_all {
        return Ok((all.collect(), Vec::new()));
    }
    Ok(sparing(all, |kind| {
        let of_kind = system.pmus.iter().filter(|pmu| pmu.unit == kind);
        of_kind.filter_map(|pmu| pmu.caps.counters).min()
    }))
}

/// Adds to the description of a metric what its events count.
fn described(mut metric: Metric, descriptions: &Descriptions) -> Metric {
    for term in metric.formula.terms() {
        let text = descriptions.text(&metric.box_type, &term.event);
        let text = text.map(|text| format!(". {}: {text}", term.event));
        metric.description.push_str(&text.unwrap_or_default());
    }
    metric
}

fn spared(metric: &Metric) -> String {
    let Metric { name, box_type, .. } = metric;
    format!(
        "left out: {name}, which would take the last counter of {box_type} from other programs; \
         --all-counters counts it"
    )
}

fn boxes(system: &System, places: &[Place]) -> Vec<(u32, String)> {
    let of_place = |place: &Place| {
        let package = place.package;
        let pmus = system.pmus_on(place.cpu);
        pmus.map(move |pmu| (package, pmu.name.clone()))
            .collect::<Vec<_>>()
    };
    places.iter().flat_map(of_place).collect()
}

/// The boxes that were not counted in an interval, in words.
fn lost(interval: &Interval) -> Vec<String> {
    let lost = interval
        .outcomes
        .iter()
        .filter(|one| one.value == Err(NoValue::NotCounted));
    let texts: BTreeSet<String> = lost
        .filter_map(|one| {
            let (package, name) = (one.package?, one.box_name.as_ref()?);
            Some(format!(
                "{name} of socket {package} is not counted: others have its counters"
            ))
        })
        .collect();
    texts.into_iter().collect()
}

/// The events that lost their counters to other tools, by package, if this user may know.
fn tampered(root: &Path) -> Option<BTreeMap<u32, u64>> {
    let text = std::fs::read_to_string(root.join(debug_file("overflow"))).ok()?;
    Some(system::tampered(&Overflow::parse(&text)))
}

fn online(root: &Path) -> Option<String> {
    std::fs::read_to_string(root.join(ONLINE)).ok()
}

/// A number that is another one each time the module is loaded.
fn module_number(root: &Path) -> Option<u64> {
    let directory = root.join("sys/module").join(MODULE);
    Some(directory.metadata().ok()?.ino())
}
