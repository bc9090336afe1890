// SPDX-License-Identifier: GPL-2.0

//! What the driver does leaves no memory behind, as the debug kernel's leak
//! detector has it. Other kernels have none.

use crate::lifetime::{samples, without_driver, BURST, LOAD, PACKAGES, UNLOAD};
use ivbep_e2e::fixture::{on, Wanted};
use ivbep_e2e::Flavour;

#[test]
fn loading_counting_refusing_and_unloading_leak_nothing() {
    let config = without_driver().with_leak_detector();
    if config.flavour != Flavour::Debug {
        return;
    }
    on(&config, |session| {
        assert!(session.forget_leaks(), "there is no leak detector");
        session.ok(LOAD);
        session.counts(BURST, &PACKAGES, &Wanted::all(samples()));
        session.fails("perf stat -a -e ivbep_uncore_cbox_0/config=0xffffffff/ -- true");
        session.ok("echo 1 > /sys/bus/pci/devices/0000:7f:08.6/remove");
        session.ok("echo 1 > /sys/bus/pci/rescan");
        session.ok(UNLOAD);
        assert_eq!(session.leaks(), "");
    });
}
