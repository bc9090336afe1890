// SPDX-License-Identifier: GPL-2.0

//! The system as the files of the module show it.
//!
//! Names and identifiers tell which PMUs belong to the module, and their platform. A file with invalid
//! contents is a [`Defect`]; all other files are still read.

mod distribution;
mod driver;
mod event;
mod format;
mod host;
mod installed;
mod machine;
mod map;
mod numa;
mod overflow;
mod pmu;
mod rejection;
mod resources;
mod running;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::platform::Platform;
use crate::root::Root;

pub use distribution::Distribution;
pub use driver::Driver;
pub(crate) use event::number;
pub use event::{Event, Term, Value};
pub use format::{Format, Word, Words};
pub(crate) use host::value;
pub use host::{Cpu, Host};
pub(crate) use installed::{dkms_version, is_in_dkms};
pub use installed::{module_file, module_is_built_in, Absence, Kernel, OLDEST, TESTED};
pub use map::{Filters, Map, Missing, Package, Placed};
pub use overflow::Overflow;
pub(crate) use overflow::{lacks_interrupts, tampered};
pub use pmu::{Caps, Pmu};
pub use rejection::Rejection;
pub use resources::{AllResources, Resources};
pub use running::Program;
pub(crate) use running::{holders, msr_holders, runs_export};

/// Name of the module and of its directory in debugfs.
pub const MODULE: &str = "uncore_rs";

/// Name of the module before version 0.2.0.
pub const FORMER: &str = "ivbep_uncore";

/// Path of its file of modprobe.
pub const FORMER_FILE: &str = "etc/modprobe.d/ivbep-uncore.conf";

/// The kernel's own driver of the counters.
pub const IN_TREE: &str = "intel_uncore";

/// Directory of the PMUs.
pub const DEVICES: &str = "sys/bus/event_source/devices";

/// File with invalid contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Path of the file.
    pub path: PathBuf,
    /// Fault of its contents.
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
    /// Directory of the files.
    pub root: Root,
    /// PMUs of the module, by unit and index.
    pub pmus: Vec<Pmu>,
    /// Other PMUs, with names as those of intel_uncore.
    pub foreign: Vec<String>,
}

impl System {
    /// Reads the PMUs of the system under a directory. Fails if there is no such
    /// directory, or its PMUs cannot be listed.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let root = Root::new(directory)?;
        let mut system = Self {
            pmus: Vec::new(),
            foreign: Vec::new(),
            root,
        };
        for name in system.root.names(DEVICES)? {
            if let Some(platform) = pmu::platform(&system.root, &name) {
                system.pmus.push(Pmu::read(&system.root, name, platform));
            } else if name.starts_with("uncore_") {
                system.foreign.push(name);
            }
        }
        let key = |pmu: &Pmu| (pmu.unit.clone(), pmu.index);
        system.pmus.sort_by_key(key);
        Ok(system)
    }

    /// Reads the PMUs, for a command that needs them all. Fails if there are none, or if the module
    /// adds or removes them just now.
    pub fn with_pmus(directory: &Path) -> Result<Self, Error> {
        match module_state(&Root::new(directory)?)?.as_deref() {
            Some("coming") => return Err(Error::Loading),
            Some("going") => return Err(Error::Unloading),
            _ => {}
        }
        let system = Self::read(directory)?;
        system.platform()?;
        Ok(system)
    }

    /// Returns the invalid files among the files that were read.
    pub fn defects(&self) -> impl Iterator<Item = &Defect> {
        self.pmus.iter().flat_map(Pmu::defects)
    }

    /// Reads all files, and returns the invalid ones.
    pub fn all_defects(&self) -> impl Iterator<Item = &Defect> {
        for pmu in &self.pmus {
            let _ = pmu.events();
        }
        self.defects()
    }

    /// Returns the PMUs that a name means in perf: one by its name or alias, or all boxes
    /// of a unit. The prefix may be left out.
    pub fn pmus_called(&self, name: &str) -> Vec<&Pmu> {
        let having = |test: &dyn Fn(&&Pmu) -> bool| self.pmus.iter().filter(test).collect();
        let exact: Vec<&Pmu> = having(&|pmu| pmu.is_called(name));
        if exact.is_empty() {
            having(&|pmu| pmu.is_of(name))
        } else {
            exact
        }
    }

    /// Returns the platform of the PMUs. Fails if there are none.
    pub fn platform(&self) -> Result<&'static Platform, Error> {
        let first = self.pmus.first().map(|pmu| pmu.platform);
        first.ok_or_else(|| Error::NoPmus(self.root.path(DEVICES)))
    }

    /// Returns the sorted units.
    pub fn units(&self) -> Vec<&str> {
        let mut units: Vec<&str> = self.pmus.iter().map(|pmu| pmu.unit.as_str()).collect();
        units.dedup();
        units
    }

    /// Reads the requests that the module refused recently, oldest first: of all users, or of this one
    /// if only root may read those.
    pub fn rejections(&self) -> Result<Vec<Rejection>, Error> {
        let text = self.refusals()?;
        Ok(text.lines().filter_map(Rejection::parse).collect())
    }

    /// Reads the file of all refusals, or that of the user's own.
    fn refusals(&self) -> Result<String, Error> {
        let all = self.root.text(&debug_file("rejections"));
        all.or_else(|error| {
            let own = self.root.text(&format!("sys/module/{MODULE}/rejections"));
            own.map_err(|_| error)
        })
    }

    /// Returns the reason of the last refusal of an event of this PMU, or of one of these events.
    pub fn last_reason(&self, pmu: &Pmu, words: Option<&Words>) -> Result<Option<String>, Error> {
        let name = pmu.box_name();
        let mut latest_first = self.rejections()?.into_iter().rev();
        let last = latest_first
            .find(|one| one.box_name == name && words.is_none_or(|words| one.words == *words));
        Ok(last.map(|rejection| rejection.reason))
    }

    /// Returns why the module has just refused an event of this PMU with this error.
    pub(crate) fn why_refused(&self, pmu: &Pmu, words: &Words, error: &io::Error) -> String {
        let reason = self.last_reason(pmu, Some(words)).ok().flatten();
        reason.unwrap_or_else(|| format!("{error}; the module remembers no reason"))
    }

    /// Returns the PMUs for which this CPU counts.
    pub fn pmus_on(&self, cpu: u32) -> impl Iterator<Item = &Pmu> {
        let all = self.pmus.iter();
        all.filter(move |pmu| pmu.cpus.contains(&cpu))
    }

    /// Reads the counters and filters that each event can use.
    pub fn resources(&self) -> Result<AllResources, Error> {
        Ok(resources::parse(&self.root.text(&debug_file("events"))?))
    }

    /// Reads the overflow detection of each package.
    pub fn overflows(&self) -> Result<Vec<Overflow>, Error> {
        Ok(Overflow::parse(&self.root.text(&debug_file("overflow"))?))
    }
}

/// Returns the kernel's word for the state of the module; `None` if it is not there.
fn module_state(root: &Root) -> Result<Option<String>, Error> {
    root.optional(&format!("sys/module/{MODULE}/initstate"))
}

/// Returns the path of a file of the module in debugfs.
pub(crate) fn debug_file(name: &str) -> String {
    format!("sys/kernel/debug/{MODULE}/{name}")
}

/// Parses a list of numbers as the kernel prints it, `0-3,8`.
pub(crate) fn numbers(text: &str) -> Option<Vec<u32>> {
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
