// SPDX-License-Identifier: GPL-2.0

//! The machine's fidelity: the kernel's own driver, which knows nothing of
//! this project, loads on it and counts the same traffic.
//!
//! Only what that driver gets right is asked of it (no event that it places
//! on a wrong counter), and the registers it misuses are not held against it.

use ivbep_e2e::catalogue::{BoxKind, Catalogue};
use ivbep_e2e::expect::Setting;
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on, Wanted};
use ivbep_e2e::{Config, Driver};

const PACKAGES: [u8; 2] = [0, 1];
const CHANNELS: u8 = 8;
const BURST: u64 = 1_000_000;

fn in_kernel_driver() -> Config {
    Config {
        driver: Driver::IntelUncore,
        ..Config::default()
    }
}

/// C-Boxes that driver sees: it takes one for each core.
const CBOXES: u8 = 2;

#[test]
fn it_finds_the_boxes() {
    on(&in_kernel_driver(), |session| {
        session.tolerate_violations();
        let listed = session.ok("ls /sys/bus/event_source/devices");
        let boxes = |unit: &str, count: u8| {
            (0..count)
                .map(move |i| format!("uncore_{unit}_{i}"))
                .collect::<Vec<_>>()
        };
        let mut expected = [
            boxes("cbox", CBOXES),
            boxes("imc", CHANNELS),
            boxes("ha", 2),
        ]
        .concat();
        expected.extend(["ubox", "pcu", "irp", "r2pcie"].map(|unit| format!("uncore_{unit}")));
        for pmu in expected {
            assert!(
                listed.lines().any(|line| line == pmu),
                "no {pmu} in\n{listed}"
            );
        }
    });
}

#[test]
fn it_counts_memory_channels() {
    on(&in_kernel_driver(), |session| {
        session.tolerate_violations();
        let rows: Vec<_> = Catalogue::get().of(BoxKind::Imc).collect();
        for (rows, channel) in rows.chunks(4).zip((0..CHANNELS).cycle()) {
            let events = rows
                .iter()
                .map(|row| Probe::raw(row.kind, channel, Setting::row(row)));
            let fixed = Probe::imc(channel, "clockticks");
            let all = events.chain([fixed]).map(|probe| Wanted::in_kernel(&probe));
            session.counts(BURST, &PACKAGES, &all.collect::<Vec<Wanted>>());
        }
    });
}

#[test]
fn it_counts_cboxes() {
    on(&in_kernel_driver(), |session| {
        session.tolerate_violations();
        let probe = |name| Probe::cbox(0, name);
        for probes in [
            vec![
                probe("clockticks"),
                probe("misc.started"),
                probe("ring_ad_used.up"),
            ],
            vec![probe("rxr_occupancy.irq"), probe("llc_victims.m_state")],
            vec![
                probe("llc_lookup.any").state(0x3f),
                probe("rxr_inserts.irq"),
            ],
            vec![probe("llc_lookup.nid").state(0x21).nid(0xf000)],
            vec![
                probe("tor_inserts.opcode").opc(0x182),
                probe("ring_bl_used.down"),
            ],
            vec![probe("tor_inserts.miss_opcode").opc(0x19e)],
            vec![probe("tor_inserts.nid_opcode").opc(0x1e6).nid(0x8000)],
            vec![
                probe("tor_occupancy.all").thresh(10),
                probe("ring_ak_used.up"),
            ],
            vec![probe("tor_occupancy.all").thresh(1).edge()],
            vec![probe("txr_inserts.ad_core"), probe("ring_iv_used.any")],
        ] {
            for instance in 0..CBOXES {
                let wanted = probes
                    .iter()
                    .map(|probe| Wanted::in_kernel(&probe.on(instance)));
                session.counts(BURST, &PACKAGES, &wanted.collect::<Vec<_>>());
            }
        }
    });
}

/// The UBox has no box freeze, so its counters may run a little early and
/// late; no traffic flows then, and the counts are exact all the same.
#[test]
fn it_counts_the_ubox() {
    on(&in_kernel_driver(), |session| {
        session.tolerate_violations();
        let ubox = ["event_msg.ipi_rcvd", "lock_cycles", "clockticks"].map(Probe::ubox);
        let wanted = ubox.iter().map(Wanted::in_kernel);
        session.counts(BURST, &PACKAGES, &wanted.collect::<Vec<_>>());
    });
}
