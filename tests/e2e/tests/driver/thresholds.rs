// SPDX-License-Identifier: GPL-2.0

//! Thresholds and edge detection.
//!
//! An event that adds up to M in a cycle is seen at 1, just at and just above
//! each of the values it takes (M, half of it, 1), and at M, the last that it
//! can reach.

use crate::{spread_over_boxes, usual_machine, BURST, CBOXES, PACKAGES};
use ivbep_e2e::catalogue::Catalogue;
use ivbep_e2e::fixture::probe::Probe;
use ivbep_e2e::fixture::{on, Session, Wanted};

/// The thresholds at which the count of an event of this maximum changes.
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

/// An event at each of its thresholds, as level and as edge.
fn sweep(session: &mut Session, probe: &Probe) {
    let code = probe.setting.event;
    let facts = Catalogue::get().facts(probe.kind, code).expect("an event");
    let at = |thresh| {
        let level = probe.clone().thresh(thresh);
        [level.clone(), level.edge()]
    };
    let probes: Vec<Probe> = interesting(facts.max_inc)
        .into_iter()
        .flat_map(at)
        .collect();
    spread_over_boxes(session, BURST, &probes);
}

#[test]
fn occupancies_of_the_cbox() {
    on(&usual_machine(), |session| {
        sweep(session, &Probe::cbox(0, "rxr_occupancy.irq"));
        sweep(session, &Probe::cbox(1, "rxr_occupancy.vfifo"));
        sweep(session, &Probe::cbox(0, "tor_occupancy.all"));
        sweep(
            session,
            &Probe::cbox(1, "tor_occupancy.nid_opcode")
                .opc(0x1e6)
                .nid(0xff00),
        );
    });
}

#[test]
fn events_of_a_memory_channel_that_add_more_than_one() {
    on(&usual_machine(), |session| {
        sweep(session, &Probe::imc(0, "power_cke_cycles.rank0"));
        sweep(session, &Probe::imc(3, "power_channel_ppd"));
        sweep(session, &Probe::imc(7, "vmse_mxb_wr_occupancy"));
    });
}

#[test]
fn events_that_add_one_have_levels_and_edges_too() {
    on(&usual_machine(), |session| {
        sweep(session, &Probe::cbox(0, "llc_lookup.any"));
        sweep(session, &Probe::cbox(1, "tor_inserts.opcode").opc(0x1e6));
        sweep(session, &Probe::cbox(0, "ring_ad_used.down"));
        sweep(session, &Probe::imc(2, "cas_count.all"));
        sweep(session, &Probe::imc(5, "power_self_refresh"));
        sweep(session, &Probe::ubox("event_msg.ipi_rcvd"));
        sweep(session, &Probe::ubox("lock_cycles"));
    });
}

#[test]
fn clocks_have_one_edge() {
    on(&usual_machine(), |session| {
        for clock in [
            Probe::cbox(0, "clockticks"),
            Probe::imc(0, "dclockticks"),
            Probe::ubox("clockticks_general"),
        ] {
            sweep(session, &clock);
        }
    });
}

/// What another counter sees of counter 0's queue has its own threshold.
#[test]
fn each_counter_has_its_own_view_of_an_occupancy() {
    on(&usual_machine(), |session| {
        for leader in [
            Probe::cbox(0, "rxr_occupancy.irq"),
            Probe::cbox(0, "tor_occupancy.miss_local"),
            Probe::cbox(0, "tor_occupancy.opcode").opc(0x1e5),
            Probe::cbox(0, "rxr_occupancy.ipq").tid(31),
        ] {
            let views = [(1, 2, 10), (11, 19, 20), (3, 9, 12)];
            let groups = (0..CBOXES)
                .zip(views)
                .map(|(instance, (low, middle, high))| {
                    let leader = leader.on(instance);
                    let mut group = Wanted::all([leader.clone()]);
                    group.push(leader.beside(low, false).into());
                    group.push(leader.beside(middle, true).into());
                    group.push(leader.beside(high, false).into());
                    group
                });
            session.counts_groups(BURST, &PACKAGES, &groups.collect::<Vec<_>>());
            let with_threshold = leader.clone().thresh(20).edge();
            let whole = leader.beside(0, false);
            let group = vec![with_threshold.into(), whole.into()];
            session.counts_groups(BURST, &PACKAGES, &[group]);
        }
    });
}

#[test]
fn the_list_of_thresholds_covers_every_change() {
    assert_eq!(interesting(1), [1]);
    assert_eq!(interesting(4), [1, 2, 3, 4]);
    assert_eq!(interesting(20), [1, 2, 10, 11, 20]);
}
