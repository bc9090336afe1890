// SPDX-License-Identifier: GPL-2.0

//! Which package a PCI bus belongs to.
//!
//! Every package has one *locator*, a PCI function on its uncore bus with two registers:
//!
//! ```text
//! locator --> node ID of the package  --+
//!         --> group map: node IDs of    +--> group = physical package --> logical package
//!             group 0, 1, 2, ...      --+        (first group that has the node ID)
//! ```
//!
//! Buses without a locator belong to the package of the next higher bus that has one: the uncore
//! bus is a package's highest, its I/O bus is below. With more than eight NUMA nodes the three
//! bits of a node ID do not suffice, and the firmware's NUMA node of the bus is taken instead.
//!
//! A bus is refused, in words and with all that inherit from it, when its node ID is in no group,
//! its package has no CPU, or two locators claim one package. [`map`] is pure; it allocates.

use super::box_type::Discovery;
use crate::linux::pci;
use kernel::{
    fmt,
    prelude::*, //
};

#[cfg(KUNIT_SUITES)]
mod tests;

/// How many groups a map has.
const GROUPS: u32 = 8;

/// How many bits of a map a node ID takes.
const GROUP_BITS: u32 = 3;

/// More NUMA nodes than this, and node IDs do not tell packages apart.
const MOST_NODES: u32 = 8;

/// A bus of a PCI segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Bus {
    /// The segment.
    pub(super) domain: u32,
    /// The bus.
    pub(super) number: u8,
}

impl fmt::Display for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}", self.domain, self.number)
    }
}

impl From<pci::Address> for Bus {
    fn from(address: pci::Address) -> Self {
        Self {
            domain: address.domain,
            number: address.bus,
        }
    }
}

/// What the locator of a bus says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Locator {
    /// Where it is.
    pub(super) bus: Bus,
    /// Node ID register and group map, if they could be read.
    pub(super) registers: Option<(u32, u32)>,
    /// The NUMA node the firmware gives for the bus.
    pub(super) numa_node: Option<u32>,
}

/// What the kernel knows of packages.
pub(super) struct Kernel<P, N> {
    /// The logical package of a physical one.
    pub(super) package: P,
    /// The logical package of a NUMA node's CPUs.
    pub(super) package_of_node: N,
    /// How many NUMA nodes there can be.
    pub(super) nodes: u32,
}

/// Why a bus belongs to no package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misplaced {
    /// The registers could not be read.
    Unreadable,
    /// No group has the node ID.
    NoGroup {
        /// The node ID.
        node: u32,
        /// The group map.
        map: u32,
    },
    /// The group is a package without CPUs.
    NoPackage {
        /// The physical package.
        group: u32,
    },
    /// Another bus claims the same package.
    Duplicate {
        /// That bus.
        other: Bus,
        /// The logical package.
        package: u32,
    },
    /// More than eight nodes, and the firmware's node does not help.
    NoNode,
    /// Neither the bus nor a higher one has a locator.
    NoLocator,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Misplaced::Unreadable => f.write_str("its locator cannot be read"),
            Misplaced::NoGroup { node, map } => {
                write!(
                    f,
                    "its node ID {node} is in no group of the map {map:#010x}"
                )
            }
            Misplaced::NoPackage { group } => {
                write!(
                    f,
                    "it belongs to physical package {group}, which has no CPU"
                )
            }
            Misplaced::Duplicate { other, package } => {
                f.write_fmt(fmt!("bus {other} claims package {package}, too"))
            }
            Misplaced::NoNode => f.write_str(
                "there are more than 8 NUMA nodes, and the firmware does not say on which the \
                 bus is",
            ),
            Misplaced::NoLocator => f.write_str("neither it nor a higher bus has a locator"),
        }
    }
}

/// A bus that has a locator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Located {
    /// The bus.
    pub(super) bus: Bus,
    /// The node ID its locator gives.
    pub(super) node: Option<u32>,
    /// Its logical package.
    package: Result<u32, Misplaced>,
}

