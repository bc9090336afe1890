// SPDX-License-Identifier: GPL-2.0

//! Events that a run opens: those of counters that are programmed, occupancies that another
//! counter shows, and counters that always run.

use std::collections::BTreeMap;
use uncore_e2e::prelude::*;

/// An event to count.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    /// An event of a counter that is programmed.
    Programmed(Probe),
    /// COUNTER0_OCCUPANCY, in the group of the occupancy that it shows.
    Shown { view: Probe, leader: Probe },
    /// A counter that always runs.
    Running(Running),
}

/// A counter that always runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Running {
    /// Of the core that counts for a package.
    Residency(Residency),
    /// Of this QPI port.
    Link(Link, u8),
    /// Of a client's memory controller.
    Memory(MemoryCounter),
}

/// The CPU that counts for each package, and its core.
pub(super) struct Places(BTreeMap<u8, (u16, u8)>);

impl Places {
    /// Finds them: the first CPU of each package.
    pub(super) fn of(session: &mut Session) -> Self {
        let packages = session.package_of_cpus().into_iter().rev();
        let first: BTreeMap<u8, u16> = packages.map(|(cpu, package)| (package, cpu)).collect();
        let places = first.into_iter();
        let places = places.map(|(package, cpu)| (package, (cpu, session.core_of(cpu))));
        Self(places.collect())
    }

    pub(super) fn cpu(&self, package: u8) -> u16 {
        self.0[&package].0
    }

    fn core(&self, package: u8) -> u8 {
        self.0[&package].1
    }

    /// Returns the number of packages.
    fn packages(&self) -> u8 {
        u8::try_from(self.0.len()).expect("a few packages")
    }
}

/// Returns the events that are more than a row of the catalogue, on every box.
pub(super) fn others(shape: &Shape) -> Vec<Asked> {
    let of_cores = Residency::all().iter();
    let of_cores = of_cores.map(|residency| Asked::Running(Running::Residency(*residency)));
    let mut all: Vec<Asked> = of_cores.collect();
    all.extend((0..shape.most(BoxKind::Qpi)).flat_map(|port| {
        let links = Link::all().iter();
        links.map(move |link| Asked::Running(Running::Link(*link, port)))
    }));
    let memory = MemoryCounter::all().iter();
    all.extend(memory.map(|counter| Asked::Running(Running::Memory(*counter))));
    if BoxKind::Cbox.exists() && Catalogue::get().has(BoxKind::Cbox, "counter0_occupancy") {
        all.extend((0..shape.most(BoxKind::Cbox)).flat_map(shown));
    }
    all
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

impl Asked {
    /// Returns the event as perf takes it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => probe.event().to_string(),
            Self::Running(running) => format!("{}/{}/", running.pmu(), running.event()),
        }
    }

    /// Returns what its counter is programmed with; `None` if that always runs.
    pub(super) fn probe(&self) -> Option<&Probe> {
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => Some(probe),
            Self::Running(_) => None,
        }
    }

    /// Returns the name of its box, and its number among boxes of this name: the IRP's set.
    pub(super) fn site(&self) -> (String, u8) {
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => {
                (probe.kind.box_name(probe.instance), probe.instance)
            }
            Self::Running(running) => running.site(),
        }
    }

    /// Returns true if it is on the first box of its type. The instances of an IRP are sets of
    /// counters of one box.
    pub(super) fn is_on_first(&self) -> bool {
        let is_irp = |probe: &Probe| probe.kind == BoxKind::Irp;
        self.site().1 == 0 || self.probe().is_some_and(is_irp)
    }

    /// Returns the packages that have its box.
    pub(super) fn packages(&self, shape: &Shape) -> Vec<u8> {
        match self {
            Self::Programmed(probe) | Self::Shown { view: probe, .. } => {
                shape.having(probe.kind, probe.instance)
            }
            Self::Running(Running::Link(_, port)) => shape.having(BoxKind::Qpi, *port),
            Self::Running(_) => shape.packages(),
        }
    }

    /// Returns the steps of `perf-open` that open it under a name; none if the driver offers no
    /// such event.
    pub(super) fn open(&self, session: &mut Session, name: &str, cpu: u16) -> Vec<String> {
        match self {
            Self::Programmed(probe) => vec![probe.open(name, cpu)],
            Self::Shown { view, leader } => {
                let first = format!("leader-of-{name}");
                vec![leader.open(&first, cpu), view.open_in(name, cpu, &first)]
            }
            Self::Running(running) => {
                let opened = running.open(session, name, cpu);
                opened.into_iter().collect()
            }
        }
    }

    /// Returns the count that a burst adds in a package.
    pub(super) fn count(&self, package: u8, places: &Places, uclk: u64) -> u64 {
        match self {
            Self::Programmed(probe) => probe.count_among(places.packages(), package, uclk),
            Self::Shown { view, leader } => {
                let Setting { thresh, edge, .. } = view.setting;
                leader.beside(thresh, edge).shows.count(package, uclk)
            }
            Self::Running(Running::Residency(residency)) => {
                residency.count(package, places.core(package), uclk)
            }
            Self::Running(Running::Link(link, port)) => link.count(*port, package, uclk),
            Self::Running(Running::Memory(counter)) => counter.count(uclk),
        }
    }
}

impl Running {
    fn pmu(self) -> String {
        match self {
            Self::Residency(_) => BoxKind::Pcu.pmu(0),
            Self::Link(_, port) => BoxKind::Qpi.pmu(port),
            Self::Memory(_) => MemoryCounter::pmu(),
        }
    }

    fn event(self) -> &'static str {
        match self {
            Self::Residency(residency) => residency.event(),
            Self::Link(link, _) => link.event(),
            Self::Memory(counter) => counter.event,
        }
    }

    fn site(self) -> (String, u8) {
        match self {
            Self::Residency(_) => (BoxKind::Pcu.box_name(0), 0),
            Self::Link(_, port) => (BoxKind::Qpi.box_name(port), port),
            Self::Memory(_) => (MemoryCounter::BOX.to_owned(), 0),
        }
    }

    fn open(self, session: &mut Session, name: &str, cpu: u16) -> Option<String> {
        if let Self::Memory(counter) = self {
            return Some(counter.open(name, cpu));
        }
        let pmu = self.pmu();
        let code = session.find_event_config(&pmu, self.event())?;
        Some(Words([code, 0, 0]).open(&pmu, name, cpu))
    }
}
