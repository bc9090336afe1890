// SPDX-License-Identifier: GPL-2.0

//! Chooses the platform of this machine and keeps other drivers of it away, or refuses to load, before
//! any register is accessed.

use super::hotplug::CpuHotplug;
use crate::{
    linux::{
        cpuhp,
        topology::{
            self,
            Processor, //
        }, //
    },
    uncore::{
        overflow_mode::OverflowOption,
        table::box_type::Platform, //
    }, //
};
use kernel::prelude::*;

/// Returns the platform of this machine, or logs why the module does not load.
///
/// # Errors
///
/// [`ENODEV`] for a processor of no platform and under a hypervisor.
pub(crate) fn detect(
    platforms: &[&'static Platform],
    allow_virtual: bool,
) -> Result<&'static Platform> {
    let processor = topology::processor();
    let Some(platform) = find(platforms, &processor) else {
        pr_err!(
            "this processor is not supported (family {} model {})\n",
            processor.family,
            processor.model,
        );
        return Err(ENODEV);
    };
    if processor.hypervisor && !allow_virtual {
        pr_err!(
            "a hypervisor runs this machine, and most hypervisors give guests no access to the \
             uncore: load with allow_virtual=1 to try\n"
        );
        return Err(ENODEV);
    }
    Ok(platform)
}

/// Refuses interrupts on a platform that has none, and logs what to use instead.
///
/// # Errors
///
/// [`EINVAL`].
pub(crate) fn check_interrupts(platform: &Platform, option: OverflowOption) -> Result {
    if option == OverflowOption::Interrupt && platform.interrupt().is_none() {
        pr_err!(
            "overflow=pmi is impossible, as no counter of this processor's uncore interrupts: use \
             auto or poll, with which no overflow is lost either\n"
        );
        return Err(EINVAL);
    }
    Ok(())
}

/// Takes the state of CPU hotplug that the in-tree driver needs, too, or logs why the module does not
/// load. From then on that driver does not load.
///
/// # Errors
///
/// [`EBUSY`] while the in-tree driver is loaded.
pub(crate) fn take_counters() -> Result<cpuhp::State<CpuHotplug>> {
    cpuhp::State::take(c"perf/uncore:online").inspect_err(|_| {
        pr_err!(
            "the in-tree driver intel_uncore uses the counters: run modprobe -r intel_uncore, or \
             boot with initcall_blacklist=intel_uncore_init if the kernel has it built in\n"
        );
    })
}

/// Returns the platform of a processor.
pub(crate) fn find(
    platforms: &[&'static Platform],
    processor: &Processor,
) -> Option<&'static Platform> {
    if !processor.intel {
        return None;
    }
    let model = (processor.family, processor.model);
    platforms
        .iter()
        .find(|platform| platform.cpus.contains(&model))
        .copied()
}