/// The buses that have a locator, and their packages.
pub(super) struct Buses(KVec<Located>);

impl Buses {
    /// The logical package of any bus.
    pub(super) fn package(&self, bus: Bus) -> Result<u32, Misplaced> {
        let same_segment = self.0.iter().filter(|at| at.bus.domain == bus.domain);
        let nearest = same_segment
            .filter(|at| at.bus >= bus)
            .min_by_key(|at| at.bus);
        nearest.map_or(Err(Misplaced::NoLocator), |at| at.package)
    }

    /// The bus that a package's locator is on.
    pub(super) fn bus_of(&self, package: u32) -> Option<&Located> {
        self.0.iter().find(|at| at.package == Ok(package))
    }

    /// The buses whose locator makes no sense.
    pub(super) fn misplaced(&self) -> impl Iterator<Item = (Bus, Misplaced)> + '_ {
        let faults = self.0.iter();
        faults.filter_map(|at| Some((at.bus, at.package.err()?)))
    }
}

/// Maps the buses that have a locator to packages.
pub(super) fn map<P, N>(
    table: &Discovery,
    locators: &[Locator],
    kernel: &Kernel<P, N>,
) -> Result<Buses>
where
    P: Fn(u32) -> Option<u32>,
    N: Fn(u32) -> Option<u32>,
{
    let mut buses = KVec::with_capacity(locators.len(), GFP_KERNEL)?;
    let claim = |locator: &Locator| claimed(table, locator, kernel);
    for locator in locators {
        let twin = locators
            .iter()
            .find(|other| other.bus != locator.bus && same(claim(other), claim(locator)));
        let package = match (claim(locator), twin) {
            (Ok(package), Some(twin)) => Err(Misplaced::Duplicate {
                other: twin.bus,
                package,
            }),
            (claimed, _) => claimed,
        };
        let located = Located {
            bus: locator.bus,
            node: locator.registers.map(|(node, _)| node & table.node_mask),
            package,
        };
        buses.push(located, GFP_KERNEL)?;
    }
    Ok(Buses(buses))
}

/// Whether two claims are to one package.
fn same(one: Result<u32, Misplaced>, other: Result<u32, Misplaced>) -> bool {
    one.is_ok() && one == other
}

/// The logical package a locator claims for its bus.
fn claimed<P, N>(
    table: &Discovery,
    locator: &Locator,
    kernel: &Kernel<P, N>,
) -> Result<u32, Misplaced>
where
    P: Fn(u32) -> Option<u32>,
    N: Fn(u32) -> Option<u32>,
{
    if kernel.nodes > MOST_NODES {
        let package = locator.numa_node.and_then(&kernel.package_of_node);
        return package.ok_or(Misplaced::NoNode);
    }
    let (node, map) = locator.registers.ok_or(Misplaced::Unreadable)?;
    let node = node & table.node_mask;
    let group = (0..GROUPS)
        .find(|&group| node_of(map, group) == node)
        .ok_or(Misplaced::NoGroup { node, map })?;
    (kernel.package)(group).ok_or(Misplaced::NoPackage { group })
}

/// The node ID of a group.
fn node_of(map: u32, group: u32) -> u32 {
    let mask = (1 << GROUP_BITS) - 1;
    map.checked_shr(group.saturating_mul(GROUP_BITS))
        .map_or(0, |shifted| shifted & mask)
}

/// Reads all locators of the machine.
pub(super) fn locators(table: &Discovery) -> Result<KVec<Locator>> {
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

/// How many boxes stand behind functions with consecutive IDs: those from 0 up to the first that
/// is missing. `has` tells whether the one with an index is there.
pub(super) fn consecutive(most: u8, has: impl Fn(u8) -> bool) -> u8 {
    (0..most).find(|&index| !has(index)).unwrap_or(most)
}
