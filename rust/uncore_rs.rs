// SPDX-License-Identifier: GPL-2.0

//! Uncore performance counters of Intel processors for `perf`.
//!
//! User's pages: `Documentation/admin-guide/perf`. How it works:
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
        let options = uncore::options::Options::from_params()?;
        Ok(Self {
            _uncore: uncore::Uncore::new(module, platforms::ALL, options)?,
        })
    }
}

module! {
    type: UncoreRs,
    name: "uncore_rs",
    license: "GPL",
    // Authors, description, alias and parameters are in include/params.c.
}
