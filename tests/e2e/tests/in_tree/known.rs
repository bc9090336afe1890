// SPDX-License-Identifier: GPL-2.0

//! Facts about the kernel's own driver on each platform: a table of what its tests
//! leave out, and of what they set.

use uncore_e2e::platform::Known;
use uncore_e2e::prelude::*;

/// Returns the facts about the driver on the current platform.
pub(super) fn known() -> &'static Known {
    match Platform::current() {
        Platform::Ivbep => &IVBEP,
        Platform::Bdx => &BDX,
        platform => &platform.asked().known,
    }
}

const IVBEP: Known = Known {
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
        let mut settings = of_both();
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
};

/// Documentation/hardware/bdx.rst, section 21.
const BDX: Known = Known {
    // 21.2.
    machine: &[("reading", "B-2:b")],
    // 21.20.
    first_is_wrong: true,
    // It limits none of these to the counters that can count them.
    misplaced: &[
        (BoxKind::Ha, &[0x61, 0x62, 0x64, 0x65]),
        (BoxKind::R2pcie, &[0x2a, 0x32, 0x33]),
        (BoxKind::R3qpi, &[0x2a, 0x2b]),
    ],
    fixed_elsewhere: None,
    is_beyond: |row| {
        // 21.15: it sets the frequency of band 0 only.
        let band = row.needs.band.is_some_and(|band| band > 0);
        // 21.10: it sets the state only.
        let node = row.kind == BoxKind::Cbox && row.code == 0x34 && row.needs.nid;
        band || node || is_home_match(row)
    },
    settings: || {
        let cbox = |name| Probe::cbox(0, name);
        let mut settings = of_both();
        settings.extend([
            cbox("llc_lookup.any").state(0x7f),
            cbox("llc_lookup.read").state(0x41),
            cbox("rxr_inserts.irq").tid(63),
            cbox("tor_occupancy.all").thresh(10).invert(),
            cbox("llc_victims.nid").nid(0x0f00),
            Probe::sbox(0, "rxr_occupancy.ad_crd").thresh(2),
            Probe::sbox(0, "rxr_occupancy.ad_crd").thresh(2).invert(),
            Probe::ha(0, "requests.reads").thresh(1).edge().invert(),
            Probe::imc(0, "cas_count.rd").thresh(1).invert(),
            Probe::irp(0, "cache_total_occupancy.any").thresh(10).edge(),
            Probe::pcu("freq_band0_cycles")
                .band(0, 30)
                .thresh(1)
                .invert(),
            Probe::ubox("event_msg.doorbell_rcvd").thresh(1).edge(),
            Probe::r2pcie("ring_ad_used.all").thresh(1).invert(),
            Probe::r3qpi(0, "rxr_occupancy_vn1.hom").thresh(16),
        ]);
        settings
    },
};

fn is_home_match(row: &Row) -> bool {
    row.kind == BoxKind::Ha && row.code == 0x20
}

/// Returns settings of events that both platforms have.
fn of_both() -> Vec<Probe> {
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
        cto().packet(PacketField::Mc, 0xe, 0xf),
        cto().packet(PacketField::Dnid, 31, 0x1f).thresh(2),
    ]
}
