// SPDX-License-Identifier: GPL-2.0

//! Events that occupy all counters of a box.

use uncore_e2e::prelude::*;

/// Returns as many events as a box has counters. Each filter register has one event that
/// uses it. An event with a filter is the first.
pub(super) fn events(kind: BoxKind, instance: u8) -> Vec<Probe> {
    let event = |name| Probe::new(kind, instance, name);
    match kind {
        BoxKind::Wbox => vec![event("c_cycles_turbo.all"), event("clockticks")],
        BoxKind::Rbox => vec![event("port0_flits_sent"); 8],
        BoxKind::Bbox => ["tf_all", "imt_inserts_rd", "imt_ne_cycles", "imt_full"]
            .map(event)
            .into(),
        BoxKind::Mbox => vec![event("cycles"); 6],
        BoxKind::Arb => vec![
            event("trk_occupancy.all"),
            event("trk_requests.all"),
            event("clockticks"),
        ],
        BoxKind::Ubox => vec![
            event("lock_cycles"),
            event("event_msg.doorbell_rcvd"),
            event("clockticks"),
        ],
        BoxKind::Cbox => vec![
            event("llc_lookup.any"),
            event("tor_inserts.opcode").opc(0x182),
            event("ring_ad_used.up"),
            event("ring_bl_used.up"),
        ],
        BoxKind::Sbox => vec![event("clockticks"); 4],
        BoxKind::Ha => vec![
            event("addr_opc_match.opc").home_opcode(0x3f),
            event("requests.reads"),
            event("requests.writes"),
            event("imc_writes.full"),
        ],
        BoxKind::Imc => vec![
            event("cas_count.rd"),
            event("cas_count.wr"),
            event("act_count.rd"),
            event("dclockticks"),
            event("clockticks"),
        ],
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
        BoxKind::Qpi => vec![
            event("message.drs.anydatac"),
            event("txl_inserts"),
            event("rxl_flits_g1.snp"),
            event("clockticks"),
        ],
        BoxKind::R2pcie => vec![
            event("rxr_occupancy.drs"),
            event("ring_ad_used.cw"),
            event("ring_bl_used.cw"),
            event("clockticks"),
        ],
        // The driver counts ring events on the last counter only (U-32).
        BoxKind::R3qpi => vec![
            event("rxr_inserts.hom"),
            event("clockticks"),
            event("ring_bl_used.cw"),
        ],
    }
}

/// Returns events of two other boxes, one in MSRs and one in a PCI function.
pub(super) fn neighbours(kind: BoxKind, instance: u8) -> [Probe; 2] {
    let other = |of, wanted| {
        if (kind, instance) == (of, wanted) {
            wanted + 1
        } else {
            wanted
        }
    };
    [
        Probe::cbox(other(BoxKind::Cbox, 1), "llc_lookup.any"),
        Probe::ha(other(BoxKind::Ha, 0), "requests.reads"),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::{instances, BURST, PACKAGES};
    use super::*;

    #[test]
    fn all_counters_count_something() {
        for kind in BoxKind::all() {
            for instance in instances(kind) {
                let events = events(kind, instance);
                let sets = if kind == BoxKind::Irp { 2 } else { 1 };
                let counters = sets * usize::from(kind.counters()) + usize::from(kind.has_fixed());
                assert_eq!(events.len(), counters, "{kind}");
                for probe in events {
                    for package in PACKAGES {
                        assert!(probe.count(package, BURST) > 0, "{probe:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_neighbour_is_another_box() {
        for kind in [BoxKind::Cbox, BoxKind::Ha] {
            for instance in instances(kind) {
                let unit = kind.box_name(instance);
                let others = neighbours(kind, instance);
                assert!(others.iter().all(|other| !other.pmu().ends_with(&unit)));
            }
        }
    }
}
