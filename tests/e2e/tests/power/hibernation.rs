// SPDX-License-Identifier: GPL-2.0

//! Hibernation on a disk: the kernel writes an image of its memory there, and later goes on
//! from it.

use crate::power::{new_log, probes, Events, BURST};
use uncore_e2e::prelude::*;

platforms!(; client first);

/// Message of the kernel when it goes on from an image.
const RESUMED: &str = "Image loading done";

fn with_disk() -> Config {
    Config::default().with("disk", "on")
}

/// Prepares the disk for hibernation in a mode of `/sys/power/disk`.
fn prepare(session: &mut Session, mode: &str) {
    session.ok("grep -q vda /proc/swaps || { mkswap /dev/vda && swapon /dev/vda; }");
    session.ok(&format!("echo {mode} > /sys/power/disk"));
    new_log(session);
}

/// The kernel goes on from the image at once, on the machine that ran on meanwhile.
#[test]
fn counts_go_on_after_a_test_of_hibernation() {
    on(&with_disk(), |session| {
        prepare(session, "test_resume");
        let events = Events::new();
        let answers = session.perf_open(&events.around("run suspend disk"));
        events.have_counted(&answers, [2, 1]);
        assert!(session.ok("dmesg").contains("hibernation: "));
        session.counts(BURST, Platform::packages(), &Wanted::all(probes()));
    });
}

/// The kernel goes on from the image after a boot, on a machine just out of reset.
#[test]
fn counts_go_on_over_two_boots() {
    on(&with_disk(), |session| {
        prepare(session, "shutdown");
        let events = Events::new();
        let answers = session.perf_open_over_hibernation(&events.around("run suspend disk"));
        events.have_counted(&answers, [2, 1]);
        assert!(session.kernel_log().contains(RESUMED));
        session.counts(BURST, Platform::packages(), &Wanted::all(probes()));
    });
}
