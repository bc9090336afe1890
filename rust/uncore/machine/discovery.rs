// SPDX-License-Identifier: GPL-2.0

//! Maps PCI buses to packages.
//!
//! Every package has one *locator*, a PCI function on its uncore bus with two registers:
//!
//! ```text
//! locator --> node ID of the package  --+
//!         --> group map: node IDs of    +--> group = physical package --> logical package
//!             group 0, 1, 2, ...      --+        (first group that has the node ID)
//! ```
//!
//! A map may have a group for each NUMA node, on packages that are several nodes each. It is taken
//! for such a map if only that gives each locator a package of its own.
//!
//! A bus without a locator belongs to the package of the next higher bus that has one: the uncore
//! bus is a package's highest, its I/O bus is below. With more than eight NUMA nodes the three
//! bits of a node ID do not suffice. The NUMA node that firmware gives for the bus is used instead.
//!
//! A bus is left unmapped, with the lower buses that depend on it, if its node ID is in no group, if
//! its package has no CPU, or if two locators claim one package. [`map`] accesses no hardware.

use crate::{
    linux::{
        pci,
        topology::{
            self,
            Cpu, //
        }, //
    },
    uncore::table::box_type::{
        Discovery,
        Platform, //
    }, //
};
use kernel::{
    fmt,
    prelude::*, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// Number of groups in a map.
const GROUPS: u32 = 8;

/// Width of a node ID in a map, in bits.
const GROUP_BITS: u32 = 3;

/// Largest number of NUMA nodes for which node IDs tell packages apart.
const MOST_NODES: u32 = 8;

/// A bus of a PCI segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PciBus {
    /// PCI segment.
    pub(crate) domain: u32,
    /// Bus number.
    pub(crate) number: u8,
}

impl fmt::Display for PciBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}", self.domain, self.number)
    }
}

impl From<pci::Address> for PciBus {
    fn from(address: pci::Address) -> Self {
        Self {
            domain: address.domain,
            number: address.bus,
        }
    }
}

/// Content of a locator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Locator {
    /// Bus of the locator.
    pub(crate) bus: PciBus,
    /// Node ID register and group map; `None` if they cannot be read.
    pub(crate) registers: Option<(u32, u32)>,
    /// NUMA node that firmware gives for the bus.
    pub(crate) numa_node: Option<u32>,
}

/// The kernel's view of packages.
pub(crate) struct KernelTopology<P, N> {
    /// Maps a physical package to its logical number.
    pub(crate) package: P,
    /// Maps a NUMA node to the logical package of its CPUs.
    pub(crate) package_of_node: N,
    /// Number of NUMA nodes that the machine can have.
    pub(crate) nodes: u32,
}

/// Meaning of the groups of a map.
#[derive(Clone, Copy)]
enum Groups {
    Packages,
    Nodes,
}

/// The reason why a bus belongs to no package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnmappedReason {
    /// The registers of the locator cannot be read.
    Unreadable,
    /// No group has the node ID.
    NoGroup {
        /// The node ID.
        node: u32,
        /// The group map.
        map: u32,
    },
    /// The package of the group has no CPU.
    NoPackage {
        /// The physical package.
        group: u32,
    },
    /// Another bus claims this package.
    Duplicate {
        /// The other bus.
        other: PciBus,
        /// The logical package.
        package: u32,
    },
    /// More than eight NUMA nodes, and no package for the bus from firmware.
    NoNode,
    /// Neither the bus nor a higher one has a locator.
    NoLocator,
}

impl fmt::Display for UnmappedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UnmappedReason::Unreadable => f.write_str("its locator cannot be read"),
            UnmappedReason::NoGroup { node, map } => {
                write!(
                    f,
                    "its node ID {node} is in no group of the map {map:#010x}"
                )
            }
            UnmappedReason::NoPackage { group } => {
                write!(
                    f,
                    "it belongs to physical package {group}, which has no CPU"
                )
            }
            UnmappedReason::Duplicate { other, package } => {
                f.write_fmt(fmt!("bus {other} also claims package {package}"))
            }
            UnmappedReason::NoNode => f.write_str(
                "there are more than 8 NUMA nodes, and firmware does not give the node of the bus",
            ),
            UnmappedReason::NoLocator => f.write_str("neither it nor a higher bus has a locator"),
        }
    }
}

/// A bus that has a locator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LocatedBus {
    pub(crate) bus: PciBus,
    /// Node ID from the locator.
    pub(crate) node: Option<u32>,
    /// Logical package of the bus.
    package: Result<u32, UnmappedReason>,
}

/// The buses that have a locator, and their packages.
pub(crate) struct Buses(KVec<LocatedBus>);

impl Buses {
    /// The buses of a platform that needs none.
    pub(crate) fn none() -> Self {
        Self(KVec::new())
    }

    /// Returns the logical package of any bus.
    pub(crate) fn package(&self, bus: PciBus) -> Result<u32, UnmappedReason> {
        self.0
            .iter()
            .filter(|at| at.bus.domain == bus.domain && at.bus >= bus)
            .min_by_key(|at| at.bus)
            .map_or(Err(UnmappedReason::NoLocator), |at| at.package)
    }

