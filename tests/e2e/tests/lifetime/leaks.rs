// SPDX-License-Identifier: GPL-2.0

//! Memory that nobody refers to any more, as the kernel's leak detector finds
//! it. Only the debug kernel has one.

use crate::lifetime::{samples, without_driver, BURST, LOAD, PACKAGES, UNLOAD};
use ivbep_e2e::fixture::{on, Session, Wanted};
use ivbep_e2e::Config;

const DETECTOR: &str = "/sys/kernel/debug/kmemleak";

/// What is lost since it was last cleared. The detector looks at memory that is
/// some seconds old, and believes a loss when it sees it twice.
fn lost(session: &mut Session) -> String {
    session.ok(&format!(
        "sleep 6; echo scan > {DETECTOR}; sleep 1; echo scan > {DETECTOR}; cat {DETECTOR}"
    ))
}

#[test]
fn loading_counting_refusing_and_unloading_leak_nothing() {
    let config = Config {
        append: "kmemleak=on".to_owned(),
        ..without_driver()
    };
    on(&config, |session| {
        if session.run(&format!("test -e {DETECTOR}")).status != 0 {
            return;
        }
        session.ok(&format!("echo scan > {DETECTOR}; echo clear > {DETECTOR}"));
        for _ in 0..2 {
            session.ok(LOAD);
            session.counts(BURST, &PACKAGES, &Wanted::all(samples()));
            session.fails("perf stat -a -e ivbep_uncore_cbox_0/config=0xffffffff/ -- true");
            session.ok("echo 1 > /sys/bus/pci/devices/0000:7f:08.6/remove");
            session.ok("echo 1 > /sys/bus/pci/rescan");
            session.ok(UNLOAD);
        }
        let lost = lost(session);
        assert_eq!(lost, "");
    });
}
