// SPDX-License-Identifier: GPL-2.0

//! Questions about Ivy Bridge-EP.

use crate::differences::ask::right;
use crate::differences::cases::common::{
    of_all_cboxes, snoops, CBOXES_FOUND, FILTER_NOT_TAKEN, HIDDEN_MATCH, HOME_OPCODE, HOM_REQ,
    NO_MMCONFIG, OCC_EDGE, RESCAN, TOR_OPCODE, UNOWNED_BIT, WORDS,
};
use crate::differences::{Case, Machine};
use crate::fixture::probe::Probe;

pub(super) const CASES: &[Case] = &[
    FILTER_NOT_TAKEN,
    UNOWNED_BIT,
    Case::refuse(
        "iMC, CAS_COUNT.RD with ``thresh=1,inv=1``; the hardware cannot invert",
        |asked| asked.perf("imc_0", "event=0x04,umask=0x03,thresh=1,inv=1"),
    ),
    OCC_EDGE,
    Case::count(
        "PCU, DELAYED_C_STATE_ABORT_CORE7, which needs the extended select",
        || Probe::pcu("delayed_c_state_abort_core7"),
    ),
    Case::count("PCU, DEMOTIONS_CORE0 of reason 0x10", || {
        Probe::pcu("demotions_core0").band(0, 0x10)
    }),
    HOME_OPCODE,
    Case::refuse(
        "C-Box, a group of QLRU.AGE0 to AGE3; two counters can count them",
        |asked| {
            let ages = [0, 1, 2, 3].map(|age| Probe::cbox(0, &format!("qlru.age{age}")));
            asked.counts(&ages, true)
        },
    ),
    Case::other(
        "R2PCIe, RxR_OCCUPANCY.DRS beside CLOCKTICKS; counter 0 alone can count it",
        || {
            occupancy_beside_clock()
                .map(|probe| right(&probe))
                .join(", ")
        },
        |asked| asked.counts(&occupancy_beside_clock(), false),
    ),
    Case::refuse(
        "IRP, a group of three times TRANSACTIONS.READS; a set of counters has two",
        |asked| asked.group_of(3, &Probe::irp(0, "transactions.reads")),
    ),
    CBOXES_FOUND,
    HIDDEN_MATCH,
    NO_MMCONFIG,
    Case::count("QPI port 2 of an E7, CTO_COUNT of snoops", || snoops(2)).on(Machine::Large),
    RESCAN,
    WORDS,
    HOM_REQ,
    Case::refuse(
        "perf's own event unc_q_message.drs.anydatac, from which perf leaves out the \
         extended select and the packet's match",
        |asked| asked.perfs_own("unc_q_message.drs.anydatac"),
    ),
    Case::refuse(
        "perf's own event unc_p_delayed_c_state_abort_core0, the same",
        |asked| asked.perfs_own("unc_p_delayed_c_state_abort_core0"),
    ),
    Case::other(
        "perf's own event unc_c_llc_lookup.any, which names no cache line state",
        || of_all_cboxes("llc_lookup.any"),
        |asked| asked.perfs_own("unc_c_llc_lookup.any"),
    ),
    TOR_OPCODE,
    Case::refuse(
        "perf's own event unc_p_freq_band0_cycles, which names no frequency",
        |asked| asked.perfs_own("unc_p_freq_band0_cycles"),
    ),
];

fn occupancy_beside_clock() -> [Probe; 2] {
    ["clockticks", "rxr_occupancy.drs"].map(Probe::r2pcie)
}
