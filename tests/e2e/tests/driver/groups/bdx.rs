// SPDX-License-Identifier: GPL-2.0

//! Groups of Broadwell-EP.

use super::{cbox, of_kind};
use uncore_e2e::prelude::*;

/// Groups that need every counter of the box, with only one or few legal placements.
pub(super) fn full() -> Vec<Vec<Probe>> {
    vec![
        cbox(&[
            "tor_occupancy.all",
            "fast_asserted",
            "ring_iv_used.up",
            "clockticks",
        ]),
        cbox(&[
            "fast_asserted",
            "llc_victims.e_state",
            "rxr_occupancy.irq",
            "ring_iv_used.any",
        ]),
        of_kind(
            BoxKind::Pcu,
            &[
                "power_state_occupancy.cores_c0",
                "power_state_occupancy.cores_c3",
                "power_state_occupancy.cores_c6",
                "vr_hot_cycles",
            ],
        ),
        of_kind(
            BoxKind::Ha,
            &[
                "iot_backpressure.sat",
                "iot_cts_east_lo.cts0",
                "iot_cts_hi.cts2",
                "requests.reads",
            ],
        ),
        of_kind(
            BoxKind::R2pcie,
            &[
                "rxr_occupancy.drs",
                "rxr_inserts.ncb",
                "ring_ad_used.cw",
                "clockticks",
            ],
        ),
        of_kind(
            BoxKind::R2pcie,
            &[
                "txr_cycles_full.ad",
                "txr_nack_cw.up_bl",
                "ring_iv_used.any",
                "ring_bl_used.ccw",
            ],
        ),
        of_kind(
            BoxKind::R3qpi,
            &[
                "rxr_occupancy_vn1.hom",
                "vn0_credits_used.drs",
                "clockticks",
            ],
        ),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_inserts.snp", "ring_ak_used.ccw", "txr_nack.dn_ad"],
        ),
    ]
}

/// Groups that take every counter.
pub(super) fn at_the_limit() -> Vec<Vec<Probe>> {
    let channel = [
        "cas_count.rd",
        "cas_count.wr",
        "act_count.rd",
        "pre_count.page_miss",
    ];
    let channel = channel.into_iter().chain(["clockticks"]);
    let ubox = ["event_msg.doorbell_rcvd", "racu_requests", "clockticks"];
    let switch = [
        "rxr_occupancy.ad_crd",
        "rxr_occupancy.ad_crd",
        "rxr_inserts.iv",
        "clockticks",
    ];
    let port = Probe::qpi(1, "message.drs.anydatac");
    let (first, second) = (
        Probe::irp(0, "transactions.reads"),
        Probe::irp(1, "transactions.reads"),
    );
    vec![
        cbox(&["clockticks"; 4]),
        channel.map(|name| Probe::imc(6, name)).collect(),
        ubox.map(Probe::ubox).to_vec(),
        switch.map(|name| Probe::sbox(3, name)).to_vec(),
        of_kind(BoxKind::Pcu, &["clockticks"; 4]),
        of_kind(BoxKind::Ha, &["bt_occupancy"; 4]),
        vec![port; 4],
        vec![first.clone(), first, second.clone(), second],
    ]
}

/// Returns groups with one event more than fits.
pub(super) fn over_full() -> Vec<Vec<Probe>> {
    vec![
        cbox(&["clockticks"; 5]),
        cbox(&["tor_occupancy.all", "rxr_occupancy.irq"]),
        cbox(&["sbo_credit_occupancy.ad", "tor_occupancy.all"]),
        cbox(&["fast_asserted"; 3]),
        cbox(&["tor_occupancy.all", "fast_asserted", "fast_asserted"]),
        of_kind(BoxKind::Sbox, &["clockticks"; 5]),
        of_kind(BoxKind::Imc, &["cas_count.rd"; 5]),
        of_kind(BoxKind::Imc, &["clockticks"; 2]),
        of_kind(BoxKind::Ubox, &["racu_requests"; 3]),
        of_kind(BoxKind::Ubox, &["clockticks"; 2]),
        of_kind(BoxKind::Ha, &["clockticks"; 5]),
        of_kind(BoxKind::Ha, &["iot_backpressure.sat"; 4]),
        of_kind(BoxKind::Pcu, &["clockticks"; 5]),
        of_kind(BoxKind::Pcu, &["power_state_occupancy.cores_c0"; 4]),
        of_kind(BoxKind::Qpi, &["cto_count"; 5]),
        of_kind(BoxKind::Irp, &["clockticks"; 3]),
        vec![Probe::irp(1, "clockticks"); 3],
        of_kind(BoxKind::R2pcie, &["clockticks"; 5]),
        of_kind(BoxKind::R2pcie, &["rxr_occupancy.drs", "txr_cycles_ne.ad"]),
        of_kind(BoxKind::R2pcie, &["rxr_inserts.ncb"; 3]),
        of_kind(BoxKind::R3qpi, &["clockticks"; 4]),
        of_kind(BoxKind::R3qpi, &["rxr_occupancy_vn1.hom"; 2]),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_inserts.hom", "vn0_credits_used.hom", "txr_cycles_full"],
        ),
    ]
}
