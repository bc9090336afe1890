// SPDX-License-Identifier: GPL-2.0

//! Every event and every refusal under each reading of what the sources leave open, alone.
//!
//! Each event must count exactly, be refused, or have another meaning, as `effects` says. The test
//! takes a part of the events of each reading. `make readings` takes all, and writes
//! Documentation/hardware/uncertain-table.rst.

mod effects;
mod page;
mod which;

use super::{attributes, made, mismatched_refusals, named, BTreeSet, Made, RefCell, Words};
use crate::{
    computer::{debugfs, load, load_without_traffic, on_computer, usual_config, Event},
    host::Host,
    linux::perf::find,
    uncore::pmu::UncorePmu,
};
use effects::Effect;
use std::thread;
use uncore_e2e::{
    fixture::pack::pack,
    formats::field,
    prelude::{
        assert_none, repeats_all, BoxKind, Catalogue, Config, Link, MemoryCounter, Platform, Probe,
        Processor, Residency, Setting, Shape,
    },
    sweep::{events, filters},
};

/// Cycles of uclk that events count, and distance of each counter from its wrap before.
const BURST: u64 = 1_000_000;
const BEFORE: u64 = 1000;

/// Without `make readings`, one event in so many is counted, and those that a reading changes.
const STEP: usize = 24;

/// An event to count.
#[derive(Clone, Debug)]
enum Asked {
    /// An event of a counter that is programmed.
    Programmed(Probe),
    /// COUNTER0_OCCUPANCY, in the group of the occupancy that it shows.
    Shown {
        view: Probe,
        leader: Probe,
    },
    /// A counter that always runs: of the core that counts for a package, of a QPI port, or of a
    /// client's memory controller.
    Residency(Residency),
    Link(Link, u8),
    Memory(MemoryCounter),
}

/// What became of an event in a package.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Exact,
    /// The driver refused it and said this, or has no such event.
    Refused(String),
    Otherwise(String),
}

impl Asked {
    /// Returns what is asked of perf.
    fn text(&self) -> String {
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => probe.event().to_string(),
            Self::Residency(residency) => format!("{}/{}/", self.pmu(), residency.event()),
            Self::Link(link, _) => format!("{}/{}/", self.pmu(), link.event()),
            Self::Memory(counter) => format!("{}/{}/", self.pmu(), counter.event),
        }
    }

    /// Returns what its counter is programmed with; `None` if that always runs.
    fn probe(&self) -> Option<&Probe> {
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => Some(probe),
            _ => None,
        }
    }

    fn pmu(&self) -> String {
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => probe.pmu(),
            Self::Residency(_) => BoxKind::Pcu.pmu(0),
            Self::Link(_, port) => BoxKind::Qpi.pmu(*port),
            Self::Memory(_) => MemoryCounter::pmu(),
        }
    }

    /// Returns the config words; `None` if the driver has no such event.
    fn words(&self) -> Option<Words> {
        let offered = |kind, name| {
            let offers = find::<UncorePmu>(&self.pmu())?.show(Some(c"events"), name);
            offers.map(|_| named(kind, name, Words([0; 3])))
        };
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => Some(probe.words()),
            Self::Residency(residency) => offered(BoxKind::Pcu, residency.event()),
            Self::Link(link, _) => offered(BoxKind::Qpi, link.event()),
            Self::Memory(counter) => Some(Words([counter.code, 0, 0])),
        }
    }

    /// Returns the number of its box among those of the type. An IRP's are sets of counters of one.
    fn instance(&self) -> u8 {
        match self {
            Self::Link(_, port) => *port,
            _ => self.probe().map_or(0, |probe| match probe.kind {
                BoxKind::Irp => 0,
                _ => probe.instance,
            }),
        }
    }

    /// Returns the packages that have its box.
    fn packages(&self, shape: &Shape) -> Vec<u8> {
        match (self, self.probe()) {
            (Self::Link(_, port), _) => shape.having(BoxKind::Qpi, *port),
            (_, Some(probe)) => shape.having(probe.kind, probe.instance),
            _ => shape.packages(),
        }
    }

    /// Returns the count that a burst adds in a package.
    fn count(&self, package: u8) -> u64 {
        match self {
            Self::Programmed(probe) => probe.count(package, BURST),
            Self::Shown { view, leader } => {
                let Setting { thresh, edge, .. } = view.setting;
                leader.beside(thresh, edge).shows.count(package, BURST)
            }
            Self::Residency(residency) => residency.count(package, 0, BURST),
            Self::Link(link, port) => link.count(*port, package, BURST),
            Self::Memory(counter) => counter.count(BURST),
        }
    }

    /// Opens it on a package, with the leader of its group if it has one.
    fn open(&self, package: u8) -> Result<Vec<Event>, String> {
        let cpu = 2 * u32::from(package);
        let missing = || "no such event".to_owned();
        let pmu = find::<UncorePmu>(&self.pmu()).ok_or_else(missing)?;
        let words = self.words().ok_or_else(missing)?;
        let refused = |_| debugfs("rejections");
        let mut group = Vec::new();
        if let Self::Shown { leader, .. } = self {
            let opened = pmu.open(&attributes(leader.words(), cpu), None);
            group.push(opened.map_err(refused)?);
        }
        let event = pmu.open(&attributes(words, cpu), group.first());
        group.push(event.map_err(refused)?);
        Ok(group)
    }
}

