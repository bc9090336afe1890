// SPDX-License-Identifier: GPL-2.0

//! The driver's directory in debugfs, for root.
//!
//! ```text
//! events       counters and filters that each named event can use
//! overflow     overflow mode of each package, and statistics
//! rejections   last refused requests with the reasons, newest last
//! survey       experiments with registers, see [`super::survey`]
//! topology     packages with their CPUs and buses, present boxes with the location of their
//!              registers and filters, missing boxes with the reason
//! ```

use super::{
    survey::Survey,
    sysfs::event::{
        each_named,
        Named,
        Resources, //
    }, //
};
use crate::{
    linux::{
        debugfs::{
            DialogFile,
            Dir,
            File,
            Print, //
        },
        topology::Cpu, //
    },
    uncore::machine::{
        inventory::{
            ranges,
            Filters, //
        },
        package::Package,
        Machine, //
    }, //
};
use kernel::{
    fmt,
    prelude::*,
    sync::Arc, //
};

/// The files, removed on drop.
pub(crate) struct Files {
    _events: File<Events>,
    _overflow: File<Overflows>,
    _rejections: File<Rejections>,
    _survey: DialogFile<Survey>,
    _topology: File<Topology>,
}

impl Files {
    /// Creates the directory and its files.
    pub(crate) fn new(machine: &Arc<Machine>) -> Result<Self> {
        let dir = Dir::new(c"uncore_rs")?;
        Ok(Self {
            _events: dir.file(c"events", Events(machine.clone()))?,
            _overflow: dir.file(c"overflow", Overflows(machine.clone()))?,
            _rejections: dir.file(c"rejections", Rejections(machine.clone()))?,
            _survey: dir.dialog(c"survey", Survey::new(machine)?)?,
            _topology: dir.file(c"topology", Topology(machine.clone()))?,
        })
    }
}

/// `events`.
struct Events(Arc<Machine>);

impl Print for Events {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in self.0.platform.box_types {
            let mut print = |named: &Named| {
                let terms = named.index.terms(kind).ok_or(EINVAL)?;
                let resources = Resources { kind, terms };
                f.write_fmt(fmt!("{} {named}{resources}\n", kind.name))
                    .map_err(|_| EFBIG)
            };
            each_named(kind, &mut print).map_err(|_| fmt::Error)?;
        }
        Ok(())
    }
}

/// `overflow`.
struct Overflows(Arc<Machine>);

impl Print for Overflows {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for package in &self.0.packages {
            f.write_fmt(fmt!("package {}: {}", package.number, package.overflow))?;
        }
        Ok(())
    }
}

/// `rejections`.
struct Rejections(Arc<Machine>);

impl Print for Rejections {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for entry in self.0.refused.lock().iter() {
            f.write_fmt(fmt!("{entry}\n"))?;
        }
        Ok(())
    }
}

/// `topology`.
struct Topology(Arc<Machine>);

impl Print for Topology {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for package in &self.0.packages {
            print_package(f, &self.0, package)?;
        }
        for (bus, reason) in self.0.buses.unmapped() {
            f.write_fmt(fmt!("bus {bus} belongs to no package: {reason}\n"))?;
        }
        Ok(())
    }
}

/// Prints the lines of one package.
fn print_package(f: &mut fmt::Formatter<'_>, machine: &Machine, package: &Package) -> fmt::Result {
    write!(f, "package {}:", package.number)?;
    if let Some(physical) = package.physical_number() {
        write!(f, " physical {physical}")?;
    }
    match package.designated() {
        Some(cpu) => f.write_fmt(fmt!(" cpu {cpu}{}", Numa(cpu)))?,
        None => f.write_str(" offline")?,
    }
    if let Some(at) = machine.buses.bus_of(package.number) {
        f.write_fmt(fmt!(" bus {}", at.bus))?;
        if let Some(node) = at.node {
            write!(f, " node {node}")?;
        }
    }
    f.write_str("\n")?;
    for uncore_box in &package.boxes {
        if let (None, Some(location)) = (uncore_box.absence(), uncore_box.location()) {
            f.write_fmt(fmt!(
                "  {} {location}{}\n",
                uncore_box.name,
                Filters(uncore_box)
            ))?;
        }
    }
    for range in ranges(package) {
        if let Some(absence) = range.absence {
            f.write_fmt(fmt!("  {range} missing: {absence}\n"))?;
        }
    }
    Ok(())
}

/// The NUMA node of a CPU, ` numa 0`; nothing if firmware does not give it.
struct Numa(Cpu);

impl fmt::Display for Numa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.node() {
            Some(node) => write!(f, " numa {node}"),
            None => Ok(()),
        }
    }
}
