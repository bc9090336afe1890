// SPDX-License-Identifier: GPL-2.0

//! Both access paths to registers in configuration space. Reads go through memory if the
//! kernel and the firmware agree on its address and it shows the same values as the
//! ports. Writes always go through the ports. Counts are the same either way.

use super::{usual_machine, BURST};
use uncore_e2e::cost::Cost;
use uncore_e2e::prelude::*;

/// Message in the log if memory shows other values than the ports.
const DIFFERS: &str = "not using memory-mapped config space";

/// An event of each type of box in configuration space that needs no register above 0xff.
fn probes() -> [Probe; 6] {
    [
        Probe::ha(0, "bt_occupancy.local"),
        Probe::imc(0, "cas_count.rd"),
        Probe::irp(0, "transactions.reads"),
        Probe::qpi(0, "txl_flits_g0.data"),
        Probe::r2pcie("clockticks"),
        Probe::r3qpi(0, "clockticks"),
    ]
}

/// Counts in these boxes, and checks that each counter is read by `way` and no other.
fn is_read_by(session: &mut Session, way: &str) {
    session.counts(BURST, Platform::packages(), &Wanted::all(probes()));
    for probe in probes() {
        for cpu in [0, 2] {
            let steps = [
                &probe.open("a", cpu),
                // A counter that has not moved is looked at.
                "burst 1000",
                "cost read a",
                "cost disable a",
                "close a",
            ];
            let output = session.perf_open(&steps).join("\n");
            let costs = Cost::all(&output);
            let [read, disable] = costs.as_slice() else {
                panic!("`{output}`");
            };
            let name = probe.name();
            assert_eq!(read.figure(way), 2, "{name}: {output}");
            assert_eq!(read.accesses(), 2, "{name}: {output}");
            let written = disable.figure("port-write");
            assert!(written > 0, "{name}: {output}");
            let accesses = disable.figure(way) + written;
            assert_eq!(disable.accesses(), accesses, "{name}: {output}");
        }
    }
}

#[test]
fn is_read_from_memory() {
    on(&usual_machine(), |session| {
        is_read_by(session, "memory-read");
        assert!(!session.ok("dmesg").contains(DIFFERS));
    });
}

#[test]
fn is_read_through_ports_if_the_kernel_does_not_use_memory() {
    let config = Config {
        append: "pci=nommconf".to_owned(),
        ..usual_machine()
    };
    on(&config, |session| {
        is_read_by(session, "port-read");
        assert!(!session.ok("dmesg").contains(DIFFERS));
    });
}

#[test]
fn is_read_through_ports_if_memory_shows_something_else() {
    on(&usual_machine().with("ecam", "off"), |session| {
        is_read_by(session, "port-read");
        let log = session.ok("dmesg");
        assert_eq!(log.matches(DIFFERS).count(), 1, "{log}");
    });
}
