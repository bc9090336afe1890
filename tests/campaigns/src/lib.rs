// SPDX-License-Identifier: GPL-2.0

//! Long runs against the driver, each a subcommand of `campaign`: `storm`, `failures`, `orders`
//! and `bench`. Their tests run a slice of each.

pub mod bench;
pub mod failures;
pub mod orders;
mod panic_context;
#[path = "../../engine/src/fuzz/rng.rs"]
mod rng;
pub mod storm;
pub mod table;
