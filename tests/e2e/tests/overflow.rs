// SPDX-License-Identifier: GPL-2.0

//! Counters that overflow: by interrupt where a box has one, by polling
//! elsewhere. Nothing may be lost, no NMI may be left that nobody knows.
//!
//! What is expected follows from the traffic definition, which says where a
//! burst stops and where it goes on, and from the widths of the counters. In
//! `make test` the tests with many repetitions take few of them; with
//! `IVBEP_OVERFLOWS=many`, as `make test-overflow-newest-plain` sets it, they take
//! all.

mod clocks;
mod faults;
mod intervals;
mod loading;
mod matrix;
mod polled;
mod together;
mod traffic;
mod wraps;

use ivbep_e2e::fixture::{on, Session};
use ivbep_e2e::Config;

/// What a CPU that is interrupted may be doing, as `tests/guest/nmi/busy_cpu.c`
/// names it.
const BUSY: [&str; 3] = ["kernel", "irqs-off", "pci"];

/// Packages of the usual machine.
const PACKAGES: [u8; 2] = [0, 1];

/// A CPU of each package: the first.
const CPUS: [u16; 2] = [0, 2];

/// The usual machine, whose driver is told to take interrupts: without traffic
/// while it is loaded there is nothing that it could try them with.
fn by_interrupt() -> Config {
    Config {
        parameters: vec!["overflow=pmi".to_owned()],
        ..Config::default()
    }
}

/// From so many nanoseconds on a plain kernel says that a handler of NMIs takes
/// long: more than an emulated processor loses to others of the computer. Where all
/// takes longer, they run for longer, too, and more often.
const LONG_NS: u32 = 100_000_000;

/// A test on a machine whose cores are awake though they have nothing to do, and
/// on which unknown NMIs are counted. There must be none, and none that took long
/// to handle.
fn without_unknown_nmis(config: &Config, test: impl FnOnce(&mut Session)) {
    on(config, |session| {
        let patience = LONG_NS * config.flavour.factor().pow(2);
        session.ok(&format!(
            "echo {patience} > /sys/kernel/debug/x86/nmi_longest_ns"
        ));
        session.ok("insmod /lib/modules/unknown_nmi.ko");
        session.machine("clear-interrupts");
        session.machine("idle shallow");
        // Who had this machine before may not have cared.
        session.ok("dmesg -c >/dev/null");
        test(session);
        assert_eq!(session.unknown_nmis(), 0);
        session.ok("rmmod unknown_nmi");
        let log = session.ok("dmesg");
        let complaint = log.lines().find(|line| line.contains("NMI handler"));
        assert_eq!(complaint, None);
    });
}

/// A test while the CPUs that are interrupted are busy.
fn busy(session: &mut Session, how: &str, test: impl FnOnce(&mut Session)) {
    let [first, second] = CPUS;
    session.ok(&format!(
        "insmod /lib/modules/busy_cpu.ko cpus={first},{second} how={how}"
    ));
    test(session);
    session.ok("rmmod busy_cpu");
}

/// So many where there is time, a tenth of them in `make test`.
fn few_or(many: u64) -> u64 {
    match std::env::var("IVBEP_OVERFLOWS").as_deref() {
        Ok("many") => many,
        _ => many / 10,
    }
}
