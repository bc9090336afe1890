// SPDX-License-Identifier: GPL-2.0

//! Thresholds and edge detection.
//!
//! An event that adds up to M in a cycle is counted at threshold 1, at each of its values
//! (M, half of it, 1) and just above. M is the last threshold that it can reach.

use crate::driver::{clocks, spread_over_boxes, usual_machine, BURST, CBOXES};
use std::collections::BTreeMap;
use uncore_e2e::formats::field;
use uncore_e2e::prelude::*;

/// Returns the thresholds at which the count of an event of this maximum changes.
fn interesting(max_inc: u32) -> Vec<u8> {
    let half = max_inc.div_ceil(2);
    let mut thresholds: Vec<u8> = [1, 2, half, half + 1, max_inc]
        .into_iter()
        .filter(|&thresh| thresh <= max_inc)
        .map(|thresh| u8::try_from(thresh).expect("8 bits"))
        .collect();
    thresholds.sort_unstable();
    thresholds.dedup();
    thresholds
}

/// An event at each of its thresholds, as level and as edge; also inverted where the box
/// can do that, when the threshold may be above all values, too.
fn at_each_threshold(probe: &Probe) -> Vec<Probe> {
    let Setting { ext, event, .. } = probe.setting;
    let facts = Catalogue::get().facts(probe.kind, ext, event);
    let thresholds = interesting(facts.expect("an event").max_inc);
    let at = |thresh| probe.clone().thresh(thresh);
    let upright = thresholds.iter().map(|&thresh| at(thresh));
    let mut levels: Vec<Probe> = upright.collect();
    if field(probe.kind, "inv").is_some() {
        let (_, bits) = field(probe.kind, "thresh").expect("a threshold");
        let highest = u8::try_from(bits >> 24).expect("8 bits");
        let all = thresholds.into_iter().chain([highest]);
        levels.extend(all.map(|thresh| at(thresh).invert()));
    }
    // POWER_CKE_CYCLES takes one of both (bdx.rst, B-20).
    let takes_both = probe.kind != BoxKind::Imc || event != 0x83;
    let edges = levels
        .iter()
        .filter(|level| takes_both || !level.setting.invert);
    let edges: Vec<Probe> = edges.cloned().map(Probe::edge).collect();
    [levels, edges].concat()
}

/// Returns the first row of every event that adds more than one in a cycle. The PCU's
/// occupancies have an edge detector of their own, see `occupancies.rs`.
fn multiple() -> Vec<Probe> {
    let filter = Filter {
        opc: 0x1e6,
        nid: 0xff00,
        ..Filter::default()
    };
    let mut events = BTreeMap::new();
    for row in Catalogue::get().rows() {
        let Some(ext) = row.ext else { continue };
        let facts = Catalogue::get().facts(row.kind, ext, row.code);
        let several = facts.is_some_and(|facts| facts.max_inc > 1);
        let alone = !row.needs.occupancy && row.kind != BoxKind::Pcu;
        if several && alone {
            events.entry((row.kind, ext, row.code)).or_insert(row);
        }
    }
    let probe = |row: &Row| Probe::of_row(row, 0, &filter);
    events.into_values().filter_map(probe).collect()
}

#[test]
fn events_that_add_more_than_one() {
    on(&usual_machine(), |session| {
        let probes = multiple();
        // One event in thirty, at least.
        let least = Catalogue::get().rows().len() / 30;
        assert!(probes.len() > least, "{} events", probes.len());
        let all = probes.iter().flat_map(at_each_threshold);
        spread_over_boxes(session, BURST, &all.collect::<Vec<_>>());
    });
}

/// Several sub-events of one event, and an event with a filter.
#[test]
fn occupancies_of_the_cbox() {
    on(&usual_machine(), |session| {
        let probes = [
            Probe::cbox(0, "rxr_occupancy.ipq"),
            Probe::cbox(0, "tor_occupancy.all"),
            Probe::cbox(0, "tor_occupancy.nid_opcode")
                .opc(0x1e6)
                .nid(0xff00),
        ];
        let all = probes.iter().flat_map(at_each_threshold);
        spread_over_boxes(session, BURST, &all.collect::<Vec<_>>());
    });
}

