// SPDX-License-Identifier: GPL-2.0

//! CPUs, packages and nodes of the machine's model.

use crate::host::{host, plain};
use kernel::fmt;
use std::sync::atomic::Ordering::Relaxed;
use uncore_machine::Platform;

/// A CPU number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cpu(u32);

impl Cpu {
    /// Returns the CPU with this number, if the machine can have it.
    pub(crate) fn new(number: u32) -> Option<Self> {
        (number < Self::limit()).then_some(Self(number))
    }

    /// Returns the CPU with the number of an existing CPU.
    pub(crate) const fn running(number: u32) -> Self {
        Self(number)
    }

    /// Returns the upper bound of CPU numbers.
    pub(crate) fn limit() -> u32 {
        host().cpus()
    }

    /// Returns the number.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    /// Returns whether the CPU is online.
    pub(crate) fn is_online(self) -> bool {
        host().is_online(self.0)
    }

    /// Returns whether the kernel may use the CPU for work that can run on any.
    pub(crate) fn is_housekeeping(self) -> bool {
        host().isolated_cpu.load(Relaxed) != self.0
    }

    /// Returns the logical package of the CPU; `None` if the CPU is not present.
    pub(crate) fn logical_package(self) -> Option<u32> {
        self.physical_package()
    }

    /// Returns the physical package of the CPU; `None` if the CPU is not present.
    pub(crate) fn physical_package(self) -> Option<u32> {
        let host = host();
        let is_absent = host.absent_cpu.load(Relaxed) == self.0;
        (!is_absent).then(|| host.place(self.0).package.into())
    }

    /// Returns the hardware's number of the CPU's core in its package.
    pub(crate) fn core(self) -> u32 {
        host().place(self.0).core.into()
    }

    /// Returns the NUMA node of the CPU.
    pub(crate) fn node(self) -> Option<u32> {
        self.physical_package().map(first_node)
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Returns the CPUs that are online, in ascending order.
pub(crate) fn online_cpus() -> impl Iterator<Item = Cpu> {
    possible_cpus().filter(|cpu| cpu.is_online())
}

/// Returns the CPUs that can ever be online, in ascending order.
pub(crate) fn possible_cpus() -> impl Iterator<Item = Cpu> {
    (0..Cpu::limit()).map(Cpu)
}

/// Returns the logical number of a physical package; `None` if firmware lists no CPU of it.
pub(crate) fn logical_package(physical: u32) -> Option<u32> {
    (physical < max_packages()).then_some(physical)
}

/// Returns the number of packages that the machine can have.
pub(crate) fn max_packages() -> u32 {
    let packages = host().machine().topology().packages.len();
    u32::try_from(packages).expect("few packages")
}

/// Returns the number of cores of a package.
pub(crate) fn cores_per_package() -> u32 {
    let packages = host().machine().topology().packages.clone();
    packages.first().map_or(1, |shape| shape.cores.into())
}

/// Returns the first NUMA node of a package; no CPU is in its second one.
pub(crate) fn first_node(package: u32) -> u32 {
    let divided = host().machine().topology().divided_at.is_some();
    package << u32::from(divided)
}

/// Returns the number of NUMA nodes that the machine can have.
pub(crate) fn possible_nodes() -> u32 {
    host().nodes.load(Relaxed)
}

/// The model of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Processor {
    /// Intel made the processor.
    pub(crate) intel: bool,
    /// CPUID's family, extended family included.
    pub(crate) family: u8,
    /// CPUID's model, extended model included.
    pub(crate) model: u8,
    /// CPUID's stepping.
    pub(crate) stepping: u8,
    /// CPUID shows a hypervisor.
    pub(crate) hypervisor: bool,
}

/// The model of an Ivy Bridge-EP.
pub(crate) const IVY_BRIDGE_EP: Processor = Processor {
    intel: true,
    family: 6,
    model: 62,
    stepping: 4,
    hypervisor: false,
};

impl Processor {
    /// Returns the model of a platform's processors.
    pub(crate) fn of(platform: Platform) -> Self {
        let found = uncore_catalogue::Processor::named(platform.name());
        Self {
            model: found.model,
            stepping: found.stepping,
            ..IVY_BRIDGE_EP
        }
    }
}

/// Returns the model of the processor.
pub(crate) fn processor() -> Processor {
    *plain(&host().processor)
}
