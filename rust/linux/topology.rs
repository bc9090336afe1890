// SPDX-License-Identifier: GPL-2.0

//! CPUs, packages and nodes, as the kernel numbers them.
//!
//! C header: [`arch/x86/include/asm/topology.h`](srctree/arch/x86/include/asm/topology.h)
//!
//! The kernel knows a package by two numbers: the physical one comes out of the APIC ID and may
//! have gaps, the logical one counts packages from zero in the order they were found. The map from
//! one to the other is not exported to modules; whoever needs it asks every CPU of
//! [`possible_cpus`] for both.
//!
//! # Contexts
//!
//! All functions may be called anywhere. What they say about online CPUs is a snapshot.

use super::bindings;
use kernel::{
    ffi::c_int,
    fmt, //
};

/// A CPU number.
///
/// # Invariants
///
/// The number is below `nr_cpu_ids`, so that per-CPU data of that CPU may be addressed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cpu(u32);

impl Cpu {
    /// The CPU with this number, if the machine can have it.
    pub(crate) fn new(number: u32) -> Option<Self> {
        // INVARIANT: Just compared.
        (number < Self::limit()).then_some(Self(number))
    }

    /// The CPU with this number, where C uses a negative one for "none".
    pub(crate) fn from_signed(number: i32) -> Option<Self> {
        u32::try_from(number).ok().and_then(Self::new)
    }

    /// The CPU with a number that the kernel gave for a CPU that exists.
    pub(super) const fn running(number: u32) -> Self {
        // INVARIANT: CPUs that exist have numbers below `nr_cpu_ids`.
        Self(number)
    }

    /// Every CPU's number is below this.
    pub(crate) fn limit() -> u32 {
        // SAFETY: Reads a number that never changes after boot.
        unsafe { bindings::helper_nr_cpu_ids() }
    }

    /// Its number.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    /// Its number as C has it where a negative one stands for "none".
    pub(super) const fn signed(self) -> c_int {
        // CAST: The kernel has no use for 2^31 CPUs.
        self.0 as c_int
    }

    /// Whether it is online now.
    pub(crate) fn is_online(self) -> bool {
        // SAFETY: By the type invariant the bit is inside the mask.
        unsafe { bindings::helper_cpu_online(self.0) }
    }

    /// Whether it can ever be online.
    pub(crate) fn is_possible(self) -> bool {
        // SAFETY: By the type invariant the bit is inside the mask.
        unsafe { bindings::helper_cpu_possible(self.0) }
    }

    /// The package it is in, by the kernel's consecutive number; `None` before it was first online.
    pub(crate) fn logical_package(self) -> Option<u32> {
        // SAFETY: By the type invariant the CPU has per-CPU data.
        let id = unsafe { bindings::helper_topology_logical_package_id(self.0) };
        (id != u32::MAX).then_some(id)
    }

    /// The package it is in, by the hardware's number.
    pub(crate) fn physical_package(self) -> u32 {
        // SAFETY: By the type invariant the CPU has per-CPU data.
        unsafe { bindings::helper_topology_physical_package_id(self.0) }
    }

    /// The core it is a thread of, by the hardware's number within the package, which may have
    /// gaps.
    pub(crate) fn core(self) -> u32 {
        // SAFETY: By the type invariant the CPU has per-CPU data.
        unsafe { bindings::helper_topology_core_id(self.0) }
    }

    /// The NUMA node it is on; `None` where the firmware did not say.
    pub(crate) fn node(self) -> Option<u32> {
        // SAFETY: By the type invariant the CPU has per-CPU data.
        let node = unsafe { bindings::helper_cpu_to_node(self.0) };
        u32::try_from(node).ok()
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The CPUs that are online, in ascending order.
pub(crate) fn online_cpus() -> impl Iterator<Item = Cpu> {
    possible_cpus().filter(|cpu| cpu.is_online())
}

/// The CPUs that can ever be online, in ascending order.
pub(crate) fn possible_cpus() -> impl Iterator<Item = Cpu> {
    // INVARIANT: Below the limit.
    (0..Cpu::limit()).map(Cpu).filter(|cpu| cpu.is_possible())
}

/// How many packages the machine can have.
pub(crate) fn max_packages() -> u32 {
    // SAFETY: Reads a number that never changes after boot.
    unsafe { bindings::helper_topology_max_packages() }
}

/// How many NUMA nodes the machine can have.
pub(crate) fn possible_nodes() -> u32 {
    // SAFETY: Reads a mask that never changes after boot.
    unsafe { bindings::helper_num_possible_nodes() }
}

/// What kind of processor this is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Processor {
    /// Whether Intel made it.
    pub(crate) intel: bool,
    /// CPUID's family, extended family included.
    pub(crate) family: u8,
    /// CPUID's model, extended model included.
    pub(crate) model: u8,
    /// CPUID's stepping.
    pub(crate) stepping: u8,
    /// Whether CPUID says that a hypervisor runs it.
    pub(crate) hypervisor: bool,
}

/// The processor this machine booted on.
pub(crate) fn processor() -> Processor {
    Processor {
        // SAFETY: Reads boot CPU data, which never changes after boot.
        intel: unsafe { bindings::helper_cpu_is_intel() },
        // SAFETY: As above.
        family: unsafe { bindings::helper_cpu_family() },
        // SAFETY: As above.
        model: unsafe { bindings::helper_cpu_model() },
        // SAFETY: As above.
        stepping: unsafe { bindings::helper_cpu_stepping() },
        // SAFETY: As above.
        hypervisor: unsafe { bindings::helper_cpu_has_hypervisor() },
    }
}
