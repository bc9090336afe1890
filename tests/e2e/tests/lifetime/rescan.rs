// SPDX-License-Identifier: GPL-2.0

//! Functions that are unplugged while events count, and found again.

use crate::lifetime::{device, loaded, BURST};
use uncore_e2e::fixture::counts_in_part;
use uncore_e2e::prelude::*;

const RESCAN: &str = "echo 1 > /sys/bus/pci/rescan";

/// Folder in which a function is bound and unbound.
const DRIVER: &str = "/sys/bus/pci/drivers/uncore_rs";

fn remove(device: &str) -> String {
    format!("echo 1 > {device}/remove")
}

/// An event of each kind of box that is a PCI function.
fn plugged() -> [Probe; 6] {
    [
        Probe::imc(2, "cas_count.rd"),
        Probe::ha(1, "addr_opc_match.ad").home_opcode(0x3f),
        Probe::qpi(1, "message.drs.anydatac"),
        Probe::r2pcie("ring_bl_used.cw"),
        Probe::r3qpi(1, "rxr_inserts.hom"),
        Probe::irp(1, "transactions.reads_orderingq"),
    ]
}

/// An event that stays open keeps its count while its box is removed, and continues when
/// the box is found again. Neither its count nor its running time includes the time
/// between. Another event counts beside it.
#[test]
fn an_event_that_stays_open_misses_only_what_it_cannot_see() {
    loaded(|session| {
        for probe in plugged() {
            let device = device(0, probe.kind, probe.instance);
            let burst = format!("burst {BURST}");
            let answers = session.perf_open(&[
                probe.open("stays", 0),
                burst.clone(),
                format!("run {}", remove(&device)),
                burst.clone(),
                "read stays".to_owned(),
                format!("run {RESCAN}"),
                probe.open("again", 0),
                "steady stays".to_owned(),
                burst,
                "read stays".to_owned(),
                "read again".to_owned(),
            ]);
            let counted = probe.count(0, BURST);
            counts_in_part(&answers[1], "stays", counted);
            counts_in_part(&answers[3], "stays", 2 * counted);
            let again = format!("again {counted} ");
            assert!(answers[4].starts_with(&again), "{probe:?}: {answers:?}");
        }
    });
}

/// A user who disables an event while its box is removed has it off.
#[test]
fn an_event_that_its_user_disables_as_its_box_goes_stays_off() {
    loaded(|session| {
        let probe = Probe::qpi(0, "txl_inserts");
        let device = device(0, probe.kind, probe.instance);
        let answers = session.perf_open(&[
            probe.open("event", 0),
            format!(
                "run cd {DRIVER}; (function=$(basename {device}); \
                 for turn in $(seq 100); do \
                     echo $function > unbind; echo $function > bind; \
                 done; touch /tmp/bound) > /dev/null 2>&1 &"
            ),
            "times 500 enable event; pause 100; disable event; \
             read event; pause 100; read event"
                .to_owned(),
            "run until [ -e /tmp/bound ]; do sleep 0.01; done; rm /tmp/bound".to_owned(),
        ]);
        let reads: Vec<&[String]> = answers[1..].chunks(2).collect();
        assert_eq!(reads.len(), 500, "{answers:?}");
        let on = reads.iter().filter(|read| read[0] != read[1]);
        assert_eq!(on.count(), 0, "{answers:?}");
    });
}

/// A user who may not count removes a box: its events have no running time from then on, and a
/// pinned one is in error.
#[test]
fn events_end_whoever_removes_their_box() {
    loaded(|session| {
        let probe = Probe::qpi(0, "txl_inserts");
        let device = device(0, probe.kind, probe.instance);
        let answers = session.perf_open(&[
            probe.open("event", 0),
            probe.open("pinned", 0) + " pinned",
            "user dac_override".to_owned(),
            format!("run {}", remove(&device)),
            "read event".to_owned(),
            "pause 1000".to_owned(),
            "read event".to_owned(),
            "read pinned".to_owned(),
        ]);
        session.ok(RESCAN);
        let running = |answer: &String| answer.rsplit_once(' ').map(|(_, time)| time.to_owned());
        assert_eq!(running(&answers[2]), running(&answers[3]), "{answers:?}");
        assert_eq!(answers[4], "pinned error", "{answers:?}");
    });
}
