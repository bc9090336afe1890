// SPDX-License-Identifier: GPL-2.0

//! CPUs, packages and nodes. The logical number of a package is the hardware's.

use std::collections::BTreeSet;

use crate::host::{host, Place};

/// A CPU that is online.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cpu(u32);

impl Cpu {
    /// Returns the CPU with the number of one that is online.
    pub(crate) fn running(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    fn place(self) -> Option<Place> {
        let mut places = host().cpus().into_iter();
        places.find(|place| place.cpu == self.0)
    }

    /// Returns the package of the CPU.
    pub(crate) fn logical_package(self) -> Option<u32> {
        Some(self.place()?.package)
    }

    /// Returns the NUMA node of the CPU.
    pub(crate) fn node(self) -> Option<u32> {
        self.place()?.node
    }

    /// Returns the hardware's number of the CPU's core in its package.
    pub(crate) fn core(self) -> u32 {
        self.place().map_or(0, |place| place.core)
    }
}

/// Returns the CPUs.
pub(crate) fn possible_cpus() -> impl Iterator<Item = Cpu> {
    host().cpus().into_iter().map(|place| Cpu(place.cpu))
}

/// Returns the logical number of a physical package; `None` if no CPU of it is online.
pub(crate) fn logical_package(physical: u32) -> Option<u32> {
    let mut places = host().cpus().into_iter();
    places
        .any(|place| place.package == physical)
        .then_some(physical)
}

/// Returns the number of NUMA nodes that the machine can have.
pub(crate) fn possible_nodes() -> u32 {
    host().nodes()
}

/// Returns the number of cores of a package: the largest one.
pub(crate) fn cores_per_package() -> u32 {
    let places = host().cpus();
    let cores = |package| {
        let of_package = places.iter().filter(|place| place.package == package);
        let cores: BTreeSet<u32> = of_package.map(|place| place.core).collect();
        u32::try_from(cores.len()).unwrap_or(u32::MAX)
    };
    places
        .iter()
        .map(|place| cores(place.package))
        .max()
        .unwrap_or(0)
}
