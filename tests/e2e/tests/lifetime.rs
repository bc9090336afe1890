// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading of the driver. The machine boots without a driver; each test prepares the
//! machine and then loads it.

mod deadlocks;
mod leaks;
mod loading;
mod rescan;
mod tampered;

use uncore_e2e::prelude::*;

pub(crate) const BURST: u64 = 1_000_000;

const LOAD: &str = "insmod /lib/modules/uncore_rs.ko";

/// The usual machine.
pub(crate) fn without_driver() -> Config {
    Config::of(Driver::None)
}

/// Runs a test on that machine, with the driver loaded meanwhile.
fn loaded(test: impl FnOnce(&mut Session)) {
    on(&without_driver(), |session| {
        session.ok(LOAD);
        test(session);
        session.ok(UNLOAD);
    });
}

/// One event of each box type.
pub(crate) fn samples() -> Vec<Probe> {
    let all = uncore_e2e::fixture::samples();
    all.filter(|probe| probe.instance == 0).collect()
}

/// Returns the kernel's messages since boot or since the last call.
fn new_log(session: &mut Session) -> String {
    session.ok("dmesg -c")
}

/// Returns a step that waits until the kernel has logged some words: the driver handles
/// its findings in a worker.
fn until_logged(words: &str) -> String {
    let pattern = words.replace(' ', ".");
    format!("run until dmesg | grep -q {pattern}; do sleep 0.05; done")
}

/// Returns the kernel's name of the PCI function of a box.
fn device(package: usize, kind: BoxKind, instance: u8) -> String {
    let function = Function::of(package, kind, instance);
    function.unwrap_or_else(|| panic!("{kind}")).folder()
}
