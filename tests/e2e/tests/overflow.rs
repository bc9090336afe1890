// SPDX-License-Identifier: GPL-2.0

//! Counters that overflow: noticed by interrupt where a box has one, by polling
//! elsewhere. No count may be lost, and no NMI may stay unknown.
//!
//! Expected counts follow from the traffic definition, which gives the points where a
//! burst stops and goes on, and from the widths of the counters. In `make test` the tests
//! with many repetitions take few of them; with `UNCORE_REPEAT=all`, as `make
//! test-overflow-newest-plain` sets it, they take all.

pub(crate) mod clocks;
mod faults;
mod foreign;
mod harmless;
mod intervals;
mod loading;
mod matrix;
mod sleep;
mod together;
pub(crate) mod traffic;

use uncore_e2e::prelude::*;

/// Activities of an interrupted CPU, by their names in `tests/guest/nmi/busy_cpu.c`.
const BUSY: [&str; 3] = ["kernel", "irqs-off", "pci"];

/// Packages of the usual machine.
const PACKAGES: [u8; 2] = [0, 1];

/// First CPU of each package.
pub(crate) const CPUS: [u16; 2] = [0, 2];

/// The usual machine with a driver that is told to use interrupts, however long they freeze
/// the counters: an emulated processor takes a hundred times longer than hardware. Without
/// traffic while it is loaded, the driver cannot test them.
pub(crate) fn by_interrupt() -> Config {
    let parameters = ["overflow=pmi", "frozen_limit=100"];
    Config {
        parameters: parameters.map(str::to_owned).to_vec(),
        ..Config::default()
    }
}

/// Duration, in nanoseconds, from which the kernel reports an NMI handler as slow: one that
/// waits without end. What a handler costs is counted on the host, in accesses.
const ENDLESS_NS: u64 = 10_000_000_000;

/// Runs a test on a machine whose idle cores are awake to PMIs and which counts unknown NMIs.
/// There must be no unknown NMI, and our handler must not wait. The kernel's own handlers take
/// as long as the computer lets an emulated processor wait for one of its own.
pub(crate) fn without_unknown_nmis(config: &Config, test: impl FnOnce(&mut Session)) {
    on(config, |session| {
        session.ok(&format!(
            "echo {ENDLESS_NS} > /sys/kernel/debug/x86/nmi_longest_ns"
        ));
        session.ok("insmod /lib/modules/unknown_nmi.ko");
        session.machine("clear-interrupts");
        session.machine("reading + U-44:b");
        // An earlier test on this machine may have left messages.
        session.ok("dmesg -c >/dev/null");
        test(session);
        assert_eq!(session.unknown_nmis(), 0);
        session.ok("rmmod unknown_nmi");
        session.machine("reading - U-44:b");
        let log = session.ok("dmesg");
        let is_ours = |line: &&str| line.contains("NMI handler") && line.contains("[uncore_rs]");
        assert_eq!(log.lines().find(is_ours), None);
    });
}

/// Runs a test while the interrupted CPUs are busy.
fn busy(session: &mut Session, how: &str, test: impl FnOnce(&mut Session)) {
    let [first, second] = CPUS;
    session.ok(&format!(
        "insmod /lib/modules/busy_cpu.ko cpus={first},{second} how={how}"
    ));
    test(session);
    session.ok("rmmod busy_cpu");
}

/// Returns `many` if there is time, a tenth of it in `make test`.
fn few_or(many: u64) -> u64 {
    if repeats_all() {
        many
    } else {
        many / 10
    }
}
