// SPDX-License-Identifier: GPL-2.0

//! Whether this machine is one to drive at all: asked before anything is touched.

use super::box_type::Platform;
use crate::linux::{
    pci,
    topology::{
        self,
        Processor, //
    },
};
use kernel::prelude::*;

/// Chooses the platform of this machine, or says why the module must not load.
///
/// # Errors
///
/// [`ENODEV`] for a processor that no platform has and under a hypervisor, [`EBUSY`] while the
/// in-tree driver has the registers.
pub(super) fn choose(
    platforms: &[&'static Platform],
    allow_virtual: bool,
) -> Result<&'static Platform> {
    let processor = topology::processor();
    let Some(platform) = find(platforms, &processor) else {
        pr_err!(
            "no uncore of this processor is known (family {} model {})\n",
            processor.family,
            processor.model,
        );
        return Err(ENODEV);
    };
    if processor.hypervisor && !allow_virtual {
        pr_err!(
            "a hypervisor runs this machine, and few of them let guests at the uncore: load with \
             allow_virtual=1 to try\n"
        );
        return Err(ENODEV);
    }
    if pci::driver_is_live(platform.in_tree_driver) {
        pr_err!(
            "the kernel's own intel_uncore has the counters: modprobe -r intel_uncore, or where \
             that is built in boot with initcall_blacklist=intel_uncore_init\n"
        );
        return Err(EBUSY);
    }
    Ok(platform)
}

/// The platform of a processor.
pub(super) fn find(
    platforms: &[&'static Platform],
    processor: &Processor,
) -> Option<&'static Platform> {
    let model = (processor.family, processor.model);
    let mut intel = platforms.iter().filter(|_| processor.intel);
    intel
        .find(|platform| platform.cpus.contains(&model))
        .copied()
}