/// Returns the usual machine of the current processor, or one on which each reading can be seen that
/// holds from its start, but those of Broadwell-EP that need cluster-on-die.
fn machine(at_start: bool) -> Config {
    let usual = usual_config();
    match Processor::current() {
        Processor::BdxDe => usual.with("dimms", "0f"),
        _ if at_start && Platform::has_large_part() => usual.with("part", "ex"),
        _ => usual,
    }
}

/// Returns every event on every box, and every setting of a filter.
fn all(shape: &Shape) -> Vec<Asked> {
    let on_boxes = |probe: Probe| (0..shape.most(probe.kind)).map(move |n| probe.on(n));
    let more = filters::settings().into_iter().chain(doubtful());
    let programmed = [events::rows(shape), events::fixed(shape)].concat();
    let programmed = programmed.into_iter().chain(more.flat_map(on_boxes));
    let ports = 0..shape.most(BoxKind::Qpi);
    let links = ports.flat_map(|port| Link::all().iter().map(move |link| Asked::Link(*link, port)));
    let cboxes = 0..shape.most(BoxKind::Cbox);
    let shows = BoxKind::Cbox.exists() && Catalogue::get().has(BoxKind::Cbox, "counter0_occupancy");
    programmed
        .map(Asked::Programmed)
        .chain(Residency::all().iter().copied().map(Asked::Residency))
        .chain(links)
        .chain(MemoryCounter::all().iter().copied().map(Asked::Memory))
        .chain(cboxes.filter(|_| shows).flat_map(shown))
        .collect()
}

/// Returns the occupancy of a C-Box' counter 0 as a sum, above a threshold, and its edges.
fn shown(instance: u8) -> [Asked; 3] {
    let leader = Probe::cbox(instance, "tor_occupancy.all");
    let view = Probe::cbox(instance, "counter0_occupancy");
    let views = [view.clone(), view.clone().thresh(3), view.thresh(1).edge()];
    views.map(|view| Asked::Shown {
        view,
        leader: leader.clone(),
    })
}

