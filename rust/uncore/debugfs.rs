// SPDX-License-Identifier: GPL-2.0

//! The driver's directory in debugfs, readable by root.
//!
//! ```text
//! events       which counters and filters each named event can use
//! overflow     how the overflows of each package are noticed, and what has come of that
//! rejections   the last requests that were refused and why, newest last
//! topology     packages, their CPUs and buses, boxes with their registers and those of their
//!              filters, boxes that are missing
//! ```

use super::{
    inventory::{
        runs,
        Filters, //
    },
    machine::Machine,
    package::Package,
    sysfs::{
        named,
        Resources, //
    },
};
use crate::linux::{
    debugfs::{
        Dir,
        File,
        Print, //
    },
    topology::Cpu, //
};
use kernel::{
    fmt,
    prelude::*,
    str::CString,
    sync::Arc, //
};

/// The files; gone when this is dropped.
pub(super) struct Files {
    _events: File<Events>,
    _overflow: File<Overflows>,
    _rejections: File<Rejections>,
    _topology: File<Topology>,
}

impl Files {
    /// Makes the files.
    pub(super) fn new(machine: &Arc<Machine>) -> Result<Self> {
        let name = CString::try_from_fmt(fmt!("{}_uncore", machine.platform.name))?;
        let dir = Dir::new(&name)?;
        Ok(Self {
            _events: dir.file(c"events", Events(machine.clone()))?,
            _overflow: dir.file(c"overflow", Overflows(machine.clone()))?,
            _rejections: dir.file(c"rejections", Rejections(machine.clone()))?,
            _topology: dir.file(c"topology", Topology(machine.clone()))?,
        })
    }
}

/// `events`.
struct Events(Arc<Machine>);

impl Print for Events {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in self.0.platform.box_types {
            for named in named(kind) {
                let resources = Resources { kind, named };
                f.write_fmt(fmt!("{} {}{resources}\n", kind.name, named.name))?;
            }
        }
        Ok(())
    }
}

/// `overflow`.
struct Overflows(Arc<Machine>);

impl Print for Overflows {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for package in &self.0.packages {
            f.write_fmt(fmt!("package {}: {}", package.number, *package.overflow))?;
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
        for (bus, why) in self.0.buses.misplaced() {
            f.write_fmt(fmt!("bus {bus} belongs to no package: {why}\n"))?;
        }
        Ok(())
    }
}

fn print_package(f: &mut fmt::Formatter<'_>, machine: &Machine, package: &Package) -> fmt::Result {
    write!(f, "package {}:", package.number)?;
    if let Some(physical) = package.physical() {
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
    for seat in &package.seats {
        if let (None, Some(registers)) = (seat.absence(), seat.registers()) {
            f.write_fmt(fmt!("  {} {registers}{}\n", seat.name, Filters(seat)))?;
        }
    }
    for run in runs(package) {
        if let Some(absence) = run.absence {
            f.write_fmt(fmt!("  {run} missing: {absence}\n"))?;
        }
    }
    Ok(())
}

/// ` numa 0`, if the firmware says on which NUMA node the CPU is.
struct Numa(Cpu);

impl fmt::Display for Numa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.node() {
            Some(node) => write!(f, " numa {node}"),
            None => Ok(()),
        }
    }
}
