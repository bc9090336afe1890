// SPDX-License-Identifier: GPL-2.0

//! Hibernation on a disk: the kernel writes an image of its memory there, and later goes on
//! from it.

use crate::power::{probes, Events, BURST};
use uncore_e2e::prelude::*;

platforms!(; client first);

/// Message of the kernel when it goes on from an image.
const RESUMED: &str = "Image loading done";

/// The kernel goes on from the image after a boot, on a machine just out of reset.
#[test]
fn counts_go_on_over_two_boots() {
    on(&Config::default().with("disk", "on"), |session| {
        session.ok("mkswap /dev/vda && swapon /dev/vda && echo shutdown > /sys/power/disk");
        let events = Events::new();
        let answers = session.perf_open_over_hibernation(&events.around("run suspend disk"));
        events.have_counted(&answers, [2, 1]);
        assert!(session.kernel_log().contains(RESUMED));
        session.counts(BURST, Platform::packages(), &Wanted::all(probes()));
    });
}
