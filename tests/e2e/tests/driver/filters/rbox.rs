// SPDX-License-Identifier: GPL-2.0

//! The registers of each port of an R-Box (Documentation/hardware/nhmex.rst, section 15).

use uncore_e2e::prelude::*;

fn rbox(name: &str) -> Probe {
    Probe::new(BoxKind::Rbox, 0, name)
}

/// The partner of a register, the same register of another port, and equal values.
pub(super) fn compatible() -> Vec<[Probe; 2]> {
    let sent = rbox("port0_iperf1").field("iperf_cfg", 0x8000_0000);
    let starving = rbox("port3_qlx1").field("qlx1", 0x0a);
    vec![
        [rbox("port0_null_idle"), sent],
        [rbox("port1_null_idle"), rbox("port2_flits_sent")],
        [rbox("port3_que_arb_bid.snp"), starving],
        [rbox("port1_xbr1"), rbox("port1_xbr1")],
        [rbox("port2_xbr_match.drs.anyresp"), rbox("port2_xbr2")],
    ]
}

/// Different values of one register.
pub(super) fn conflicting() -> Vec<(Probe, Probe)> {
    let flit = |flit| {
        rbox("port3_xbr2")
            .field("xbr_en", 1)
            .field("xbr_flit", flit)
    };
    vec![
        (rbox("port0_flits_sent"), rbox("port0_null_idle")),
        (rbox("port1_que_arb_bid.snp"), rbox("port1_starving")),
        (
            rbox("port2_xbr_match.drs.anydatac"),
            rbox("port2_xbr_match.ncb.anyresp"),
        ),
        (flit(2), flit(5)),
    ]
}
