// SPDX-License-Identifier: GPL-2.0

//! Boxes that firmware has locked: their registers read as before, and writes are ignored or
//! fault.

use super::{load, samples, without_driver, BURST};
use crate::overflow::CPUS;
use uncore_e2e::prelude::*;

platforms!(; e5);

/// Locks a box of package 0, loads the driver, and checks that only this box is missing.
fn is_missing(session: &mut Session, probe: &Probe, how: &str) {
    let unit = probe.kind.box_name(probe.instance);
    session.machine(&format!("lock 0 {unit}{how}"));
    load(session);
    let refused = session.perf_open(&[probe.open("event", CPUS[0])]);
    assert_eq!(refused, ["event ENODEV"], "{unit}{how}");
    session.last_rejection_has(&[&unit]);
    session.counts_on(2, 1, BURST, probe);
    let others = samples().into_iter();
    let others =
        others.filter(|other| (other.kind, other.instance) != (probe.kind, probe.instance));
    session.counts(BURST, Platform::packages(), &Wanted::all(others));
    session.unload(Driver::UncoreRs);
    session.machine(&format!("unlock 0 {unit}"));
}

#[test]
fn a_box_that_ignores_writes_is_missing() {
    on(&without_driver(), |session| {
        for probe in samples() {
            is_missing(session, &probe, "");
        }
    });
}

#[test]
fn a_box_whose_writes_fault_is_missing() {
    on(&without_driver(), |session| {
        let by_msr = |probe: &Probe| probe.kind.function(probe.instance).is_none();
        for probe in samples().iter().filter(|probe| by_msr(probe)) {
            is_missing(session, probe, " fault");
        }
    });
}

/// Firmware locks a box while an event counts on it. The event keeps its counter, and counts on, or
/// the log says why not. A later event cannot be programmed: it ends, or is refused.
#[test]
fn a_box_that_is_locked_later_counts_nothing_wrong() {
    on(&without_driver(), |session| {
        let probe = Probe::cbox(0, "llc_lookup.any");
        let later = Probe::cbox(0, "tor_inserts.all");
        for how in ["", " fault"] {
            load(session);
            let answers = session.perf_open(&[
                probe.open("event", CPUS[0]),
                probe.open("elsewhere", CPUS[1]),
                format!("burst {BURST}"),
                format!("machine lock 0 cbox_0{how}"),
                format!("burst {BURST}"),
                "read event".to_owned(),
                format!("try {}", later.open("later", CPUS[0])),
                format!("burst {BURST}"),
                // An event that counts so long has its registers verified when it stops.
                "pause 200000".to_owned(),
                "try disable later".to_owned(),
                "try read later".to_owned(),
                "read event".to_owned(),
                "read elsewhere".to_owned(),
                "machine unlock 0 cbox_0".to_owned(),
            ]);
            // Which waits for the worker that logs.
            session.unload(Driver::UncoreRs);
            let log = session.ok("dmesg -c");
            let of_package = |package| Some(3 * probe.count(package, BURST));
            assert_eq!(reads(&answers, "elsewhere"), [of_package(1)]);
            let [first, last] = reads(&answers, "event")[..] else {
                panic!("{answers:?}");
            };
            assert_eq!(first, Some(2 * probe.count(0, BURST)), "{answers:?}");
            let ended = |probe: &Probe| {
                let one = format!("{} of cbox_0 ", probe.name());
                log.contains(&one) || log.contains("cbox_0 no longer answers")
            };
            assert!(last == of_package(0) || ended(&probe), "{answers:?} {log}");
            let counted = reads(&answers, "later").into_iter().flatten().next();
            assert!(counted.is_none_or(|_| ended(&later)), "{answers:?} {log}");
            load(session);
            session.counts(
                BURST,
                Platform::packages(),
                &Wanted::all([probe.clone(), later.clone()]),
            );
            session.unload(Driver::UncoreRs);
        }
    });
}
