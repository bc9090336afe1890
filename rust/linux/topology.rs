// SPDX-License-Identifier: GPL-2.0

//! CPUs, packages and nodes, as the kernel numbers them.
//!
//! C header: [`arch/x86/include/asm/topology.h`](srctree/arch/x86/include/asm/topology.h)
//!
//! The kernel has two numbers for a package. The physical one comes from the APIC ID and may have
//! gaps. The logical one counts the physical ones from zero. Both are known for each CPU that is
//! present, even if it has never been online: firmware lists the APIC IDs. The kernel's data of a
//! CPU (`cpu_data()`) is zero until then and would put the CPU into package 0.
//!
//! # Contexts
//!
//! Any. The result of a function about online CPUs is a snapshot.

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
    /// Returns the CPU with this number, if the machine can have it.
    pub(crate) fn new(number: u32) -> Option<Self> {
        // INVARIANT: Just compared.
        (number < Self::limit()).then_some(Self(number))
    }

    /// Returns the CPU with this number; C uses a negative number for "none".
    pub(crate) fn from_signed(number: i32) -> Option<Self> {
        u32::try_from(number).ok().and_then(Self::new)
    }

    /// Returns the CPU with a number that the kernel gave for an existing CPU.
    pub(super) const fn running(number: u32) -> Self {
        // INVARIANT: CPUs that exist have numbers below `nr_cpu_ids`.
        Self(number)
    }

    /// Returns the upper bound of CPU numbers, `nr_cpu_ids`.
    pub(crate) fn limit() -> u32 {
        // SAFETY: Reads a number that never changes after boot.
        unsafe { bindings::helper_nr_cpu_ids() }
    }

    /// Returns the number.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    /// Returns the number in the type that C uses where a negative number is "none".
    pub(super) const fn signed(self) -> c_int {
        // CAST: The kernel has no use for 2^31 CPUs.
        self.0 as c_int
    }

    /// Returns whether the CPU is online.
    pub(crate) fn is_online(self) -> bool {
        // SAFETY: By the type invariant the bit is inside the mask.
        unsafe { bindings::helper_cpu_online(self.0) }
    }

    /// Returns whether the CPU can ever be online.
    pub(crate) fn is_possible(self) -> bool {
        // SAFETY: By the type invariant the bit is inside the mask.
        unsafe { bindings::helper_cpu_possible(self.0) }
    }

    /// Returns whether the kernel may use the CPU for work that can run on any. The user keeps other
    /// CPUs for programs, with `isolcpus=` or `nohz_full=`.
    pub(crate) fn is_housekeeping(self) -> bool {
        // SAFETY: By the type invariant the bit is inside the masks, which never change after boot.
        unsafe { bindings::helper_housekeeping_cpu(self.0) }
    }

    /// Returns the logical package of the CPU; `None` if the CPU is not present.
    pub(crate) fn logical_package(self) -> Option<u32> {
        // SAFETY: By the type invariant the CPU has per-CPU data.
        let id = unsafe { bindings::helper_topology_logical_package_id(self.0) };
        u32::try_from(id).ok()
    }

    /// Returns the physical package of the CPU; `None` if the CPU is not present.
    pub(crate) fn physical_package(self) -> Option<u32> {
        // SAFETY: By the type invariant the CPU has per-CPU data.
        let id = unsafe { bindings::helper_topology_physical_package_id(self.0) };
        u32::try_from(id).ok()
    }

    /// Returns the hardware's number of the core of a CPU that has been online. The numbers count
    /// the cores of a package and may have gaps.
    pub(crate) fn core(self) -> u32 {
        // SAFETY: By the type invariant the CPU has per-CPU data.
        unsafe { bindings::helper_topology_core_id(self.0) }
    }

    /// Returns the NUMA node of the CPU; `None` if firmware does not give it.
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

/// Returns the CPUs that are online, in ascending order.
pub(crate) fn online_cpus() -> impl Iterator<Item = Cpu> {
    possible_cpus().filter(|cpu| cpu.is_online())
}

/// Returns the CPUs that can ever be online, in ascending order.
pub(crate) fn possible_cpus() -> impl Iterator<Item = Cpu> {
    // INVARIANT: Below the limit.
    (0..Cpu::limit()).map(Cpu).filter(|cpu| cpu.is_possible())
}

/// Returns the logical number of a physical package; `None` if firmware lists no CPU of it.
pub(crate) fn logical_package(physical: u32) -> Option<u32> {
    // SAFETY: Reads a map that never changes after boot. Any number may be looked up.
    let id = unsafe { bindings::helper_topology_phys_to_logical_pkg(physical) };
    u32::try_from(id).ok()
}

/// Returns the number of packages that the machine can have.
pub(crate) fn max_packages() -> u32 {
    // SAFETY: Reads a number that never changes after boot.
    unsafe { bindings::helper_topology_max_packages() }
}

/// Returns the number of cores that the first package can have.
pub(crate) fn cores_per_package() -> u32 {
    // SAFETY: Reads a number that never changes after boot.
    unsafe { bindings::helper_topology_num_cores_per_package() }
}

/// Returns the number of NUMA nodes that the machine can have.
pub(crate) fn possible_nodes() -> u32 {
    // SAFETY: Reads a mask that never changes after boot.
    unsafe { bindings::helper_num_possible_nodes() }
}

/// Number of Intel among the vendors, `X86_VENDOR_INTEL`.
const INTEL: u8 = 0;

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

/// Returns vendor, family and model of the boot processor as one number, `VFM_MAKE` in C.
pub(super) fn model() -> u32 {
    // SAFETY: Reads boot CPU data, which never changes after boot.
    unsafe { bindings::helper_cpu_vfm() }
}

/// Returns the model of the boot processor.
pub(crate) fn processor() -> Processor {
    let [_, vendor, family, model] = model().to_be_bytes();
    Processor {
        intel: vendor == INTEL,
        family,
        model,
        // SAFETY: Reads boot CPU data, which never changes after boot.
        stepping: unsafe { bindings::helper_cpu_stepping() },
        // SAFETY: Reads boot CPU data, which never changes after boot.
        hypervisor: unsafe { bindings::helper_cpu_has_hypervisor() },
    }
}