/// Returns events whose meaning the readings leave open, beside those with names.
fn doubtful() -> Vec<Probe> {
    if !BoxKind::Pcu.exists() {
        return Vec::new();
    }
    let cores = |state| Probe::pcu(&format!("power_state_occupancy.{state}")).thresh(2);
    let inverts =
        field(BoxKind::Cbox, "inv").map(|_| Probe::cbox(0, "clockticks").thresh(2).invert());
    let others = vec![
        // Bit 18 of the PCU's control registers is uncertain on IVB-EP (U-65), and which bits act
        // on an occupancy (U-29, B-17).
        Probe::pcu("prochot_external_cycles").thresh(1).edge(),
        cores("cores_c3").occ_edge(),
        cores("cores_c6").occ_invert(),
        // U-75.
        Probe::cbox(0, "clockticks").tid(3),
    ];
    // H-26.
    others.into_iter().chain(inverts).collect()
}

/// Returns one event in `step` of one box of each type, and those that the readings change: on all
/// boxes, if none of these boxes has one.
fn chosen(all: &[Asked], planted: &str, step: usize) -> Vec<Asked> {
    let changed = |event: &Asked| effects::of(planted).any(|row| row.has(event));
    let (first, others): (Vec<_>, Vec<_>) = all.iter().partition(|event| event.instance() == 0);
    let is_elsewhere = !first.iter().any(|event| changed(event));
    let first = first.into_iter().enumerate();
    let first = first.filter(|(index, event)| index % step == 0 || changed(event));
    let others = others
        .into_iter()
        .filter(|event| is_elsewhere && changed(event));
    let wanted = first.map(|(_, event)| event).chain(others);
    wanted
        .map(|event| effects::with_increment(event.clone(), planted))
        .collect()
}

/// Returns runs that count every event once.
fn packed(events: Vec<Asked>) -> Vec<Vec<Asked>> {
    let (programmed, others): (Vec<_>, Vec<_>) = events
        .into_iter()
        .partition(|event| matches!(event, Asked::Programmed(_)));
    let (shown, running): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|event| event.probe().is_some());
    let programmed = programmed.iter().filter_map(Asked::probe);
    let runs = pack(programmed.map(|probe| vec![probe.clone()])).into_iter();
    let runs = runs.map(|run| run.into_iter().map(Asked::Programmed).collect());
    let shown = shown.into_iter().map(|event| vec![event]);
    runs.chain(shown).chain([running]).collect()
}

/// Counts events in each package, while all counters are about to wrap.
fn count(host: &Host, shape: &Shape, run: Vec<Asked>) -> Vec<(Asked, Outcome)> {
    host.command(&format!("preload-all {BEFORE}"));
    let everywhere = run.into_iter().flat_map(|event| {
        let packages = event.packages(shape).into_iter();
        packages.map(move |package| (event.clone(), package))
    });
    let opened: Vec<_> = everywhere
        .map(|(event, package)| {
            let group = event.open(package);
            let before = group
                .as_ref()
                .ok()
                .and_then(|group| group.last())
                .map(Event::read);
            (event, package, group, before.unwrap_or(0))
        })
        .collect();
    host.traffic(BURST);
    let seen = opened.into_iter().map(|(event, package, group, before)| {
        let outcome = match group {
            Err(said) => Outcome::Refused(said),
            Ok(group) => {
                let last = group.last().expect("an event");
                let (right, counted) = (event.count(package), last.read().wrapping_sub(before));
                if last.is_active() && counted == right {
                    Outcome::Exact
                } else {
                    Outcome::Otherwise(format!("package {package}: {counted}, not {right}"))
                }
            }
        };
        (event, outcome)
    });
    seen.collect()
}

/// Outcomes of a processor's events.
#[derive(Debug, Default)]
struct Tally {
    readings: usize,
    exact: usize,
    refused: usize,
    otherwise: usize,
    wrong: Vec<String>,
}

