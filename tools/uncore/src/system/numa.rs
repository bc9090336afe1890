// SPDX-License-Identifier: GPL-2.0

//! NUMA nodes of packages. Firmware can split a package into several nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::numbers;
use crate::error::Error;
use crate::root::Root;

const NODES: &str = "sys/devices/system/node";

/// Returns the CPUs of each NUMA node.
pub(super) fn cpus(root: &Root) -> Result<BTreeMap<u32, Vec<u32>>, Error> {
    let mut nodes = BTreeMap::new();
    for name in root.names(NODES)? {
        let number = name.strip_prefix("node").and_then(|rest| rest.parse().ok());
        let Some(number) = number else {
            continue;
        };
        let list = root.optional(&format!("{NODES}/{name}/cpulist"))?;
        nodes.insert(
            number,
            list.as_deref().and_then(numbers).unwrap_or_default(),
        );
    }
    Ok(nodes)
}

/// Returns the physical number of the package of a CPU, if the CPU is online.
pub(super) fn package(root: &Root, cpu: u32) -> Result<Option<String>, Error> {
    root.optional(&format!(
        "sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"
    ))
}

/// Returns the NUMA nodes of each package with a CPU that is online, by its physical number.
pub(super) fn of_packages(root: &Root) -> Result<BTreeMap<String, BTreeSet<u32>>, Error> {
    let mut packages: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for (node, cpus) in cpus(root)? {
        for cpu in cpus {
            if let Some(package) = package(root, cpu)? {
                packages.entry(package).or_default().insert(node);
            }
        }
    }
    Ok(packages)
}
