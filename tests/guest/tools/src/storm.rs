// SPDX-License-Identifier: GPL-2.0

//! Many actors at once that open events, take CPUs and PCI functions away, load and
//! unload the driver. Each actor repeats a list of steps in a thread of its own
//! until the time is up.
//!
//! - `step`: the steps of an actor, and their text from the host.
//! - `bursts`: traffic, and the part of it that an event can have counted.
//! - `stat`: `perf stat`, and its output.
//! - `stage`: the state that actors share, the results of their steps, and the
//!   check for actors that hang.

mod bursts;
mod stage;
mod stat;
mod step;

pub use stage::{Plan, Stage};
