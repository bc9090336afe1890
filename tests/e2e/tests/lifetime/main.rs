// SPDX-License-Identifier: GPL-2.0

//! The driver's coming and going: loading, unloading, and machines on which
//! something is missing or broken. The machine boots without a driver, each
//! test loads it when the stage is set.

mod broken;
mod loading;

use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::Session;
use ivbep_e2e::{Config, Driver};

const PACKAGES: [u8; 2] = [0, 1];
const BURST: u64 = 1_000_000;

const LOAD: &str = "insmod /lib/modules/ivbep_uncore.ko";
const UNLOAD: &str = "rmmod ivbep_uncore";
const DEVICES: &str = "/sys/bus/event_source/devices";

/// The usual machine; firmware wrote the number of C-Boxes where it belongs.
fn without_driver() -> Config {
    let config = Config {
        driver: Driver::None,
        ..Config::default()
    };
    config.with("numc", "3")
}

/// One event of each box type.
fn samples() -> [Probe; 3] {
    [
        Probe::cbox(0, "llc_lookup.any"),
        Probe::imc(0, "cas_count.rd"),
        Probe::ubox("clockticks"),
    ]
}

/// What the kernel has logged since the machine was booted or this was last
/// asked.
fn new_log(session: &mut Session) -> String {
    session.ok("dmesg -c")
}

fn cpumask(session: &mut Session, pmu: &str) -> String {
    let mask = session.ok(&format!("cat {DEVICES}/{pmu}/cpumask"));
    mask.trim().to_owned()
}
