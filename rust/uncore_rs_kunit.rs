// SPDX-License-Identifier: GPL-2.0

//! A module with the driver's KUnit suites: its sources, with the tests that
//! `cfg(KUNIT_SUITES)` adds. Loading it runs the tests. It binds no device and registers no PMU.

#![expect(dead_code, reason = "the tests use only a part of the driver")]

mod linux;
mod platforms;
mod uncore;

use kernel::prelude::*;

/// An empty module; the kernel finds and runs its suites.
struct Suites;

impl kernel::Module for Suites {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        Ok(Self)
    }
}

module! {
    type: Suites,
    name: "uncore_rs_kunit",
    authors: ["The uncore_rs authors"],
    description: "KUnit tests of uncore_rs",
    license: "GPL",
}
