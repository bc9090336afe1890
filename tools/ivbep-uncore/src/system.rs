// SPDX-License-Identifier: GPL-2.0

//! The system as the module shows it: what its files say, and nothing that they
//! do not.
//!
//! A PMU is the module's if its `identifier` says so, whatever it is called. A
//! file that makes no sense is a [`Defect`]; everything else is still read.

mod driver;
mod event;
mod format;
mod host;
mod installed;
mod map;
mod overflow;
mod pmu;
mod rejection;
mod resources;
mod running;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::root::Root;

pub use driver::Driver;
pub(crate) use event::number;
pub use event::{Event, Term, Value};
pub use format::{Format, Word, Words};
pub use host::{Cpu, Host};
pub(crate) use installed::{dkms_version, is_in_dkms};
pub use installed::{module_file, Absence, Kernel, OLDEST};
pub use map::{Filters, Map, Missing, Package, Placed};
pub use overflow::Overflow;
pub use pmu::{Caps, Pmu};
pub use rejection::Rejection;
pub use resources::{AllResources, Resources};
pub use running::Program;

/// The module's name, and that of its directory in debugfs.
pub const MODULE: &str = "ivbep_uncore";

/// The kernel's own driver of the same counters.
pub const IN_TREE: &str = "intel_uncore";

/// Where PMUs are.
pub const DEVICES: &str = "sys/bus/event_source/devices";

/// A file that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Which.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.what)
    }
}

/// A system and the module's PMUs on it.
#[derive(Debug)]
pub struct System {
    /// Where its files are.
    pub root: Root,
    /// The module's PMUs, by unit and index.
    pub pmus: Vec<Pmu>,
    /// PMUs that are called as those of intel_uncore, and are not the module's.
    pub foreign: Vec<String>,
}

impl System {
    /// Reads the PMUs of the system under a directory.
    ///
    /// # Errors
    ///
    /// If there is no such directory, or its PMUs cannot be listed.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let root = Root::new(directory)?;
        let mut system = Self {
            pmus: Vec::new(),
            foreign: Vec::new(),
            root,
        };
        for name in system.root.names(DEVICES)? {
            if pmu::is_of_module(&system.root, &name) {
                system.pmus.push(Pmu::read(&system.root, name));
            } else if name.starts_with("uncore_") {
                system.foreign.push(name);
            }
        }
        let key = |pmu: &Pmu| (pmu.unit.clone(), pmu.index);
        system.pmus.sort_by_key(key);
        Ok(system)
    }

    /// The same, where nothing can be done without PMUs.
    ///
    /// # Errors
    ///
    /// As [`System::read`], and if there are none.
    pub fn with_pmus(directory: &Path) -> Result<Self, Error> {
        let system = Self::read(directory)?;
        if system.pmus.is_empty() {
            Err(Error::NoPmus(system.root.path(DEVICES)))
        } else {
            Ok(system)
        }
    }

    /// Files of PMUs that make no sense, of those that were read.
    pub fn defects(&self) -> impl Iterator<Item = &Defect> {
        self.pmus.iter().flat_map(Pmu::defects)
    }

    /// The same, after all were read.
    pub fn all_defects(&self) -> impl Iterator<Item = &Defect> {
        for pmu in &self.pmus {
            let _ = pmu.events();
        }
        self.defects()
    }

    /// The PMUs that perf takes a name for: one of them by its name or alias, or
    /// all boxes of a unit. The module's prefix may be left out.
    #[must_use]
    pub fn pmus_called(&self, name: &str) -> Vec<&Pmu> {
        let having = |test: &dyn Fn(&&Pmu) -> bool| self.pmus.iter().filter(test).collect();
        let exact: Vec<&Pmu> = having(&|pmu| pmu.is_called(name));
        if exact.is_empty() {
            having(&|pmu| pmu.is_of(name))
        } else {
            exact
        }
    }

    /// The units there are, sorted.
    #[must_use]
    pub fn units(&self) -> Vec<&str> {
        let mut units: Vec<&str> = self.pmus.iter().map(|pmu| pmu.unit.as_str()).collect();
        units.dedup();
        units
    }

    /// Packages, buses and boxes.
    ///
    /// # Errors
    ///
    /// If the module's files about them cannot be read.
    pub fn map(&self) -> Result<Map, Error> {
        Map::read(self)
    }

    /// What the module refused lately, oldest first.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn rejections(&self) -> Result<Vec<Rejection>, Error> {
        let text = self.root.text(&debug_file("rejections"))?;
        Ok(text.lines().filter_map(Rejection::parse).collect())
    }

    /// Why the module refused an event of this PMU last, if it did.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn last_reason(&self, pmu: &Pmu) -> Result<Option<String>, Error> {
        let (name, all) = (pmu.box_name(), self.rejections()?);
        let mut latest_first = all.into_iter().rev();
        let last = latest_first.find(|rejection| rejection.box_name == name);
        Ok(last.map(|rejection| rejection.reason))
    }

    /// The PMUs that this CPU counts for.
    pub fn pmus_on(&self, cpu: u32) -> impl Iterator<Item = &Pmu> {
        let all = self.pmus.iter();
        all.filter(move |pmu| pmu.cpus.contains(&cpu))
    }

    /// Which counters and filters each event can use.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn resources(&self) -> Result<AllResources, Error> {
        Ok(resources::parse(&self.root.text(&debug_file("events"))?))
    }

    /// How overflows are noticed in each package.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn overflows(&self) -> Result<Vec<Overflow>, Error> {
        Ok(Overflow::parse(&self.root.text(&debug_file("overflow"))?))
    }

    /// A parameter of the module.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<String> {
        let path = format!("sys/module/{MODULE}/parameters/{name}");
        self.root.optional(&path).ok().flatten()
    }
}

/// A file of the module in debugfs.
fn debug_file(name: &str) -> String {
    format!("sys/kernel/debug/{MODULE}/{name}")
}

/// The numbers of a list as the kernel prints it, `0-3,8`.
fn numbers(text: &str) -> Option<Vec<u32>> {
    /// More CPUs than any kernel takes.
    const MOST: u32 = 1 << 16;
    let mut all = Vec::new();
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        if from > to || to >= MOST {
            return None;
        }
        all.extend(from..=to);
        if all.len() > MOST as usize {
            return None;
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lists_of_numbers() {
        assert_eq!(numbers(""), Some(vec![]));
        assert_eq!(numbers("0,2"), Some(vec![0, 2]));
        assert_eq!(numbers("0-2,7\n"), Some(vec![0, 1, 2, 7]));
        for bad in ["x", "1-", "3-1", "0-4294967295", "99999999999", "-1"] {
            assert_eq!(numbers(bad), None, "{bad}");
        }
    }
}
