// SPDX-License-Identifier: GPL-2.0

//! Events on all counters of a box, that count something else each in a burst.

use super::*;
use kernel::error::Result;
use uncore_e2e::prelude::{BoxKind, Probe};

/// Shape of a machine with both packages.
pub(super) const MACHINE: &str = "packages=2,cores=2,cboxes=3";

/// An event that is open, with what it asks for.
pub(super) struct Watched {
    pub(super) event: Event,
    pub(super) probe: Probe,
    pub(super) package: u8,
}

impl Watched {
    /// Opens an event on a CPU.
    pub(super) fn open(probe: &Probe, cpu: u32) -> Result<Self> {
        let event = try_probe(probe, cpu, None)?;
        let package = u8::from(cpu > 1);
        Ok(Self {
            event,
            probe: probe.clone(),
            package,
        })
    }

    /// Returns what the event has counted after so many bursts of a length.
    pub(super) fn after(&self, bursts: u64, uclk: u64) -> u64 {
        bursts * self.probe.count(self.package, uclk)
    }
}

/// Loads the driver with a way to notice overflows, and with several filters of a C-Box at a time, so
/// that all events of a box count.
pub(super) fn load_all(overflow: &str) -> Result<crate::uncore::Uncore> {
    load_with(&Parameters {
        overflow,
        filters: "several",
        ..Parameters::default()
    })
}

/// Returns as many events as a box has counters. Each filter register has one event that uses it. An
/// event with a filter is the first.
pub(super) fn events(kind: BoxKind, instance: u8) -> Vec<Probe> {
    let event = |name| Probe::new(kind, instance, name);
    let all = |names: &[&'static str]| names.iter().map(|name| event(name)).collect();
    match kind {
        BoxKind::Ubox => all(&["lock_cycles", "event_msg.doorbell_rcvd", "clockticks"]),
        BoxKind::Cbox => vec![
            event("llc_lookup.any"),
            event("tor_inserts.opcode").opc(0x182),
            event("ring_ad_used.up"),
            event("ring_bl_used.up"),
        ],
        BoxKind::Ha => vec![
            event("addr_opc_match.opc").home_opcode(0x3f),
            event("requests.reads"),
            event("requests.writes"),
            event("imc_writes.full"),
        ],
        BoxKind::Imc => all(&[
            "cas_count.rd",
            "cas_count.wr",
            "act_count.rd",
            "dclockticks",
            "clockticks",
        ]),
        // Two counters in each of the two sets.
        BoxKind::Irp => vec![
            Probe::irp(1, "transactions.writes"),
            Probe::irp(1, "clockticks"),
            Probe::irp(0, "transactions.reads"),
            Probe::irp(0, "clockticks"),
        ],
        BoxKind::Pcu => vec![
            event("freq_band1_cycles").band(1, 30),
            event("vr_hot_cycles"),
            event("prochot_internal_cycles"),
            event("clockticks"),
        ],
        BoxKind::Qpi => all(&[
            "message.drs.anydatac",
            "txl_inserts",
            "rxl_flits_g1.snp",
            "clockticks",
        ]),
        BoxKind::R2pcie => all(&[
            "rxr_occupancy.drs",
            "ring_ad_used.cw",
            "ring_bl_used.cw",
            "clockticks",
        ]),
        // The driver counts ring events on the last counter only (U-32).
        BoxKind::R3qpi => all(&["rxr_inserts.hom", "clockticks", "ring_bl_used.cw"]),
        _ => Vec::new(),
    }
}
