// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading of the driver, and machines on which something is missing or
//! broken. The machine boots without a driver; each test prepares the machine and then
//! loads it.

mod broken;
mod deadlocks;
mod leaks;
mod loading;
mod rescan;
mod tampered;

use uncore_e2e::prelude::*;

pub(crate) const BURST: u64 = 1_000_000;

const LOAD: &str = "insmod /lib/modules/uncore_rs.ko";

/// The usual machine; firmware wrote the number of C-Boxes where it belongs.
pub(crate) fn without_driver() -> Config {
    let config = Config::of(Driver::None);
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => config.with("numc", "3"),
        platform => match platform.asked().number_of_cboxes {
            Some(number) => config.with("numc", number),
            None => config,
        },
    }
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
    match Platform::current() {
        Platform::Ivbep | Platform::Bdx => samples_of_xeons(),
        platform => (platform.asked().loaded)(),
    }
}

fn samples_of_xeons() -> Vec<Probe> {
    let common = [
        Probe::cbox(0, "llc_lookup.any"),
        Probe::imc(0, "cas_count.rd"),
        Probe::ubox("clockticks"),
        Probe::ha(0, "addr_opc_match.opc").home_opcode(0x3f),
        Probe::irp(1, "transactions.writes"),
        Probe::pcu("freq_band1_cycles").band(1, 30),
        Probe::qpi(0, "message.drs.anydatac"),
        Probe::r2pcie("rxr_occupancy.drs"),
        Probe::r3qpi(0, "ring_bl_used.cw"),
    ];
    let sbox = Probe::sbox_if_any("ring_bl_used.up");
    common.into_iter().chain(sbox).collect()
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
