// SPDX-License-Identifier: GPL-2.0

//! Requests of single end-to-end tests.

use crate::catalogue::BoxKind;
use crate::fixture::probe::Probe;
use crate::platform::{Asked, Known};
use crate::sweep::filters;

pub(super) const ASKED: Asked = Asked {
    two_of_a_cbox: ["llc_hits.all", "snps.remote_any"],
    missing: &[
        ("sbox_0/to_r_prog_ev,mask_addr=1", "mask_hnid"),
        ("bbox_0/msg_in_match,mask_msg_in=1", "match_msg_in"),
        ("mbox_0/dsp_fill", "dsp"),
        ("mbox_1/dram_cmd,pld=0x100", "iss"),
        ("mbox_0/retries", "pld"),
        ("mbox_0/fvc_ev2", "fvc_evnt2"),
    ],
    right_names: 0,
    without_alias: &[],
    named_by_perf: &[],
    pair: || ["llc_hits.all", "llc_misses.all"].map(|name| Probe::cbox(0, name)),
    known: Known {
        machine: &[],
        first_is_wrong: false,
        misplaced: &[],
        fixed_elsewhere: None,
        // It has eight bits of the event select of the U-Box. Matches are among the settings.
        is_beyond: |row| {
            let needs = &row.needs;
            let filtered = needs.system || needs.compared != 0 || needs.preset.config2 != 0;
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
