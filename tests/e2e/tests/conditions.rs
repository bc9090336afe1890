// SPDX-License-Identifier: GPL-2.0

//! Conditions of real machines: boxes that firmware has locked, firmware that uses counters,
//! interrupts that are lost, a freeze that is late. Under each the driver counts exactly, or
//! refuses in words.
//!
//! Others are elsewhere: functions that are hidden and registers that fault in `lifetime::broken`
//! and `machines`, C-Boxes that are fused off in `machines`, a lost IA32_DEBUGCTL in
//! `overflow::guests`. The campaign `readings` has all of them at random.

mod firmware;
mod interrupts;
mod locked;

use crate::lifetime::{samples, without_driver, BURST};
use uncore_e2e::prelude::*;

/// Loads the driver, and forgets what it logs meanwhile.
fn load(session: &mut Session) {
    session.load(Driver::UncoreRs, &[]);
    session.ok("dmesg -c >/dev/null");
}
