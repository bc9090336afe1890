// SPDX-License-Identifier: GPL-2.0

//! Groups of Ivy Bridge-EP.

use super::{cbox, of_kind};
use uncore_e2e::prelude::*;

/// Groups that need every counter of the box, with only one or few legal placements.
pub(super) fn full() -> Vec<Vec<Probe>> {
    vec![
        cbox(&[
            "tor_occupancy.all",
            "llc_victims.m_state",
            "ring_ad_used.up",
            "clockticks",
        ]),
        cbox(&[
            "llc_victims.e_state",
            "misc.started",
            "ring_ak_used.down",
            "ring_iv_used.any",
        ]),
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
                "txr_nack_cw.bl",
                "ring_iv_used.any",
                "ring_bl_used.ccw",
            ],
        ),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_occupancy.hom", "vn0_credits_used.drs", "clockticks"],
        ),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_inserts.snp", "ring_ak_used.ccw", "txr_nack_cw.ad"],
        ),
    ]
}

/// Groups that take every counter.
pub(super) fn at_the_limit() -> Vec<Vec<Probe>> {
    let four_channels = [
        "cas_count.rd",
        "cas_count.wr",
        "act_count.rd",
        "pre_count.page_miss",
    ];
    let mut channel: Vec<Probe> = four_channels.map(|name| Probe::imc(6, name)).into();
    channel.push(Probe::imc(6, "clockticks"));
    let ubox = ["event_msg.vlw_rcvd", "lock_cycles", "clockticks"].map(Probe::ubox);
    let pcu = of_kind(BoxKind::Pcu, &["clockticks"; 4]);
    let home = of_kind(BoxKind::Ha, &["bt_occupancy.local"; 4]);
    let port = of_kind(BoxKind::Qpi, &["message.drs.anydatac"; 4]);
    let (first, second) = (
        Probe::irp(0, "transactions.reads"),
        Probe::irp(1, "transactions.reads"),
    );
    let both_sets = [first.clone(), first, second.clone(), second];
    vec![
        cbox(&["clockticks"; 4]),
        channel,
        ubox.into(),
        pcu,
        home,
        port,
        both_sets.into(),
    ]
}

/// Returns groups with one event more than fits.
pub(super) fn over_full() -> Vec<Vec<Probe>> {
    let imc = |names: &[&str]| names.iter().map(|name| Probe::imc(0, name)).collect();
    let ubox = |names: &[&str]| names.iter().map(|name| Probe::ubox(name)).collect();
    vec![
        cbox(&["clockticks"; 5]),
        cbox(&["tor_occupancy.all", "rxr_occupancy.irq"]),
        cbox(&[
            "llc_victims.m_state",
            "llc_victims.e_state",
            "llc_victims.s_state",
        ]),
        cbox(&["tor_occupancy.all", "misc.started", "misc.rfo_hit_s"]),
        cbox(&["ring_ad_used.up", "ring_ak_used.up", "ring_bl_used.up"]),
        imc(&["cas_count.rd"; 5]),
        imc(&["clockticks"; 2]),
        ubox(&["lock_cycles"; 3]),
        ubox(&["clockticks"; 2]),
        of_kind(BoxKind::Ha, &["clockticks"; 5]),
        of_kind(BoxKind::Pcu, &["clockticks"; 5]),
        of_kind(BoxKind::Qpi, &["cto_count"; 5]),
        of_kind(BoxKind::Irp, &["clockticks"; 3]),
        vec![Probe::irp(1, "clockticks"); 3],
        of_kind(BoxKind::R2pcie, &["clockticks"; 5]),
        of_kind(BoxKind::R2pcie, &["rxr_occupancy.drs", "txr_cycles_ne.ad"]),
        of_kind(BoxKind::R2pcie, &["rxr_inserts.ncb"; 3]),
        of_kind(
            BoxKind::R2pcie,
            &["ring_ad_used.cw", "ring_ak_used.cw", "ring_bl_used.cw"],
        ),
        of_kind(BoxKind::R3qpi, &["clockticks"; 4]),
        of_kind(BoxKind::R3qpi, &["rxr_occupancy.hom", "rxr_occupancy.snp"]),
        of_kind(BoxKind::R3qpi, &["ring_ad_used.cw", "ring_iv_used.any"]),
        of_kind(
            BoxKind::R3qpi,
            &["rxr_inserts.hom", "vn0_credits_used.hom", "rxr_ad_bypassed"],
        ),
    ]
}
