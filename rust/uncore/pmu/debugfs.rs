// SPDX-License-Identifier: GPL-2.0

//! The driver's directory in debugfs, for root.
//!
//! ```text
//! events       counters and filters that each named event can use
//! overflow     overflow mode of each package, and statistics
//! rejections   last refused requests with the reasons, newest last
//! topology     packages with their CPUs and buses, present boxes with the location of their
//!              registers and filters, missing boxes with the reason
//! ```

use super::sysfs::event::{
    each_named,
    Named,
    Resources, //
};
use crate::{
    linux::{
        debugfs::{
            Content,
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
    _events: File<Page>,
    _overflow: File<Page>,
    _rejections: File<Page>,
    _topology: File<Page>,
}

impl Files {
    /// Creates the directory and its files. Nothing may fail after that.
    #[link_section = ".init.text"]
    pub(crate) fn new(machine: &Arc<Machine>) -> Result<Self> {
        let page = |print| {
            let machine = machine.clone();
            Content::new(Page { machine, print })
        };
        let (events, overflow) = (page(print_events)?, page(print_overflows)?);
        let (rejections, topology) = (page(print_rejections)?, page(print_topology)?);
        let dir = Dir::new(c"uncore_rs")?;
        Ok(Self {
            _events: dir.file(c"events", events),
            _overflow: dir.file(c"overflow", overflow),
            _rejections: dir.file(c"rejections", rejections),
            _topology: dir.file(c"topology", topology),
        })
    }
}

/// Prints a file.
type PrintPage = fn(&Machine, &mut fmt::Formatter<'_>) -> fmt::Result;

/// The content of a file.
struct Page {
    machine: Arc<Machine>,
    print: PrintPage,
}

impl Print for Page {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.print)(&self.machine, f)
    }
}

/// Prints `events`.
fn print_events(machine: &Machine, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for kind in machine.platform.box_types {
        let mut print = |named: &Named| {
            let terms = named.index.terms(kind).ok_or(EINVAL)?;
            let resources = Resources { kind, terms };
            f.write_fmt(fmt!("{} {}{resources}\n", kind.name, named.name))
                .map_err(|_| EFBIG)
        };
        each_named(kind, &mut print).map_err(|_| fmt::Error)?;
    }
    Ok(())
}

/// Prints `overflow`.
fn print_overflows(machine: &Machine, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for package in &machine.packages {
        f.write_fmt(fmt!("package {}: {}", package.number, package.overflow))?;
    }
    Ok(())
}

/// Prints `rejections`.
fn print_rejections(machine: &Machine, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for entry in machine.refused.lock().iter() {
        f.write_fmt(fmt!("{entry}\n"))?;
    }
    Ok(())
}

/// Prints `topology`.
fn print_topology(machine: &Machine, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for package in &machine.packages {
        print_package(f, machine, package)?;
    }
    for (bus, reason) in machine.buses.unmapped() {
        f.write_fmt(fmt!("bus {bus} belongs to no package: {reason}\n"))?;
    }
    Ok(())
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
