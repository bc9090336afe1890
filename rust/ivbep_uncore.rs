// SPDX-License-Identifier: GPL-2.0

//! Performance counters of the Xeon E5 v2 and E7 v2 uncore for `perf`.
//!
//! User's page: `Documentation/admin-guide/perf/ivbep-uncore.rst`.
//!
//! Three layers, each knowing only the next: [`ivbep`] is the platform as data, [`uncore`] makes
//! PMUs out of such data, [`linux`] is how it talks to the kernel.

mod ivbep;
mod linux;
mod uncore;

use kernel::prelude::*;

/// All that the module sets up, undone when it is unloaded.
struct IvbepUncore {
    _uncore: uncore::Uncore,
}

impl kernel::Module for IvbepUncore {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let options = uncore::Options::new(
            linux::param::is_set(module_parameters::allow_virtual.value()),
            linux::param::alias(),
            linux::param::names(),
            linux::param::overflow(),
        )?;
        Ok(Self {
            _uncore: uncore::Uncore::new(module, &[&ivbep::IVBEP], options)?,
        })
    }
}

module! {
    type: IvbepUncore,
    name: "ivbep_uncore",
    authors: ["The ivbep-uncore authors"],
    description: "Ivy Bridge-EP/EX uncore performance counters",
    license: "GPL",
    // Parameters that are text are in include/params.c.
    params: {
        allow_virtual: u8 {
            default: 0,
            description: "Load under a hypervisor, too (0 or 1)",
        },
    },
}
