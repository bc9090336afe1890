// SPDX-License-Identifier: GPL-2.0

//! Sub-registers that events of an M-Box share (Documentation/hardware/nhmex.rst, section 15).

use uncore_e2e::prelude::*;

fn mbox(name: &str) -> Probe {
    Probe::mbox(1, name)
}

/// A DRAM command at an address.
fn at(name: &str, address: u64) -> Probe {
    Probe::mbox(0, name).address_match(address, 0)
}

/// Equal values, different registers, and the parts of one register that the four equal events
/// have to themselves.
pub(super) fn compatible() -> Vec<[Probe; 2]> {
    vec![
        [
            mbox("therm_trp_up.all.gt_lo"),
            mbox("therm_trp_up").field("thr", 0x88),
        ],
        [mbox("pgt_page_ev.cls2opn"), mbox("dsp_fill.wrq_full")],
        [mbox("retries.all"), mbox("frm_type.sync")],
        [mbox("retries.all"), mbox("dram_cmd.all.wrprio")],
        [mbox("fvc_ev0.alert_frames"), mbox("fvc_ev3.mem_ecc_err")],
        [
            mbox("fvc_ev1.bbox_cmds.writes"),
            mbox("fvc_ev2.bbox_cmds.writes"),
        ],
        [
            at("dram_cmd.all", 0x8000_0000),
            at("retries.all", 0x8000_0000),
        ],
    ]
}

/// Different values of one register, of a part of FVC that its events share, of the part of one
/// event, and of the address.
pub(super) fn conflicting() -> Vec<(Probe, Probe)> {
    let both = |first, second| (Probe::mbox(0, first), Probe::mbox(0, second));
    vec![
        both("dsp_fill.rdq_full", "cycles_dsp_fill.wrq_full"),
        both("frm_type.wdat", "frm_type.1cmd"),
        both("therm_trp_dn.dimm1.gt_lo", "therm_trp_dn.dimm2.gt_lo"),
        both("dram_cmd.ras", "dram_cmd.pre"),
        both("dram_cmd.ras.rdprio", "dram_cmd.ras.wrprio"),
        both("fvc_ev0.bbox_cmds.reads", "fvc_ev1.bbox_cmds.writes"),
        both("fvc_ev2.bbox_rsp.cor", "fvc_ev3.bbox_rsp.retry"),
        both("fvc_ev1.mem_ecc_err", "fvc_ev1.poison_txn"),
        both("pgt_page_ev.opn2cls", "pgt_page_ev.cls2opn"),
        both("bcmd_schedq_occupancy.reads", "bcmd_schedq_occupancy.all"),
        (at("dram_cmd.all", 0x40), at("retries.all", 0x8000_0000)),
        (at("dram_cmd.all", 0x40), Probe::mbox(0, "retries.all")),
    ]
}
