// SPDX-License-Identifier: GPL-2.0

//! The user-space tool, as its users run it.

mod check;
mod doctor;
mod stat;

use ivbep_e2e::Config;

/// A machine whose clocks run, as those of real ones do.
fn free_running() -> Config {
    Config::default().with("free-run", "on")
}
