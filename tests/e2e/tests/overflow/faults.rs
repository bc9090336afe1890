// SPDX-License-Identifier: GPL-2.0

//! Interrupts that do not come as they should. Counts stay right, the driver reports the
//! fault, and no NMI stays unknown, unless another source sent it.

use crate::overflow::clocks::boxes;
use crate::overflow::traffic::Traffic;
use crate::overflow::{by_interrupt, without_unknown_nmis};
use uncore_e2e::fixture::{on, Numbers, Session};

platforms!(; e5);

/// Number of overflows that is enough for each fault to occur.
const OVERFLOWS: u64 = 20;

/// Returns the growth of the driver's numbers in each package while traffic flowed on a
/// machine with this fault.
fn with_fault(session: &mut Session, fault: &str, flow: impl FnOnce(&mut Session)) -> Vec<Numbers> {
    let before = session.overflow();
    session.machine(fault);
    flow(session);
    session.machine("pmi normal");
    let after = session.overflow().into_iter();
    let grown = after.zip(&before);
    grown
        .map(|(after, before)| after.numbers.since(&before.numbers))
        .collect()
}

/// One surplus interrupt, at every moment of the handler.
#[test]
fn interrupts_may_be_repeated() {
    without_unknown_nmis(&by_interrupt(), |session| {
        for fault in [
            "pmi repeat",
            "pmi repeat read",
            "pmi repeat clear",
            "pmi repeat unmask",
            "pmi repeat unfreeze",
        ] {
            let traffic = Traffic::new(&boxes(), OVERFLOWS);
            let grown = with_fault(session, fault, |session| traffic.flow(session));
            for package in grown {
                assert!(package["taken"] > 0, "{fault}: {package:?}");
                assert_eq!(package["caught_by_timer"], 0, "{fault}: {package:?}");
            }
        }
    });
}

/// With two threads per core both threads get the interrupt, and one of them is too late.
#[test]
fn both_threads_of_a_core_may_be_interrupted() {
    let config = by_interrupt().with("smt", "2");
    without_unknown_nmis(&config, |session| {
        let cpus = [0, 4];
        let traffic = Traffic::on_cpus(&boxes(), OVERFLOWS, cpus);
        traffic.flow(session);
        let interrupts = session.interrupts();
        for cpu in [0, 1, 4, 5] {
            let delivered = interrupts.cpus[cpu]["delivered"];
            assert!(delivered > 0, "CPU {cpu}: {interrupts:?}");
        }
    });
}

/// An NMI of another source, long after the last overflow, is not ours: the kernel
/// reports it as usual.
#[test]
fn an_nmi_of_somebody_else_stays_unknown() {
    on(&by_interrupt(), |session| {
        session.ok("insmod /lib/modules/unknown_nmi.ko");
        Traffic::new(&boxes(), 1).flow(session);
        session.ok("sleep 1");
        assert_eq!(session.unknown_nmis(), 0);
        for (turn, cpu) in (1..).zip([0, 1, 2, 3]) {
            session.machine(&format!("nmi {cpu}"));
            session.ok(&format!(
                "until [ $(cat /sys/kernel/debug/unknown_nmi/seen) -ge {turn} ]; do sleep 0.05; done"
            ));
            assert_eq!(session.unknown_nmis(), turn, "CPU {cpu}");
        }
        let log = session.faults().log;
        let said = log.iter().filter(|line| line.contains("unknown reason"));
        assert_eq!(said.count(), 4, "{log:?}");
        session.ok("rmmod unknown_nmi");
    });
}