/// Events that add at most one in a cycle, of each type of box.
fn adding_one() -> Vec<Probe> {
    match Platform::current() {
        Platform::Ivbep => of_a_xeon(&[
            Probe::cbox(0, "ring_ad_used.down"),
            Probe::irp(0, "transactions.reads_orderingq"),
            Probe::pcu("delayed_c_state_abort_core3"),
            Probe::ubox("event_msg.ipi_rcvd"),
            Probe::ubox("lock_cycles"),
        ]),
        Platform::Nhmex => vec![Probe::sbox(0, "pkts_rcvd_snp"), Probe::wbox("prochot")],
        Platform::Bdx => of_a_xeon(&[
            Probe::cbox(0, "rxr_irq_retry.nid").nid(0xff00),
            Probe::sbox(0, "rxr_inserts.iv"),
            Probe::irp(0, "transactions.writes_orderingq"),
            Probe::irp(0, "snoop_resp.hit_m_snpinv"),
            Probe::pcu("demotions_core17"),
            Probe::ubox("event_msg.doorbell_rcvd"),
            Probe::ubox("racu_requests"),
        ]),
        Platform::Snb => vec![
            Probe::cbox(0, "cache_lookup.extsnp_es"),
            Probe::cbox(0, "xsnp_response.miss_xcore"),
            Probe::arb("trk_requests.all"),
            Probe::arb("coh_trk_requests.all"),
        ],
    }
}

fn of_a_xeon(own: &[Probe]) -> Vec<Probe> {
    let common = [
        Probe::cbox(0, "llc_lookup.any"),
        Probe::cbox(0, "tor_inserts.opcode").opc(0x1e6),
        Probe::ha(0, "addr_opc_match.ak").home_opcode(0x3f),
        Probe::ha(0, "snoop_resp.rspi"),
        Probe::imc(0, "cas_count.all"),
        Probe::imc(0, "power_self_refresh"),
        Probe::irp(1, "txr_request_occupancy"),
        Probe::pcu("freq_band0_cycles").band(0, 20),
        Probe::qpi(0, "direct2core.success_rbt_hit"),
        Probe::qpi(0, "l1_power_cycles"),
        Probe::r2pcie("ring_iv_used.any"),
        Probe::r3qpi(0, "vn1_credits_used.snp"),
    ];
    common.into_iter().chain(own.iter().cloned()).collect()
}

#[test]
fn events_that_add_one_have_levels_and_edges_too() {
    on(&usual_machine(), |session| {
        let probes = adding_one();
        let all = probes.iter().flat_map(at_each_threshold);
        spread_over_boxes(session, BURST, &all.collect::<Vec<_>>());
    });
}

/// A signal is on in whole cycles: a clock is on in all of them and rises once.
#[test]
fn clocks_have_one_edge() {
    on(&usual_machine(), |session| {
        let clocks = clocks();
        let all = clocks.iter().flat_map(at_each_threshold);
        spread_over_boxes(session, BURST, &all.collect::<Vec<_>>());
    });
}

/// Another counter's view of counter 0's queue has its own threshold.
#[test]
fn each_counter_has_its_own_view_of_an_occupancy() {
    on(&usual_machine(), |session| {
        for leader in [
            Probe::cbox(0, "rxr_occupancy.irq"),
            Probe::cbox(0, "tor_occupancy.miss_local"),
            Probe::cbox(0, "tor_occupancy.opcode").opc(0x1e5),
            Probe::cbox(0, "rxr_occupancy.irq").tid(31),
        ] {
            let views = [(1, 2, 10), (11, 19, 20), (3, 9, 12)];
            let groups = (0..CBOXES)
                .zip(views)
                .map(|(instance, (low, middle, high))| {
                    let leader = leader.on(instance);
                    let mut group = Wanted::all([leader.clone()]);
                    group.push(leader.beside(low, false));
                    group.push(leader.beside(middle, true));
                    group.push(leader.beside(high, false));
                    group
                });
            session.counts_groups(BURST, Platform::packages(), &groups.collect::<Vec<_>>());
            let with_threshold = leader.clone().thresh(20).edge();
            let whole = leader.beside(0, false);
            let group = vec![with_threshold.into(), whole];
            session.counts_groups(BURST, Platform::packages(), &[group]);
        }
    });
}

#[test]
fn the_list_of_thresholds_covers_every_change() {
    assert_eq!(interesting(1), [1]);
    assert_eq!(interesting(4), [1, 2, 3, 4]);
    assert_eq!(interesting(20), [1, 2, 10, 11, 20]);
}