/// Loads the driver under readings, with `+` between their names, and counts events.
fn under(planted: &str, step: usize, tally: &mut Tally) {
    let at_start = page::readings().any(|row| row.at_start && row.name() == planted);
    let mut config = machine(at_start).with("reading", planted);
    if planted.starts_with("B-22:") {
        config.set("cluster-on-die", "on");
    }
    let shape = Shape::of(&config);
    thread_local!(static LAST: Made<(Processor, Shape), Asked> = const { RefCell::new(None) });
    let of = (Processor::current(), shape.clone());
    let all = made(&LAST, of, |(_, shape)| all(shape));
    let mut wrong = Vec::new();
    on_computer(&config.machine_word(), |host| {
        let interrupts = if Platform::interrupts() {
            "pmi"
        } else {
            "auto"
        };
        let driver = load(interrupts).expect("the driver loads");
        let log = kernel::print::take().concat();
        let mut seen = Vec::new();
        for run in packed(chosen(&all, planted, step)) {
            seen.extend(count(host, &shape, run));
        }
        for (event, outcome) in &seen {
            let mut rows = effects::of(planted).filter(|row| row.has(event));
            let allowed = match outcome {
                Outcome::Exact => true,
                Outcome::Refused(said) => rows.any(|row| match row.effect {
                    Effect::Refused(words) => said.contains(words) || log.contains(words),
                    _ => false,
                }),
                Outcome::Otherwise(_) => rows.any(|row| row.effect == Effect::Meaning),
            };
            if !allowed {
                wrong.push(format!("{}: {outcome:?}", event.text()));
            }
            *match outcome {
                Outcome::Exact => &mut tally.exact,
                Outcome::Refused(_) => &mut tally.refused,
                Outcome::Otherwise(_) => &mut tally.otherwise,
            } += 1;
        }
        for row in effects::of(planted).filter(|row| all.iter().any(|event| row.has(event))) {
            let is_true = seen.iter().any(|(event, outcome)| {
                row.has(event)
                    && matches!(
                        (row.effect, outcome),
                        (Effect::Refused(_), Outcome::Refused(_))
                            | (Effect::Meaning, Outcome::Otherwise(_))
                            | (Effect::Adds(_) | Effect::AddsOfBox, Outcome::Exact)
                    )
            });
            if !is_true {
                wrong.push(format!("not so: {:?} {}", row.effect, row.events()));
            }
        }
        drop(driver);
        // The requests are those of the usual machine and parameters.
        let _driver = load_without_traffic("auto").expect("the driver loads");
        if !at_start {
            let of_writes = super::without_writes().contains(&planted.to_owned());
            let refusals = mismatched_refusals(step).into_iter();
            // What else is wrong with the request, the driver says later.
            wrong.extend(refusals.filter(|line| !of_writes || !line.contains(super::NEEDS_WRITES)));
        }
        wrong.push(host.command("violations"));
    });
    wrong.retain(|line| !line.is_empty());
    wrong.truncate(8);
    tally.readings += 1;
    tally
        .wrong
        .extend(wrong.iter().map(|line| format!("{planted}: {line}")));
}

/// Returns the outcomes of each reading of the current processor, and of those that act together.
fn under_each(step: usize) -> Tally {
    let names = page::readings().map(|row| row.name());
    let mut all: Vec<String> = names.collect();
    let together = effects::ROWS.iter().map(|row| row.reading);
    let together = together.filter(|names| names.contains('+'));
    let own = together.filter(|names| names.split('+').all(|name| all.contains(&name.to_owned())));
    all.extend(own.map(str::to_owned).collect::<BTreeSet<_>>());
    let mut tally = Tally::default();
    for planted in all {
        under(&planted, step, &mut tally);
    }
    tally
}

#[test]
fn each_event_counts_or_is_refused_under_each_reading() {
    let step = if repeats_all() { 1 } else { STEP };
    let tallies = thread::scope(|scope| {
        let all = Processor::ALL.map(|processor| {
            let run = move || processor.on(|| under_each(step));
            (processor, scope.spawn(run))
        });
        all.map(|(processor, run)| (processor, run.join().expect("no fault of the test")))
    });
    let wrong = tallies.iter().flat_map(|(_, tally)| tally.wrong.clone());
    assert_none(&wrong.collect::<Vec<_>>());
    page::hold_or_write(&tallies);
}
