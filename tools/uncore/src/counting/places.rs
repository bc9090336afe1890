// SPDX-License-Identifier: GPL-2.0

//! Packages, the node IDs by which events tell them apart, and what is done there before
//! events are counted.

use uncore_metrics::Nodes;

use super::Group;
use crate::encode::encode;
use crate::error::Error;
use crate::system::{Package, System};

/// Package with a CPU that counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Number of the package in the kernel.
    pub(crate) package: u32,
    /// CPU that counts for the package.
    pub(crate) cpu: u32,
    /// Node of the package, and all nodes.
    pub(crate) nodes: Nodes,
}

/// Returns the packages with a CPU that counts.
pub(crate) fn places(system: &System) -> Result<Vec<Place>, Error> {
    let map = system.map()?;
    let nodes: Vec<u8> = map.packages.iter().filter_map(node).collect();
    let all = nodes.iter().fold(0, |all, node| all | 1 << node);
    let place = |package: &Package| {
        Some(Place {
            package: package.physical()?,
            cpu: package.attribute("cpu")?.parse().ok()?,
            nodes: Nodes {
                own: node(package)?,
                all,
            },
        })
    };
    Ok(map.packages.iter().filter_map(place).collect())
}

/// Returns the packages of these CPUs, or all.
pub(crate) fn places_on(system: &System, cpus: Option<&[u32]>) -> Result<Vec<Place>, Error> {
    let all = places(system)?;
    let Some(cpus) = cpus else {
        return Ok(all);
    };
    let mut meant = Vec::new();
    for &cpu in cpus {
        let package = system.package_of(cpu)?;
        let package: Option<u32> = package.and_then(|number| number.parse().ok());
        let mut found = all.iter().filter(|place| Some(place.package) == package);
        meant.push(found.next().ok_or(Error::UnknownCpu(cpu))?.package);
    }
    let is_meant = |place: &Place| meant.contains(&place.package);
    Ok(all.into_iter().filter(is_meant).collect())
}

/// Returns the node of each package.
pub(crate) fn own_nodes(places: &[Place]) -> Vec<u8> {
    places.iter().map(|place| place.nodes.own).collect()
}

/// Returns the node ID of a package, or its NUMA node if only root may read the ID.
fn node(package: &Package) -> Option<u8> {
    let known = package
        .attribute("node")
        .or_else(|| package.attribute("numa"));
    let number = known.unwrap_or(&package.number).parse().ok()?;
    (number < 64).then_some(number)
}

/// Prepares counting on all boxes. Fails if the system is a recorded one, or this user
/// may not count.
pub(crate) fn begin(system: &System, places: &[Place]) -> Result<(), Error> {
    if !system.root.is_live() {
        return Err(Error::NotLive(system.root.path("")));
    }
    // If the limit stays, opening an event reports it.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    may_count(system, places)
}

fn may_count(system: &System, places: &[Place]) -> Result<(), Error> {
    for place in places {
        for pmu in system.pmus_on(place.cpu) {
            let mut events = pmu.events().iter();
            let Some(event) = events.find(|event| event.needs().next().is_none()) else {
                continue;
            };
            let words = encode(pmu, &[(event.name.clone(), None)]).words;
            return match Group::open(pmu, place.cpu, &[words]) {
                Ok(_) => Ok(()),
                Err(refusal) => Err(refusal.of(pmu, place.cpu, &event.name)),
            };
        }
    }
    Ok(())
}
