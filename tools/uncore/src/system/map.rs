// SPDX-License-Identifier: GPL-2.0

//! Packages, nodes, buses and boxes.
//!
//! `topology` in debugfs says all; without it, as for users who may not read
//! that, sysfs still says where the boxes are, but not what is missing, or why.

mod parse;

pub use uncore_metrics::recording::Missing;

use super::{debug_file, System};
use crate::error::Error;

/// The map of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map {
    /// Packages.
    pub packages: Vec<Package>,
    /// Lines of the module about anything else.
    pub remarks: Vec<String>,
    /// Reason why missing boxes are not known, if they are not.
    pub incomplete: Option<String>,
}

/// A package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Package {
    /// The kernel's number.
    pub number: String,
    /// Attributes: `physical`, `cpu`, `numa`, `bus`, `node`.
    pub attributes: Vec<(String, String)>,
    /// NUMA nodes of its CPUs, by sysfs; several with cluster-on-die.
    pub numa_nodes: Vec<u32>,
    /// Boxes of the package.
    pub boxes: Vec<Placed>,
    /// Boxes that the package lacks.
    pub missing: Vec<Missing>,
}

/// A box and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// `cbox_0`.
    pub name: String,
    /// `0000:7f:08.2` or `msr:0xd00`.
    pub location: String,
    /// Location of the filters, if they are apart from the counters.
    pub filters: Option<Filters>,
}

/// Location of filters that are apart from the counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filters {
    /// Here.
    At(String),
    /// Nowhere, for this reason.
    Missing(String),
}

impl System {
    /// Reads packages, buses and boxes.
    pub fn map(&self) -> Result<Map, Error> {
        let mut map = match self.root.optional(&debug_file("topology")) {
            Ok(Some(text)) => parse::text(&text),
            Ok(None) => parse::sysfs(self, "debugfs has no topology".to_owned())?,
            Err(error) => parse::sysfs(self, error.to_string())?,
        };
        let nodes = self.numa_nodes()?;
        for package in &mut map.packages {
            let physical = package.attribute("physical").unwrap_or(&package.number);
            let nodes = nodes.get(physical).into_iter().flatten();
            package.numa_nodes = nodes.copied().collect();
        }
        Ok(map)
    }
}

impl Map {
    /// The package that this CPU counts for.
    pub fn package_on(&self, cpu: u32) -> Option<&Package> {
        let cpu = cpu.to_string();
        let mut packages = self.packages.iter();
        packages.find(|package| package.attribute("cpu") == Some(&cpu))
    }

    /// Returns why no package has this box, or boxes of this kind, if the module says so.
    pub fn absence(&self, name: &str) -> Option<&str> {
        let all = self.packages.iter().flat_map(|package| &package.missing);
        let found = all.into_iter().find(|missing| missing.has(name));
        found.map(|missing| missing.reason.as_str())
    }
}

impl Package {
    /// Returns the attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The physical number, by which counts name the package.
    pub fn physical(&self) -> Option<u32> {
        let number = self.attribute("physical").unwrap_or(&self.number);
        number.parse().ok()
    }
}

impl Placed {
    /// The bus, or `MSR`, and the place there.
    pub fn place(&self) -> (&str, &str) {
        match self.location.split_once(':') {
            Some(("msr", number)) => ("MSR", number),
            _ => self
                .location
                .rsplit_once(':')
                .unwrap_or(("", &self.location)),
        }
    }
}
