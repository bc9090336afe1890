// SPDX-License-Identifier: GPL-2.0

//! Stock perf and the driver on the usual machine: two packages of an E5 with
//! three C-Boxes each, or a client with two.
//!
//! Everything expected here follows from the traffic definition, the event
//! catalogue and the user's page; nothing was recorded from a run.

mod config_space;
mod examples;
mod filters;
mod groups;
mod hotplug;
mod sweep;
mod usage;

use uncore_e2e::prelude::*;

/// C-Boxes in each of them.
const CBOXES: u8 = 3;

/// Memory channels in each of them.
const CHANNELS: u8 = 8;

/// A burst in which most signals differ and that takes no time.
const BURST: u64 = 1_000_000;

/// A burst in which a signal is on exactly K times, so that all differ.
const LONG_BURST: u64 = 1 << 26;

fn usual_machine() -> Config {
    Config::default()
}