    /// Returns the bus of a package's locator.
    pub(crate) fn bus_of(&self, package: u32) -> Option<&LocatedBus> {
        self.0.iter().find(|at| at.package == Ok(package))
    }

    /// Returns the buses that have a locator but belong to no package.
    pub(crate) fn unmapped(&self) -> impl Iterator<Item = (PciBus, UnmappedReason)> + '_ {
        self.0
            .iter()
            .filter_map(|at| Some((at.bus, at.package.err()?)))
    }
}

/// Maps the PCI buses to packages and logs those that belong to none.
///
/// # Errors
///
/// [`ENOMEM`].
pub(crate) fn find(platform: &'static Platform) -> Result<Buses> {
    let Some(table) = &platform.discovery else {
        return Ok(Buses::none());
    };
    let kernel = KernelTopology {
        package: topology::logical_package,
        package_of_node,
        nodes: topology::possible_nodes(),
    };
    let locators = locators(table)?;
    let buses = map(table, &locators, &kernel)?;
    for (bus, reason) in buses.unmapped() {
        pr_warn!("PCI bus {bus} belongs to no package: {reason}\n");
    }
    Ok(buses)
}

/// Returns the logical package of a NUMA node.
fn package_of_node(node: u32) -> Option<u32> {
    topology::possible_cpus()
        .filter(|cpu| cpu.node() == Some(node))
        .find_map(Cpu::logical_package)
}

/// Maps the buses that have a locator to packages.
pub(crate) fn map<P, N>(
    table: &Discovery,
    locators: &[Locator],
    kernel: &KernelTopology<P, N>,
) -> Result<Buses>
where
    P: Fn(u32) -> Option<u32>,
    N: Fn(u32) -> Option<u32>,
{
    let mut buses = KVec::with_capacity(locators.len(), GFP_KERNEL)?;
    let claim = |locator: &Locator, of| claimed(table, locator, kernel, of);
    let twin = |locator: &Locator, of| {
        let own = claim(locator, of);
        let is_twin =
            |other: &&Locator| other.bus != locator.bus && same_package(claim(other, of), own);
        locators.iter().find(is_twin)
    };
    let is_complete = |of| {
        let mut all = locators.iter();
        all.all(|locator| claim(locator, of).is_ok() && twin(locator, of).is_none())
    };
    let of = if !is_complete(Groups::Packages) && is_complete(Groups::Nodes) {
        Groups::Nodes
    } else {
        Groups::Packages
    };
    for locator in locators {
        let package = match (claim(locator, of), twin(locator, of)) {
            (Ok(package), Some(twin)) => Err(UnmappedReason::Duplicate {
                other: twin.bus,
                package,
            }),
            (claimed, _) => claimed,
        };
        let located = LocatedBus {
            bus: locator.bus,
            node: locator.registers.map(|(node, _)| node & table.node_mask),
            package,
        };
        buses.push_within_capacity(located)?;
    }
    Ok(Buses(buses))
}

/// Returns whether two locators claim one package.
fn same_package(one: Result<u32, UnmappedReason>, other: Result<u32, UnmappedReason>) -> bool {
    one.is_ok() && one == other
}

/// Returns the logical package that a locator claims for its bus.
fn claimed<P, N>(
    table: &Discovery,
    locator: &Locator,
    kernel: &KernelTopology<P, N>,
    of: Groups,
) -> Result<u32, UnmappedReason>
where
    P: Fn(u32) -> Option<u32>,
    N: Fn(u32) -> Option<u32>,
{
    if kernel.nodes > MOST_NODES {
        let package = locator.numa_node.and_then(&kernel.package_of_node);
        return package.ok_or(UnmappedReason::NoNode);
    }
    let (node, map) = locator.registers.ok_or(UnmappedReason::Unreadable)?;
    let node = node & table.node_mask;
    let group = (0..GROUPS)
        .find(|&group| node_of(map, group) == node)
        .ok_or(UnmappedReason::NoGroup { node, map })?;
    let package = match of {
        Groups::Packages => (kernel.package)(group),
        Groups::Nodes => (kernel.package_of_node)(group),
    };
    package.ok_or(UnmappedReason::NoPackage { group })
}

/// Returns the node ID of a group.
fn node_of(map: u32, group: u32) -> u32 {
    let mask = (1 << GROUP_BITS) - 1;
    map.checked_shr(group.saturating_mul(GROUP_BITS))
        .map_or(0, |shifted| shifted & mask)
}

/// Reads all locators of the machine.
fn locators(table: &Discovery) -> Result<KVec<Locator>> {
    let mut found = KVec::new();
    for function in pci::functions(table.device_id) {
        let node = function.read(table.node_id);
        let map = function.read(table.group_map);
        let locator = Locator {
            bus: function.address().into(),
            registers: node.ok().zip(map.ok()),
            numa_node: function.node(),
        };
        found.push(locator, GFP_KERNEL)?;
    }
    Ok(found)
}
