// SPDX-License-Identifier: GPL-2.0

//! Environment of the fuzzer: a machine on which one of two packages lacks some boxes and
//! filters, so that the validity of a request depends on its package. A client has one
//! package, with all its boxes.

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
    pub(super) kind: BoxKind,
    /// Instance of the box; 0 for the IRP, whose events select their set.
    pub(super) instance: u8,
    /// Type number of the PMU in the kernel.
    number: u32,
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
        let number = |pmu: &str| {
            let prefix = format!("{pmu}/type:");
            let mut lines = types.lines();
            let number = lines.find_map(|line| line.strip_prefix(&prefix)?.parse().ok());
            number.unwrap_or_else(|| panic!("{pmu} has no type:\n{types}"))
        };
        let pmus = shape.pmus().into_iter().map(|(kind, instance)| Pmu {
            kind,
            instance,
            number: number(&kind.pmu(instance)),
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
        let pmus = (100..).zip(shape.pmus());
        let pmus = pmus.map(|(number, (kind, instance))| Pmu {
            kind,
            instance,
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
