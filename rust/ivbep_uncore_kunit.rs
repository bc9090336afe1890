// SPDX-License-Identifier: GPL-2.0

//! The driver's KUnit suites as a module of their own: the same sources, with the tests that
//! `cfg(KUNIT_SUITES)` compiles in. Loading it runs them; it drives nothing and registers no PMU.

#![expect(dead_code, reason = "only what the tests reach is used")]

mod ivbep;
mod linux;
mod uncore;

use kernel::prelude::*;

/// Nothing but the suites, which the kernel finds in the module by itself.
struct Suites;

impl kernel::Module for Suites {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        Ok(Self)
    }
}

module! {
    type: Suites,
    name: "ivbep_uncore_kunit",
    authors: ["The ivbep-uncore authors"],
    description: "KUnit tests of ivbep_uncore",
    license: "GPL",
}
