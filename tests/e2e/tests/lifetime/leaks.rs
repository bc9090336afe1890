// SPDX-License-Identifier: GPL-2.0

//! The driver loses no memory, according to the debug kernel's leak detector. Other
//! kernels have no such detector.

use crate::lifetime::{samples, without_driver, BURST, LOAD};
use uncore_e2e::prelude::*;

#[test]
#[ignore = "needs the debug kernel"]
fn loading_counting_refusing_and_unloading_leak_nothing_on_debug() {
    let config = without_driver();
    assert_eq!(config.flavour, Flavour::Debug);
    on(&config, |session| {
        assert!(session.forget_leaks(), "there is no leak detector");
        session.ok(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.fails("perf stat -a -e ivbep_uncore_cbox_0/config=0xffffffff/ -- true");
        session.ok("echo 1 > /sys/bus/pci/devices/0000:7f:08.6/remove");
        session.ok("echo 1 > /sys/bus/pci/rescan");
        session.ok(UNLOAD);
        assert_eq!(session.leaks(), "");
    });
}
