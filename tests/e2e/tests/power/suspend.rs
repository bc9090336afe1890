// SPDX-License-Identifier: GPL-2.0

//! Suspend to RAM (ACPI state S3), in which the machine forgets its registers, and suspend
//! to idle, in which it does not.

use crate::power::{new_log, probes, Events, BURST};
use uncore_e2e::prelude::*;

platforms!(; client e7);

/// Messages of the kernel when it has slept.
const SLEPT_IN_RAM: &str = "Waking up from system sleep state S3";
const SLEPT_IDLE: &str = "suspend entry (s2idle)";

#[test]
fn counts_go_on_after_suspend_to_ram() {
    on(&Config::default().with("sleep", "on"), |session| {
        new_log(session);
        let events = Events::new();
        let answers = session.perf_open(&events.around("run suspend mem"));
        events.have_counted(&answers, [2, 1]);
        assert!(new_log(session).contains(SLEPT_IN_RAM));
        session.counts(BURST, Platform::packages(), &Wanted::all(probes()));
    });
}

#[test]
fn counts_go_on_after_suspend_to_idle() {
    on(&Config::default(), |session| {
        new_log(session);
        session.ok("insmod /lib/modules/wake_up.ko");
        let events = Events::new();
        let answers = session.perf_open(&events.around("run suspend freeze"));
        events.have_counted(&answers, [2, 2]);
        session.ok("rmmod wake_up");
        assert!(new_log(session).contains(SLEPT_IDLE));
    });
}
