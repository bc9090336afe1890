// SPDX-License-Identifier: GPL-2.0

//! Firmware that uses a counter behind the driver's back.

use super::{load, samples, without_driver, BURST};
use uncore_e2e::prelude::*;

/// A C-Box, whose counter 0 firmware uses, and the control register: the clock.
const UNIT: &str = "cbox_0";
const CONTROL: &str = "0x400000";

/// The driver undoes what firmware did before it came: all counters are the driver's.
#[test]
fn a_counter_that_firmware_has_left_running_counts() {
    on(&without_driver(), |session| {
        session.machine(&format!("firmware 0 {UNIT} 0 {CONTROL}"));
        session.ok("burst 1000");
        load(session);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.unload(Driver::UncoreRs);
        session.machine("firmware off");
    });
}
