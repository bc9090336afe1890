// SPDX-License-Identifier: GPL-2.0

//! Requests of single end-to-end tests.

use crate::catalogue::{BoxKind, Row};
use crate::fixture::probe::Probe;
use crate::platform::{Asked, Known};

pub(in crate::platform) const ASKED: Asked = Asked {
    two_of_a_cbox: ["misc.rfo_hit_s", "llc_victims.m_state"],
    missing: &[
        ("cbox_0/tor_inserts.miss_opcode", "filter_opc"),
        ("ha_0/addr_opc_match.filt,filter_opc=1", "filter_addr"),
    ],
    right_names: 700,
    without_alias: &[BoxKind::Qpi, BoxKind::Pcu],
    named_by_perf: &[],
    pair: || ["cas_count.rd", "cas_count.wr"].map(|name| Probe::imc(7, name)),
    known: Known {
        machine: &[],
        first_is_wrong: false,
        // The table in Documentation/hardware/uncertain.rst, U-54 and U-55.
        misplaced: &[
            (BoxKind::Cbox, &[0x03, 0x06, 0x14, 0x3c]),
            (BoxKind::R2pcie, &[0x13, 0x23, 0x25, 0x28]),
        ],
        fixed_elsewhere: None,
        is_beyond: |row| {
            let demotion = row.kind == BoxKind::Pcu && row.event.starts_with("DEMOTIONS");
            let extended = row.kind == BoxKind::Pcu && row.ext == Some(true);
            demotion || extended || is_home_match(row)
        },
        settings: || {
            let cbox = |name| Probe::cbox(0, name);
            let mut settings = of_all();
            settings.extend([
                cbox("llc_lookup.any").state(0x3f),
                cbox("llc_lookup.nid").state(0x21).nid(0xf000),
                cbox("rxr_inserts.irq").tid(31),
                Probe::ha(0, "txr_bl_occupancy.sched0").thresh(10).edge(),
                Probe::pcu("freq_band2_cycles").band(2, 30),
                Probe::qpi(0, "message.drs.datac_e"),
                Probe::r3qpi(0, "rxr_occupancy.hom").thresh(16),
            ]);
            settings
        },
    },
};

/// Returns true for what the home agent matches, with filters that the driver lacks.
pub(in crate::platform) fn is_home_match(row: &Row) -> bool {
    row.kind == BoxKind::Ha && row.code == 0x20
}

/// Returns settings of events that every Xeon E5 has.
pub(in crate::platform) fn of_all() -> Vec<Probe> {
    let cbox = |name| Probe::cbox(0, name);
    let cto = || Probe::qpi(0, "cto_count");
    vec![
        cbox("tor_inserts.opcode").opc(0x182),
        cbox("tor_inserts.miss_opcode").opc(0x19e),
        cbox("tor_inserts.nid_opcode").opc(0x1e6).nid(0x8000),
        cbox("tor_inserts.opcode").opc(0x1e6).nc(),
        cbox("tor_inserts.opcode").opc(0x182).isoc(),
        cbox("tor_inserts.miss_opcode").opc(0x19e).nc().isoc(),
        cbox("tor_occupancy.all").thresh(10),
        cbox("tor_occupancy.all").thresh(1).edge(),
        Probe::ha(0, "imc_reads.normal").thresh(2),
        Probe::imc(0, "power_cke_cycles.rank0").thresh(8),
        Probe::pcu("power_state_occupancy.cores_c0").thresh(5),
        cto(),
        cto().packet("mc", 0xe, 0xf),
        cto().packet("dnid", 31, 0x1f).thresh(2),
    ]
}
