// SPDX-License-Identifier: GPL-2.0

//! What single end-to-end tests ask for.

use crate::catalogue::BoxKind;
use crate::fixture::probe::Probe;
use crate::platform::{Asked, Known, Msrs};
use crate::sweep::filters;

pub(super) const ASKED: Asked = Asked {
    one_of_each_type: || {
        vec![
            Probe::ubox("ipis_sent"),
            Probe::cbox(0, "llc_misses.all"),
            Probe::new(BoxKind::Bbox, 0, "imt_full"),
            Probe::sbox(0, "pkts_sent_hom.all"),
            Probe::wbox("prochot"),
            Probe::mbox(0, "bbox_cmds_all"),
        ]
    },
    two_of_a_cbox: ["llc_hits.all", "snps.remote_any"],
    two_of_each: |kind| match kind {
        BoxKind::Ubox => &["ipis_sent"],
        BoxKind::Cbox => &["llc_hits.all", "snps.remote_any"],
        BoxKind::Sbox => &["pkts_sent_hom.all", "to_r_prog_ev.any"],
        BoxKind::Rbox => &["port0_flits_sent", "port3_xbr_match.drs.anydatac"],
        BoxKind::Bbox => &["tf_all", "imt_inserts_rd"],
        BoxKind::Wbox => &["prochot", "clockticks"],
        _ => &["cycles", "frm_type.1cmd"],
    },
    msrs: |kind| match kind {
        BoxKind::Sbox => Msrs::Stride(0xc40, 0x80),
        BoxKind::Mbox => Msrs::Stride(0xca0, 0x40),
        BoxKind::Cbox => Msrs::Among("msr:0xd"),
        _ => Msrs::Among("msr:0xc"),
    },
    apart: || {
        vec![
            (
                Probe::cbox(0, "llc_hits.all"),
                Probe::cbox(1, "llc_hits.all"),
            ),
            (Probe::wbox("clockticks"), Probe::ubox("ipis_sent")),
        ]
    },
    missing: &[
        ("sbox_0/to_r_prog_ev,mask_addr=1", "mask_hnid"),
        ("bbox_0/msg_in_match,mask_msg_in=1", "match_msg_in"),
        ("mbox_0/dsp_fill", "dsp"),
        ("mbox_1/dram_cmd,pld=0x100", "iss"),
        ("mbox_0/retries", "pld"),
        ("mbox_0/fvc_ev2", "fvc_evnt2"),
    ],
    unheld: &[
        "cbox_0/llc_hits.all,inv=2",
        "cbox_0/llc_hits.all,thresh=256",
        "ubox/event=0x200",
        "ubox/ipis_sent,umask=1",
        "sbox_0/to_r_prog_ev.any,match_hnid=32",
        "sbox_0/to_r_prog_ev.any,match_resp=32",
        "wbox/prochot,tid_en=1",
        "mbox_0/inc_sel=0x20",
        "mbox_0/flag_mode=1,set_flag_sel=8",
        "mbox_0/cycles,thresh=1",
        "mbox_0/cycles,event=1",
        "mbox_0/dram_cmd.ras,filter_match=0x400000000",
        "mbox_0/dram_cmd.ras,filter_mask=0x8000000",
        "mbox_0/retries,pld=0x100000000",
        "mbox_0/fvc_ev0,fvc_evnt0=8",
    ],
    loaded: || {
        vec![
            Probe::ubox("ipis_sent"),
            Probe::cbox(0, "llc_hits.all"),
            Probe::sbox(0, "pkts_sent_hom.all"),
            Probe::sbox(1, "to_r_prog_ev.any"),
            Probe::wbox("clockticks"),
        ]
    },
    number_of_cboxes: None,
    with_many_fields: || {
        let packets = Probe::sbox(0, "to_r_prog_ev").system(u64::MAX, 1 << 38);
        vec![
            packets,
            Probe::cbox(0, "llc_hits.all").thresh(255).edge().invert(),
        ]
    },
    theirs: "uncore_wbox/clockticks/",
    left_running: (
        &[
            (0xd10, 0x0040_0f15), // C-Box 0, counter 0: llc_hits.all, enabled
            (0xd11, 0xffff_ffff_fff0),
            (0xd00, 0x3f),
            (0xc50, 0x0040_0000), // S-Box 0, counter 0: to_r_prog_ev, enabled
            (0xe49, 0xffff_ffff_ffff_ffff),
            (0xe4a, 0x7f_ffff_ffff),
            (0xe48, 1 << 63), // and its registers, in force
            (0xc80, 0x8000_000f),
            (0x395, 1), // fixed counter, enabled
            (0x394, 0xffff_ffff_fff0),
        ],
        &[],
    ),
    right_names: 0,
    plain: || vec![Probe::cbox(1, "llc_hits.all"), Probe::wbox("prochot")],
    slept: || {
        vec![
            Probe::ubox("ipis_sent"),
            Probe::cbox(1, "llc_hits.all"),
            Probe::sbox(1, "to_r_prog_ev.any"),
            Probe::wbox("prochot"),
            Probe::wbox("clockticks"),
        ]
    },
    pair: || ["llc_hits.all", "llc_misses.all"].map(|name| Probe::cbox(0, name)),
    clock: || Probe::wbox("clockticks"),
    global_registers: [" 0xc00 ", " 0xc01 "],
    known: Known {
        machine: &[],
        first_is_wrong: false,
        misplaced: &[],
        fixed_elsewhere: None,
        // It has eight bits of the event select of the U-Box. Matches are among the settings.
        is_beyond: |row| {
            let needs = &row.needs;
            let filtered = needs.system || needs.compared != 0 || needs.preset.mask != 0;
            let unswitched = is_match_set(row.kind, row.code);
            row.kind == BoxKind::Wbox || row.ext == Some(true) || filtered || unswitched
        },
        settings: || {
            let hits = || Probe::cbox(0, "llc_hits.all");
            let occupancy = || Probe::sbox(0, "to_r_ndr_msgq_occupancy");
            let mut settings = filters::settings();
            settings.retain(|probe| !is_match_set(probe.kind, probe.setting.event));
            settings.extend([
                hits().thresh(1).invert(),
                hits().thresh(1).edge(),
                occupancy().thresh(3),
                occupancy().thresh(2).edge(),
                occupancy().thresh(255).invert(),
                Probe::ubox("u2b_request_cycles").edge(),
            ]);
            settings
        },
    },
};

/// Returns whether an event counts what a match set of the R-Box matches: the last two of the six
/// events of a port. It leaves the sets switched off unless the user sets a bit of MM_CFG.
fn is_match_set(kind: BoxKind, code: u8) -> bool {
    kind == BoxKind::Rbox && code % 6 >= 4
}
