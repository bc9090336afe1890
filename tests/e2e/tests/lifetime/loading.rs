// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading: alone, with events open, beside the in-kernel driver.

use crate::lifetime::{loaded, new_log, samples, without_driver, BURST, LOAD};
use uncore_e2e::prelude::*;

#[test]
fn load_count_unload_and_again() {
    platforms!(each);
    on(&without_driver(), |session| {
        for _ in 0..3 {
            session.ok(LOAD);
            session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
            session.ok(UNLOAD);
            assert_eq!(
                session.ok(&format!(
                    "cd {DEVICES} && ls | grep -c {}_ || true",
                    Platform::current().name()
                )),
                "0\n"
            );
        }
    });
}

/// No CPU is online that can reset the registers of package 1.
#[test]
fn a_package_may_be_offline_when_it_is_unloaded() {
    platforms!(; e5 polled);
    let switch = |on| [2, 3].map(|cpu| switch(cpu, on)).join(" && ");
    on(&without_driver(), |session| {
        session.ok(LOAD);
        session.ok(&switch(false));
        session.ok(UNLOAD);
        session.ok(&switch(true));
        session.ok(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}

#[test]
fn unloading_is_refused_while_an_event_is_open() {
    platforms!(; each);
    loaded(|session| {
        let probe = &samples()[0];
        let answers = session.perf_open(&[
            probe.open("event", 0),
            format!("burst {BURST}"),
            format!("run ! {UNLOAD} 2>/dev/null"),
            format!("burst {BURST}"),
            "read event".to_owned(),
        ]);
        assert_eq!(reads(&answers, "event"), [Some(2 * probe.count(0, BURST))]);
    });
}

#[test]
fn a_parameter_that_means_nothing_fails_the_load() {
    platforms!(; e5 polled);
    on(&without_driver(), |session| {
        for parameter in [
            "alias=some",
            "alias=",
            "names=pretty",
            "names=plain",
            "overflow=never",
            "tamper=ignore",
            "filters=two",
            "frozen_limit=many",
        ] {
            session.fails(&format!("{LOAD} {parameter}"));
        }
        session.ok(&format!("{LOAD} alias=none names=native"));
        session.ok(UNLOAD);
    });
}

/// The sentence in the log names the other driver and the way out.
#[test]
fn beside_the_in_kernel_driver_it_does_not_load() {
    platforms!(; e5 polled client);
    on(&without_driver(), |session| {
        session.tolerate_missing_ones();
        session.ok("insmod /lib/modules/intel-uncore.ko");
        new_log(session);
        session.fails(LOAD);
        let log = new_log(session);
        let names_both = |line: &str| {
            ["uncore_rs", "intel_uncore"]
                .iter()
                .all(|name| line.contains(name))
        };
        assert!(log.lines().any(names_both), "{log}");
        let way_out = ["modprobe -r intel_uncore", "rmmod intel_uncore"];
        assert!(way_out.iter().any(|command| log.contains(command)), "{log}");
        session.ok("perf stat -a -e uncore_cbox_0/event=0/ -- true");

        session.ok("rmmod intel_uncore");
        session.faults();
        session.ok(LOAD);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
        assert_eq!(session.faults().violations, Vec::<String>::new());
    });
}

/// The other driver gives up before it writes a register.
#[test]
fn the_in_kernel_driver_does_not_load_beside_it() {
    platforms!(; each);
    on(&without_driver(), |session| {
        session.ok(LOAD);
        let before = session.state();
        session.machine("log on");
        let said = session.fails("insmod /lib/modules/intel-uncore.ko");
        assert!(said.contains("resource busy"), "{said}");
        session.machine("log off");
        let log = session.machine("log take");
        let is_write = |line: &&str| line.starts_with("wrmsr") || line.starts_with("cfgw");
        let written: Vec<_> = log.lines().filter(is_write).collect();
        assert!(written.is_empty(), "{written:?}");
        assert_eq!(session.state(), before);
        session.counts(BURST, Platform::packages(), &Wanted::all(samples()));
        session.ok(UNLOAD);
    });
}
