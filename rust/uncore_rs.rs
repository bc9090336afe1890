// SPDX-License-Identifier: GPL-2.0

//! Uncore performance counters of Intel processors for `perf`.
//!
//! User's page: `Documentation/admin-guide/perf/uncore-rs.rst`. How it works:
//! `Documentation/development/architecture.rst`.
//!
//! Three layers: [`platforms`] describes processors as data, [`uncore`] makes PMUs from such data,
//! [`linux`] wraps interfaces of the kernel. Each layer uses only those after it.

mod linux;
mod platforms;
mod uncore;

use kernel::prelude::*;

/// The module; unloading drops it.
struct UncoreRs {
    _uncore: uncore::Uncore,
}

impl kernel::Module for UncoreRs {
    // The kernel frees this section once the module is loaded.
    #[link_section = ".init.text"]
    fn init(module: &'static ThisModule) -> Result<Self> {
        let allow_virtual = linux::param::is_set(module_parameters::allow_virtual.value());
        let frozen_limit = linux::param::number(module_parameters::frozen_limit.value());
        let options = uncore::options::Options::from_params(allow_virtual, frozen_limit)?;
        Ok(Self {
            _uncore: uncore::Uncore::new(module, platforms::ALL, options)?,
        })
    }
}

module! {
    type: UncoreRs,
    name: "uncore_rs",
    authors: ["The uncore_rs authors"],
    description: "Uncore performance counters of Intel processors",
    license: "GPL",
    // Former name of the module, from when it supported one platform.
    alias: ["ivbep_uncore"],
    // Parameters that are text are in include/params.c.
    params: {
        allow_virtual: u8 {
            default: 0,
            description: "Load even under a hypervisor (0 or 1)",
        },
        frozen_limit: u8 {
            default: 5,
            description: "Most percent of a second for which interrupts may freeze counters (100: no limit)",
        },
    },
}
