// SPDX-License-Identifier: GPL-2.0

//! Packages, and the node IDs by which events tell them apart.

use ivbep_metrics::Nodes;

use crate::error::Error;
use crate::system::{Package, System};

/// A package that counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The kernel's number of it.
    pub(crate) package: u32,
    /// The CPU that counts for it.
    pub(crate) cpu: u32,
    /// Its node and all nodes.
    pub(crate) nodes: Nodes,
}

/// The packages with a CPU that counts.
pub(crate) fn places(system: &System) -> Result<Vec<Place>, Error> {
    let map = system.map()?;
    let nodes: Vec<u8> = map.packages.iter().filter_map(node).collect();
    let all = nodes.iter().fold(0, |all, node| all | 1 << node);
    let place = |package: &Package| {
        Some(Place {
            package: package
                .attribute("physical")
                .unwrap_or(&package.number)
                .parse()
                .ok()?,
            cpu: package.attribute("cpu")?.parse().ok()?,
            nodes: Nodes {
                own: node(package)?,
                all,
            },
        })
    };
    Ok(map.packages.iter().filter_map(place).collect())
}

/// Its node ID; where only root may know that, the number of its NUMA node.
fn node(package: &Package) -> Option<u8> {
    let known = package
        .attribute("node")
        .or_else(|| package.attribute("numa"));
    let number = known.unwrap_or(&package.number).parse().ok()?;
    (number < 64).then_some(number)
}
