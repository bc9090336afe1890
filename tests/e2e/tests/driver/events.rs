// SPDX-License-Identifier: GPL-2.0

//! Events that are more than a row of the catalogue; all rows are counted in
//! `sweep/events.rs`.

use crate::driver::{usual_machine, BURST, CBOXES, CHANNELS, LONG_BURST};
use uncore_e2e::prelude::*;

#[test]
fn every_occupancy_event_shows_on_another_counter() {
    on(&usual_machine(), |session| {
        let filter = Filter {
            opc: 0x1e5,
            nid: 0x1000,
            ..Filter::default()
        };
        let rows = Catalogue::get().of(BoxKind::Cbox);
        for row in rows.filter(|row| [0x11, 0x36].contains(&row.code)) {
            let leaders = (0..CBOXES).filter_map(|i| Probe::of_row(row, i, &filter));
            let groups = leaders.map(|leader| {
                let view = leader.beside(0, false);
                vec![leader.into(), view]
            });
            session.counts_groups(
                LONG_BURST,
                Platform::packages(),
                &groups.collect::<Vec<_>>(),
            );
        }
    });
}

/// The two names that the in-kernel driver offers and the manual does not.
#[test]
fn the_in_kernel_names_of_cas_count_are_the_manuals() {
    on(&usual_machine(), |session| {
        let names = [
            ("cas_count_read", "cas_count.rd"),
            ("cas_count_write", "cas_count.wr"),
        ];
        let channels = (0..CHANNELS).flat_map(|channel| {
            names.map(|(name, manual)| Probe::imc(channel, manual).asked_as(name))
        });
        session.counts(BURST, Platform::packages(), &Wanted::all(channels));
    });
}

/// MATCH_MASK is another name of CTO_COUNT, which counts every packet if no match is
/// given.
#[test]
fn two_names_of_the_packet_counter_are_one_event() {
    on(&usual_machine(), |session| {
        let any = Probe::qpi(0, "cto_count");
        let one = Probe::qpi(1, "message.drs.datac_m");
        let asked = "match_mask,match_mc=0xe,mask_mc=0xf,match_opc=0,mask_opc=0xf,\
                     match_rds=8,mask_rds=0xf";
        let wanted = [any.clone(), any.asked_as("match_mask"), one.asked_as(asked)];
        session.counts(BURST, Platform::packages(), &Wanted::all(wanted));
    });
}

/// The event with sub-events, but none asked for, has traffic of its own.
#[test]
fn an_event_and_its_sub_events_have_names() {
    on(&usual_machine(), |session| {
        let drs = [
            "rxl_inserts_drs",
            "rxl_inserts_drs.vn0",
            "rxl_inserts_drs.vn1",
        ];
        let ne = ["bt_cycles_ne", "bt_cycles_ne.local", "bt_cycles_ne.remote"];
        let qpi = drs.map(|name| Probe::qpi(1, name));
        let ha = ne.map(|name| Probe::ha(1, name));
        session.counts(
            BURST,
            Platform::packages(),
            &Wanted::all(qpi.into_iter().chain(ha)),
        );
    });
}

/// A counter keeps nothing of the event that it counted before, and a filter nothing of
/// its earlier values.
#[test]
fn events_in_turn_on_one_counter_leave_nothing_behind() {
    let pairs = heavy_and_light();
    on(&usual_machine(), |session| {
        for [heavy, light] in pairs {
            for probe in [heavy.clone(), light.clone(), heavy, light] {
                session.counts(BURST, Platform::packages(), &[probe.into()]);
            }
        }
    });
}

/// Returns pairs of events, the first of which uses many fields.
fn heavy_and_light() -> Vec<[Probe; 2]> {
    match Platform::current() {
        Platform::Ivbep => [of_xeons(), of_ivbep()].concat(),
        Platform::Bdx => [of_xeons(), of_bdx()].concat(),
        Platform::Snb => of_snb(),
        Platform::Nhmex => vec![[
            Probe::cbox(0, "llc_hits.all").thresh(1).edge(),
            Probe::cbox(0, "llc_misses.all"),
        ]],
    }
}

fn of_xeons() -> Vec<[Probe; 2]> {
    let occupancy = Probe::cbox(0, "tor_occupancy.nid_opcode");
    let match_all = Probe::ha(0, "addr_opc_match.filt");
    vec![
        [
            occupancy.opc(0x1e6).nid(0xffff).tid(31).thresh(20).edge(),
            Probe::cbox(0, "rxr_occupancy.irq"),
        ],
        [
            Probe::pcu("freq_band3_cycles").band(3, 0xff),
            Probe::pcu("freq_band0_cycles").band(0, 1),
        ],
        [
            match_all.address(0x3fff_ffff_ffc0).home_opcode(0x3f),
            Probe::ha(0, "addr_opc_match.opc").home_opcode(0),
        ],
        [
            Probe::qpi(0, "message.drs.datac_e_frcackcnflt").thresh(2),
            Probe::qpi(0, "cto_count"),
        ],
        [
            Probe::irp(1, "cache_total_occupancy.any")
                .thresh(100)
                .edge(),
            Probe::irp(1, "txr_request_occupancy"),
        ],
    ]
}

fn cores() -> Probe {
    let cores = Probe::pcu("power_state_occupancy.cores_c6");
    cores.thresh(8).occ_invert().occ_edge()
}

fn of_snb() -> Vec<[Probe; 2]> {
    vec![
        [
            Probe::arb("trk_occupancy.all").thresh(20).invert().edge(),
            Probe::arb("coh_trk_occupancy.all"),
        ],
        [
            Probe::cbox(1, "cache_lookup.any_mesi").thresh(1).edge(),
            Probe::cbox(1, "xsnp_response.hitm_eviction"),
        ],
    ]
}

fn of_ivbep() -> Vec<[Probe; 2]> {
    vec![
        [cores(), Probe::pcu("delayed_c_state_abort_core0")],
        [
            Probe::r3qpi(1, "rxr_occupancy.ncs").thresh(30).edge(),
            Probe::r3qpi(1, "rxr_occupancy.hom"),
        ],
    ]
}

fn of_bdx() -> Vec<[Probe; 2]> {
    vec![
        [cores(), Probe::pcu("core17_transition_cycles")],
        [
            Probe::cbox(0, "llc_lookup.read")
                .state(0x60)
                .tid(0x3f)
                .thresh(1)
                .invert()
                .edge(),
            Probe::cbox(0, "ring_bounces.ak"),
        ],
        // Their controls are written twice.
        [
            Probe::sbox(1, "rxr_occupancy.iv")
                .thresh(12)
                .invert()
                .edge(),
            Probe::sbox(1, "rxr_inserts.bl_crd"),
        ],
        [
            Probe::r2pcie("rxr_occupancy.drs").thresh(24).invert(),
            Probe::r2pcie("txr_cycles_ne.ak"),
        ],
        [
            Probe::r3qpi(1, "rxr_occupancy_vn1.ncs").thresh(30).edge(),
            Probe::r3qpi(1, "rxr_occupancy_vn1.hom"),
        ],
    ]
}
