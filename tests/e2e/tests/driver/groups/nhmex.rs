// SPDX-License-Identifier: GPL-2.0

//! Groups of Nehalem-EX, whose counters count every event of their box.

use super::{cbox, of_kind};
use uncore_e2e::prelude::*;

fn wbox(names: &[&str]) -> Vec<Probe> {
    of_kind(BoxKind::Wbox, names)
}

/// Each counter of a B-Box has events of its own.
fn bbox(names: &[&str]) -> Vec<Probe> {
    of_kind(BoxKind::Bbox, names)
}

fn rbox(names: &[&str]) -> Vec<Probe> {
    let mut events = of_kind(BoxKind::Rbox, names);
    for event in &mut events {
        // The value of the register is the user's.
        if event.name().ends_with("_iperf1") {
            *event = event.clone().field("iperf_cfg", 0x0401_0000);
        } else if event.name().ends_with("_qlx1") {
            *event = event.clone().field("qlx1", 0x94);
        }
    }
    events
}

fn sbox(names: &[&str]) -> Vec<Probe> {
    of_kind(BoxKind::Sbox, names)
}

fn mbox(names: &[&str]) -> Vec<Probe> {
    of_kind(BoxKind::Mbox, names)
}

/// Groups that need every counter of the box.
pub(super) fn full() -> Vec<Vec<Probe>> {
    vec![
        sbox(&[
            "pkts_sent_hom.all",
            "to_r_b_requests.local",
            "no_credit_ad",
            "to_r_prog_ev.any",
        ]),
        bbox(&["tf_all", "imt_inserts_all", "imt_ne_cycles", "imt_full"]),
        wbox(&["c_cycles_turbo.c0", "prochot", "tm1_on.all", "clockticks"]),
    ]
}

/// Groups that take every counter.
pub(super) fn at_the_limit() -> Vec<Vec<Probe>> {
    let ubox = of_kind(BoxKind::Ubox, &["fatal_err"]);
    vec![
        cbox(&["llc_hits.all"; 6]),
        bbox(&["tf_wr", "drsq_inserts", "msgs_s_to_b", "conflicts"]),
        sbox(&["pkts_sent_snp"; 4]),
        // Four fields of one register, and two registers.
        mbox(&[
            "fvc_ev0.bbox_cmds.reads",
            "fvc_ev1.bbox_rsp.ack",
            "fvc_ev2.mem_ecc_err",
            "fvc_ev3.smi_nb_trig",
            "dram_cmd.cas_wr_opn.wrprio",
            "bcmd_schedq_occupancy.all",
        ]),
        // All registers of a port, and two of another one.
        rbox(&[
            "port2_new_packets_recv.any_hom",
            "port2_iperf1",
            "port2_target_available.vn1_drs",
            "port2_qlx1",
            "port2_xbr_match.ncb.anyresp",
            "port2_xbr2",
            "port0_flits_sent",
            "port0_global_arb_bid",
        ]),
        wbox(&["prochot", "prochot", "prochot", "prochot", "clockticks"]),
        ubox,
    ]
}

/// Returns groups with one event more than fits.
pub(super) fn over_full() -> Vec<Vec<Probe>> {
    vec![
        cbox(&["llc_misses.all"; 7]),
        bbox(&["imt_inserts_wr", "tf_all", "imt_inserts_rd"]),
        sbox(&["pkts_sent_snp"; 5]),
        mbox(&["bbox_cmds_all"; 7]),
        rbox(&["port1_null_idle"; 9]),
        wbox(&["clockticks"; 2]),
        of_kind(BoxKind::Ubox, &["ipis_sent", "woken"]),
    ]
}
