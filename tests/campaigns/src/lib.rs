// SPDX-License-Identifier: GPL-2.0

//! Long runs against the driver, each a subcommand of `campaign`: `storm`, `failures` and
//! `bench`. Tests run a slice of the first two.

pub mod bench;
pub mod failures;
mod panic_context;
#[path = "../../engine/src/fuzz/rng.rs"]
mod rng;
pub mod storm;
pub mod table;
