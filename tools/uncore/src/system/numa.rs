// SPDX-License-Identifier: GPL-2.0

//! NUMA nodes of packages. Firmware can split a package into several nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::{numbers, System};
use crate::error::Error;

const NODES: &str = "sys/devices/system/node";

impl System {
    /// Reads the CPUs of each NUMA node.
    pub fn cpus_of_nodes(&self) -> Result<BTreeMap<u32, Vec<u32>>, Error> {
        let mut nodes = BTreeMap::new();
        for name in self.root.names(NODES)? {
            let number = name.strip_prefix("node").and_then(|rest| rest.parse().ok());
            let Some(number) = number else {
                continue;
            };
            let list = self.root.optional(&format!("{NODES}/{name}/cpulist"))?;
            let cpus = list.as_deref().and_then(numbers);
            nodes.insert(number, cpus.unwrap_or_default());
        }
        Ok(nodes)
    }

    /// Returns the physical number of the package of a CPU that is online.
    pub fn package_of(&self, cpu: u32) -> Result<Option<String>, Error> {
        let topology = format!("sys/devices/system/cpu/cpu{cpu}/topology");
        self.root
            .optional(&format!("{topology}/physical_package_id"))
    }

    /// Reads the NUMA nodes of each package with a CPU that is online, by its physical number.
    pub fn numa_nodes(&self) -> Result<BTreeMap<String, BTreeSet<u32>>, Error> {
        let mut packages: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for (node, cpus) in self.cpus_of_nodes()? {
            for cpu in cpus {
                if let Some(package) = self.package_of(cpu)? {
                    packages.entry(package).or_default().insert(node);
                }
            }
        }
        Ok(packages)
    }
}
