// SPDX-License-Identifier: GPL-2.0

//! Environment of the fuzzer: a machine on which one of two packages lacks some boxes and
//! filters, so that the validity of a request depends on its package. A client has one
//! package, with all its boxes.

use super::composed::Composed;
use super::operation::Target;
#[cfg(test)]
use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;

/// Type of the kernel's software events.
const SOFTWARE: u32 = 1;

/// A type without a PMU.
const NOBODY: u32 = 0x00ff_fff0;

/// The port whose match and mask registers the second package lacks.
const HIDDEN_PORT: u8 = 1;

/// One of our PMUs.
#[derive(Clone, Debug)]
pub(super) struct Pmu {
    pub(super) name: String,
    pub(super) events: Events,
    /// Type number of the PMU in the kernel.
    number: u32,
}

/// Events of a PMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Events {
    /// Those that the catalogue lists for the type of the box, on this instance; 0 for the IRP,
    /// whose events select their set.
    Listed(BoxKind, u8),
    Composed(Composed),
    /// Counters of the memory controller, which always run.
    Memory,
}

impl Events {
    /// Returns true if the PMUs are of boxes of one type.
    fn are_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Listed(kind, _), Self::Listed(other, _)) => kind == other,
            _ => self == other,
        }
    }
}

/// Properties of the machine that decide which events are valid.
#[derive(Clone, Debug)]
pub(super) struct Env {
    pub(super) pmus: Vec<Pmu>,
    /// The package of each CPU.
    packages: Vec<u8>,
    /// CPU that counts for each package.
    readers: Vec<i32>,
    /// Events of counters that always run, with the codes that the driver chooses.
    running: Vec<(BoxKind, u64)>,
    shape: Shape,
}

/// Returns the machine to fuzz on.
pub(super) fn config() -> Config {
    let machine = Platform::uneven_machine();
    match packet_functions().get(usize::from(HIDDEN_PORT)) {
        Some(function) => machine.with("hidden", &format!("ff:{function}")),
        None => machine,
    }
}

impl Env {
    /// Reads the environment of a session.
    pub(super) fn of(session: &mut Session) -> Self {
        let shape = Shape::of(&config());
        let ours = Platform::current().pmu("*");
        let types = session.ok(&format!("cd {DEVICES}; grep -H '' {ours}/type"));
        let number = |pmu: &str| -> u32 {
            let prefix = format!("{pmu}/type:");
            let mut lines = types.lines();
            let number = lines.find_map(|line| line.strip_prefix(&prefix)?.parse().ok());
            number.unwrap_or_else(|| panic!("{pmu} has no type:\n{types}"))
        };
        let pmus = pmus(&shape).into_iter().map(|(name, events)| Pmu {
            number: number(&name),
            name,
            events,
        });
        let pmus = pmus.collect();
        let everywhere = shape.pmus().into_iter().find(|&(kind, instance)| {
            let packages = shape.having(kind, instance);
            packages == shape.packages()
        });
        let (kind, instance) = everywhere.expect("a box that each package has");
        let readers = session.cpumask(&kind.pmu(instance));
        let readers = readers.into_iter().map(i32::from).collect();
        let running = always_running().into_iter().map(|(kind, event)| {
            let code = session.event_config(&kind.pmu(0), event);
            (kind, code)
        });
        let running = running.collect();
        let packages = session.package_of_cpus().into_values().collect();
        Self {
            pmus,
            packages,
            readers,
            running,
            shape,
        }
    }

    /// Returns an environment for tests, as a session might have it.
    #[cfg(test)]
    pub(super) fn example() -> Self {
        let shape = Shape::of(&config());
        let running = always_running().into_iter().zip([0, 1].into_iter().cycle());
        let running = running.map(|((kind, _), number)| {
            let (_, select) = field(kind, "event").expect("an event select");
            (kind, select & !1 | number)
        });
        let packages = Platform::packages();
        let pmus = (100..).zip(pmus(&shape));
        let pmus = pmus.map(|(number, (name, events))| Pmu {
            name,
            events,
            number,
        });
        Self {
            pmus: pmus.collect(),
            packages: packages.iter().flat_map(|&package| [package; 2]).collect(),
            readers: packages
                .iter()
                .map(|&package| 2 * i32::from(package))
                .collect(),
            running: running.collect(),
            shape,
        }
    }

    /// Returns the index of a PMU.
    #[cfg(test)]
    pub(super) fn pmu(&self, name: &str) -> usize {
        let index = self.pmus.iter().position(|pmu| pmu.name == name);
        index.unwrap_or_else(|| panic!("no {name}"))
    }

    /// Returns the indices of the PMUs, apart by type of box.
    pub(super) fn types(&self) -> Vec<Vec<usize>> {
        let mut types: Vec<Vec<usize>> = Vec::new();
        for (index, pmu) in self.pmus.iter().enumerate() {
            let is_like = |of: &&mut Vec<usize>| self.pmus[of[0]].events.are_like(pmu.events);
            match types.iter_mut().find(is_like) {
                Some(of) => of.push(index),
                None => types.push(vec![index]),
            }
        }
        types
    }

    pub(super) fn type_of(&self, target: Target) -> u32 {
        match target {
            Target::Ours(pmu) => self.pmus[pmu].number,
            Target::Software => SOFTWARE,
            Target::Nobody => NOBODY,
        }
    }

    pub(super) fn cpus(&self) -> usize {
        self.packages.len()
    }

    /// Returns the package of a CPU, `None` if there is no such CPU.
    pub(super) fn package(&self, cpu: i32) -> Option<u8> {
        let cpu = usize::try_from(cpu).ok()?;
        self.packages.get(cpu).copied()
    }

    /// Returns the CPU that events of a package are moved to.
    pub(super) fn reader(&self, package: u8) -> i32 {
        self.readers[usize::from(package)]
    }

    /// Returns the events of a type of box that counters count which always run.
    pub(super) fn running(&self, kind: BoxKind) -> Vec<u64> {
        let of_kind = self.running.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, code)| *code).collect()
    }

    pub(super) fn has_box(&self, kind: BoxKind, instance: u8, package: u8) -> bool {
        self.shape.having(kind, instance).contains(&package)
    }

    /// Returns whether the package has the filter registers of the box.
    pub(super) fn has_filters(kind: BoxKind, instance: u8, package: u8) -> bool {
        (kind, instance, package) != (BoxKind::Qpi, HIDDEN_PORT, 1)
    }
}

/// Returns the names of the PMUs of a machine, each with its events.
fn pmus(shape: &Shape) -> Vec<(String, Events)> {
    let listed = shape.pmus().into_iter();
    let listed = listed.map(|(kind, instance)| {
        let events = Events::Listed(kind, instance);
        (kind.pmu(instance), events)
    });
    let others = Platform::current().other_pmus();
    let all = listed.chain(others.map(|name| (name, Events::Memory)));
    all.map(|(name, events)| {
        let composed = Composed::of_pmu(&name).map(Events::Composed);
        (name, composed.unwrap_or(events))
    })
    .collect()
}
