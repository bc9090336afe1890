// SPDX-License-Identifier: GPL-2.0

//! Boxes that firmware has locked: their registers read as before, and writes are ignored or
//! fault.

use super::{load, samples, without_driver, BURST};
use crate::overflow::CPUS;
use uncore_e2e::prelude::*;

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
