// SPDX-License-Identifier: GPL-2.0

//! LIKWID, in its perf mode: it finds the PMUs and shows the counts of the definition.

use super::{machine, COMPAT};
use std::collections::BTreeMap;
use uncore_e2e::prelude::*;

const BURST: u64 = 1_000_000;

/// CPUs that it counts on: one of each package.
const CPUS: &str = "0,2";

/// Program that it starts; its arguments it would take apart. It reads all counters once
/// soon after the start, and stops them for that time: the burst is later.
const PROGRAM: &str = "/tmp/late-burst";

/// Returns its event and counter, `EVENT:COUNTER`, with the probe, on each type of box.
fn events() -> Vec<(String, Probe)> {
    let channels = (0..8).flat_map(|i| {
        [
            (
                format!("CAS_COUNT_RD:MBOX{i}C0"),
                Probe::imc(i, "cas_count.rd"),
            ),
            (
                format!("CAS_COUNT_WR:MBOX{i}C1"),
                Probe::imc(i, "cas_count.wr"),
            ),
        ]
    });
    let others = [
        (
            "LLC_VICTIMS_M_STATE:CBOX0C0",
            Probe::cbox(0, "llc_victims.m_state"),
        ),
        ("TOR_INSERTS_ALL:CBOX2C1", Probe::cbox(2, "tor_inserts.all")),
        ("REQUESTS_READS:BBOX0C0", Probe::ha(0, "requests.reads")),
        ("REQUESTS_WRITES:BBOX1C1", Probe::ha(1, "requests.writes")),
        (
            "CORE0_TRANSITION_CYCLES:WBOX0",
            Probe::pcu("core0_transition_cycles"),
        ),
        (
            "TXL_FLITS_G0_DATA:SBOX0C0",
            Probe::qpi(0, "txl_flits_g0.data"),
        ),
        ("RXL_INSERTS:SBOX1C0", Probe::qpi(1, "rxl_inserts")),
        ("RXR_INSERTS_NCB:PBOX0", Probe::r2pcie("rxr_inserts.ncb")),
        (
            "RXR_INSERTS_HOM:RBOX1C0",
            Probe::r3qpi(1, "rxr_inserts.hom"),
        ),
        (
            "EVENT_MSG_VLW_RCVD:UBOX0",
            Probe::ubox("event_msg.vlw_rcvd"),
        ),
        ("UNCORE_CLOCK:UBOXFIX", Probe::ubox("clockticks")),
        (
            "TRANSACTIONS_READS:IBOX0C0",
            Probe::irp(0, "transactions.reads"),
        ),
    ];
    let others = others
        .into_iter()
        .map(|(name, probe)| (name.to_owned(), probe));
    channels.chain(others).collect()
}

/// Counts the events. Returns the values of each, one for each CPU.
fn counted(session: &mut Session, events: &[&str]) -> BTreeMap<String, Vec<String>> {
    session.ok(&format!(
        "printf '#!/bin/sh\\nsleep 1; exec burst {BURST}\\n' > {PROGRAM} && chmod +x {PROGRAM}"
    ));
    let command = format!(
        "likwid-perfctr -f -O -c {CPUS} -g {} {PROGRAM} 2>&1",
        events.join(","),
    );
    let said = session.run(&command).stdout;
    let lines = said.lines().map(|line| line.split(',').map(str::to_owned));
    lines
        .filter_map(|mut words| {
            let name = format!("{}:{}", words.next()?, words.next()?);
            Some((name, words.filter(|word| !word.is_empty()).collect()))
        })
        .collect()
}

#[test]
#[ignore = "make test-judges runs it"]
fn its_counters_show_what_the_definition_says() {
    on(&machine(&COMPAT), |session| {
        session.tolerate_violations(); // It reads all of the configuration spaces.
        let events = events();
        let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
        let shown = counted(session, &names);
        let wrong = events.iter().filter_map(|(name, probe)| {
            let packages = Platform::packages().iter();
            let expected: Vec<String> = packages
                .map(|&package| probe.count(package, BURST).to_string())
                .collect();
            let shown = shown.get(name);
            (shown != Some(&expected)).then(|| format!("{name}: {shown:?}, not {expected:?}"))
        });
        assert_none(&wrong.collect::<Vec<_>>());
    });
}
