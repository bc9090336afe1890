// SPDX-License-Identifier: GPL-2.0

//! What single end-to-end tests ask for.

use crate::catalogue::BoxKind;
use crate::fixture::probe::Probe;
use crate::platform::{Asked, Known, Msrs};

pub(super) const ASKED: Asked = Asked {
    one_of_each_type: || {
        vec![
            Probe::cbox(0, "cache_lookup.read_es"),
            Probe::arb("trk_requests.writes"),
        ]
    },
    two_of_a_cbox: ["cache_lookup.any_i", "xsnp_response.hit_xcore"],
    two_of_each: |kind| match kind {
        BoxKind::Cbox => &["cache_lookup.any_mesi", "xsnp_response.hit_xcore"],
        _ => &["trk_requests.all", "clockticks"],
    },
    msrs: |kind| match kind {
        BoxKind::Cbox => Msrs::Stride(0x700, 0x10),
        _ => Msrs::Among("msr:0x3b"),
    },
    apart: || {
        vec![
            (
                Probe::cbox(0, "cache_lookup.any_i"),
                Probe::cbox(1, "cache_lookup.any_i"),
            ),
            (
                Probe::cbox(0, "cache_lookup.any_i"),
                Probe::arb("clockticks"),
            ),
        ]
    },
    missing: &[],
    unheld: &[
        "cbox_0/cache_lookup.any_i,inv=2",
        "cbox_0/cache_lookup.any_i,edge=2",
        "cbox_0/cache_lookup.any_i,thresh=32",
        "cbox_0/cache_lookup.any_i,cmask=32",
        "cbox_0/cache_lookup.any_i,filter_state=1",
        "cbox_1/event=0x134,umask=0x11",
        "arb/trk_requests.all,umask=0x100",
        "arb/trk_requests.all,interval=100000000",
        "arb/trk_requests.all,tid_en=1",
    ],
    loaded: || {
        vec![
            Probe::cbox(0, "cache_lookup.any_mesi"),
            Probe::cbox(1, "xsnp_response.hit_xcore"),
            Probe::arb("trk_occupancy.all"),
            Probe::arb("clockticks"),
        ]
    },
    number_of_cboxes: Some("3"),
    with_many_fields: || {
        let occupancy = Probe::arb("coh_trk_requests.all").thresh(1);
        let lookups = Probe::cbox(0, "cache_lookup.any_mesi").thresh(31);
        vec![occupancy.edge().invert(), lookups.edge().invert()]
    },
    theirs: "uncore_cbox_0/clockticks/",
    left_running: (
        &[
            (0x700, 0x0040_1134), // C-Box 0, counter 0: cache_lookup.read_m, enabled
            (0x706, 0x0fff_ffff_fff0),
            (0x711, 0x0fc4_ff22), // C-Box 1, counter 1: every field
            (0x3b2, 0x0040_0180), // ARB, counter 0: trk_occupancy.all, enabled
            (0x3b0, 0x0fff_ffff_fff0),
            (0x394, 0x0040_0000), // fixed counter, enabled
            (0x395, 0xffff_ffff_fff0),
        ],
        &[],
    ),
    right_names: 33,
    plain: || {
        vec![
            Probe::cbox(1, "cache_lookup.any_i"),
            Probe::arb("trk_occupancy.cycles_over_half_full"),
        ]
    },
    slept: || {
        vec![
            Probe::cbox(1, "cache_lookup.read_es"),
            Probe::cbox(1, "xsnp_response.hit_xcore"),
            Probe::arb("trk_occupancy.cycles_over_half_full"),
            Probe::arb("clockticks"),
        ]
    },
    pair: || ["cache_lookup.any_m", "cache_lookup.any_i"].map(|name| Probe::cbox(0, name)),
    clock: || Probe::arb("clockticks"),
    global_registers: [" 0x391 ", " 0x392 "],
    known: Known {
        machine: &[],
        first_is_wrong: false,
        misplaced: &[],
        fixed_elsewhere: Some(BoxKind::Arb),
        is_beyond: |_| false,
        settings: || {
            let occupancy = || Probe::arb("trk_occupancy.all");
            vec![
                Probe::cbox(0, "cache_lookup.any_mesi").thresh(1).edge(),
                Probe::cbox(0, "xsnp_response.hit_xcore").thresh(1).invert(),
                occupancy().thresh(10),
                occupancy().thresh(20).edge(),
                occupancy().thresh(1).invert(),
                Probe::arb("coh_trk_occupancy.all").thresh(31).invert(),
            ]
        },
    },
};
