// SPDX-License-Identifier: GPL-2.0

//! NMIs of other sources while intervals count or the self-test runs: each reaches its own
//! handler, and none passes for an interrupt of the uncore.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::Traffic;
use crate::overflow::{by_interrupt, without_unknown_nmis, CPUS};
use uncore_e2e::prelude::*;

platforms!(; e5);

/// Number of overflows in whose midst an NMI comes.
const OVERFLOWS: u64 = 20;

/// The kernel's handlers of external NMIs complain: the test expects that.
fn log_of(session: &mut Session) -> String {
    session.faults();
    session.ok("dmesg -c")
}

/// Number of times that NMIs may come. A processor remembers one NMI: an interrupt of the
/// uncore at the same moment hides the other. So does an NMI that comes while the computer
/// lets the emulated processor wait.
const ATTEMPTS: usize = 5;

/// Port 0x61 names the source of these NMIs, which come to CPU 0 as the interrupts of
/// package 0 do. The kernel asks there only if no handler has claimed the NMI.
#[test]
fn external_nmis_reach_the_kernels_handler() {
    on(&by_interrupt(), |session| {
        for (source, said) in [
            ("serr", "NMI: PCI system error (SERR)"),
            ("iochk", "NMI: IOCK error"),
        ] {
            log_of(session);
            let traffic = Traffic::new(&boxes(), OVERFLOWS);
            let traffic = traffic.meanwhile("pause 5000");
            let traffic = traffic.meanwhile(format!("machine nmi {source}"));
            let handled = (0..ATTEMPTS).any(|_| {
                traffic.flow(session);
                log_of(session).contains(said)
            });
            assert!(handled, "{source}: the kernel's handler was never asked");
        }
    });
}

/// The NMI button names no source.
#[test]
fn the_nmi_button_reaches_the_kernels_handler() {
    on(&by_interrupt(), |session| {
        session.ok("insmod /lib/modules/unknown_nmi.ko");
        let enough = (0..ATTEMPTS).any(|_| {
            let presses = (0..10).flat_map(|_| ["pause 5000", "machine nmi 0"]);
            let traffic = Traffic::new(&boxes(), OVERFLOWS);
            presses.fold(traffic, Traffic::meanwhile).flow(session);
            session.unknown_nmis() >= 5
        });
        assert!(enough, "{}", session.unknown_nmis());
        assert!(log_of(session).contains("unknown reason"));
        session.ok("rmmod unknown_nmi");
    });
}

/// `perf record -a` samples all CPUs while the driver tests the interrupt. Each sample is an
/// interrupt through the same LVTPC. The last one is handled before perf ends: the kernel
/// claims no interrupt of the cores once nobody samples.
#[test]
fn sampling_changes_nothing_in_the_self_test() {
    const SAMPLING: &str = "perf record -q -a -e cache-misses -c 100000 -o /dev/null \
                            -- sleep 1000 & \
                            until machine core-pmi 3 2>/dev/null; do sleep 0.1; done; while [ ! -e /tmp/tested ]; do \
                            for cpu in 0 1 2 3; do machine core-pmi $cpu 2>/dev/null; done; \
                            done & triggers=$!; ";
    let config = Config::of(Driver::None).with("core-pmu", "on");
    without_unknown_nmis(&config, |session| {
        for (fault, mode) in [("pmi normal", ": pmi: "), ("pmi drop", ": poll: ")] {
            session.machine(fault);
            // A slow computer needs longer for the self-test than the limit allows.
            session.load(Driver::UncoreRs, &["frozen_limit=100".to_owned()]);
            session.machine("free-run on");
            session.machine("clear-interrupts");
            let clock = Probe::ha(0, "clockticks");
            let opens = CPUS.map(|cpu| {
                let open = clock.open_every(&format!("event{cpu}"), cpu, u32::MAX.into());
                format!("'try {open}'")
            });
            session.ok(&format!(
                "{SAMPLING} perf-open {} 'run grep ^package \
                 /sys/kernel/debug/uncore_rs/overflow >/tmp/modes'; \
                 touch /tmp/tested; wait $triggers; killall perf; wait; rm /tmp/tested",
                opens.join(" ")
            ));
            session.machine("free-run off");
            let modes = session.ok("cat /tmp/modes");
            assert!(modes.lines().all(|line| line.contains(mode)), "{modes}");
            let samples = session.interrupts().of_cpus("core");
            assert!(samples >= 4, "{samples}");
            session.unload(Driver::UncoreRs);
            session.machine("pmi normal");
        }
    });
}
