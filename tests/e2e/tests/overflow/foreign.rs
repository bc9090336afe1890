// SPDX-License-Identifier: GPL-2.0

//! NMIs of other sources while intervals count: each reaches its own handler, and none passes for an
//! interrupt of the uncore.

use crate::overflow::by_interrupt;
use crate::overflow::clocks::boxes;
use crate::overflow::traffic::Traffic;
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
