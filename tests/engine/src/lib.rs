// SPDX-License-Identifier: GPL-2.0

//! The driver without the kernel.
//!
//! The modules below are the sources of the module, as they are: `rust/uncore` and
//! `rust/platforms`. In place of `rust/linux` and of the kernel crate they have stand-ins with the
//! same names, over one modelled computer: [`host`] has its processors, the machine's model its
//! uncore.
//!
//! * The KUnit suites run as ordinary tests.
//! * [`properties`] are those of the engine's pure functions.
//! * [`protocol`] is a model of the overflow protocol, all of whose states are checked.
//! * [`sweep`] makes every request of the end-to-end tests' sweeps.
//! * [`tables`] has the rules that the tables of all platforms keep.
//! * [`fuzz`] makes random requests, right and wrong.
//! * [`whole`] loads the driver, counts and unloads it.
//! * `schedules` (a feature) runs threads over the driver and lets shuttle choose their order.

#![expect(dead_code, reason = "the tests use only a part of the driver")]
// For the initialisers of structs with many fields.
#![recursion_limit = "256"]

#[path = "../../../rust"]
mod driver {
    pub(crate) mod platforms;
    pub(crate) mod uncore;
}

use driver::{platforms, uncore};

mod linux;

mod computer;
#[cfg(not(feature = "schedules"))]
mod fuzz;
mod host;
#[cfg(not(feature = "schedules"))]
mod properties;
#[cfg(not(feature = "schedules"))]
mod protocol;
#[cfg(feature = "schedules")]
mod schedules;
#[cfg(not(feature = "schedules"))]
mod sweep;
#[cfg(not(feature = "schedules"))]
mod tables;
#[cfg(not(feature = "schedules"))]
mod whole;
