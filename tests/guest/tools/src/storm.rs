// SPDX-License-Identifier: GPL-2.0

//! Many at once who open events, take CPUs and PCI functions away, load and unload the
//! driver: each an actor with a list of steps, done over and over in a thread of its
//! own until the time is up.
//!
//! - `step`: what an actor can do, and how the host writes it.
//! - `bursts`: traffic, and how much of it an event can have seen.
//! - `stat`: `perf stat`, and what it prints.
//! - `stage`: what actors share, what came of their steps, and who hangs.

mod bursts;
mod stage;
mod stat;
mod step;

pub use stage::{Plan, Stage};
