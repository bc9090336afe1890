// SPDX-License-Identifier: GPL-2.0

//! Questions about Broadwell-EP. Sections are those of Documentation/hardware/bdx.rst.

use crate::differences::ask::{right, NO_PMU};
use crate::differences::cases::common::{
    snoops, BAND_3, CBOXES_FOUND, CBOX_BEHIND_A_GAP, FILTER_NOT_TAKEN, HIDDEN_MATCH, HOME_OPCODE,
    HOM_REQ, NO_MMCONFIG, OCC_EDGE, RESCAN, THREE_OF_A_SET, TOR_OPCODE, UNOWNED_BIT, WORDS,
};
use crate::differences::{Case, Machine};
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    // 21.9.
    Case::refuse(
        "C-Box, TOR_INSERTS.OPCODE of DRd with ``filter_c6``, which is a reserved bit",
        |asked| asked.raw("cbox_0", [0x135, 1 << 61 | 0x182 << 52, 0]),
    ),
    Case::refuse(
        "C-Box, TOR_INSERTS.OPCODE of DRd with ``filter_link=1``, which is a reserved \
         bit",
        |asked| asked.raw("cbox_0", [0x135, 0x182 << 52 | 1 << 6, 0]),
    ),
    // 21.10.
    Case::count("C-Box, LLC_LOOKUP.NID of node 15 with all states", || {
        Probe::cbox(0, "llc_lookup.nid").state(0x7f).nid(0x8000)
    }),
    OCC_EDGE,
    // 21.15.
    Case::count("PCU, FREQ_BAND1_CYCLES with ``filter_band1=30``", || {
        Probe::pcu("freq_band1_cycles").band(1, 30)
    }),
    BAND_3,
    HOME_OPCODE,
    Case::refuse(
        "HA, a group of four times IOT_BACKPRESSURE.SAT; three counters can count it",
        |asked| asked.group_of(4, &Probe::ha(0, "iot_backpressure.sat")),
    ),
    Case::other(
        "HA, IOT_BACKPRESSURE.SAT as the last of four events; counters 0 to 2 can count \
         it",
        || four().map(|probe| right(&probe)).join(", "),
        |asked| asked.counts(&four(), false),
    ),
    // 21.20.
    Case::count(
        "S-Box, RxR_INSERTS.AD_CRD as the first event of a counter, by a control \
         register that wants to be written twice",
        || Probe::sbox(0, "rxr_inserts.ad_crd"),
    )
    .on(Machine::Unloaded),
    Case::count("R2PCIe, RxR_INSERTS.NCB, the same", || {
        Probe::r2pcie("rxr_inserts.ncb")
    })
    .on(Machine::Unloaded),
    Case::count("R3QPI link 0, CLOCKTICKS, the same", || {
        Probe::r3qpi(0, "clockticks")
    })
    .on(Machine::Unloaded),
    // 21.2.
    Case::other(
        "IRP, twice TRANSACTIONS.READS, if the counters are where the manual has them",
        || twice().map(|probe| right(&probe)).join(", "),
        |asked| asked.counts(&twice(), false),
    ),
    THREE_OF_A_SET,
    // 21.6.
    CBOXES_FOUND,
    CBOX_BEHIND_A_GAP,
    Case::other(
        "C-Box 2, LLC_VICTIMS.M_STATE in a package that has C-Boxes 0, 1 and 3, and \
         three cores",
        || NO_PMU.to_owned(),
        |asked| {
            let answer = asked.count(&Probe::cbox(2, "llc_victims.m_state"));
            // The kernel complains when its own driver touches that box.
            asked.session.faults();
            answer
        },
    )
    .on(Machine::SparseWithThreeCores),
    Case::other(
        "Memory channels found in a package of which four have memory; the others \
         answer, but have no clock",
        || "4".to_owned(),
        |asked| asked.pmus("imc_").to_string(),
    )
    .on(Machine::HalfOfTheMemory),
    HIDDEN_MATCH,
    NO_MMCONFIG,
    // B-6.
    Case::count(
        "QPI port 0, CTO_COUNT of received snoops, if sent packets are counted as well",
        || snoops(0),
    )
    .on(Machine::BothDirections),
    RESCAN,
    WORDS,
    HOM_REQ,
    Case::refuse("perf's own event unc_q_cto_count, the same", |asked| {
        asked.perfs_own("unc_q_cto_count")
    }),
    TOR_OPCODE,
    Case::refuse(
        "perf's own event llc_references.pcie_write, which names a thread and leaves \
         out the bit that compares it",
        |asked| asked.perfs_own("llc_references.pcie_write"),
    ),
];

fn four() -> [Probe; 4] {
    let names = [
        "clockticks",
        "requests.reads",
        "requests.writes",
        "iot_backpressure.sat",
    ];
    names.map(|name| Probe::ha(0, name))
}

fn twice() -> [Probe; 2] {
    ["transactions.reads"; 2].map(|name| Probe::irp(0, name))
}
